// Compares the foreground bits that ReaderSource computes, from rows and from chunk layers, with the foreground rule.
#include "src/pipeline/sources.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <thread>

using namespace voxcc;

namespace {

/// A random volume in memory. If `rows_per_layer` > 0, read_layer() splits rows at random and visits the parts in random order.
class MemoryReader : public io::VolumeReader {
public:
    MemoryReader(const Extent& extent, ScalarType type, unsigned seed, std::int64_t rows_per_layer)
        : rows_per_layer_(rows_per_layer), random_(seed) {
        info_.extent = extent;
        info_.type = type;
        bytes_.resize(std::size_t(extent.voxels() * size_of(type)));
        visit_scalar(type, [&]<class T>(std::type_identity<T>) {
            for (std::int64_t i = 0; i < extent.voxels(); ++i) {
                const T value = std::is_floating_point_v<T> && random_() % 9 == 0 ? std::numeric_limits<T>::quiet_NaN() : T(random_() % 4);
                std::memcpy(&bytes_[std::size_t(i) * sizeof(T)], &value, sizeof(T));
                values_.push_back(double(value));
            }
        });
    }
    void scale(double slope, double intercept) { info_.scaling = {slope, intercept}; }
    double value(std::int64_t row, std::int64_t x) const {
        return values_[std::size_t(row * info_.extent.nx + x)] * info_.scaling.slope + info_.scaling.intercept;
    }
    const std::byte* at(std::int64_t row, std::int64_t x) const {
        return &bytes_[std::size_t((row * info_.extent.nx + x) * size_of(info_.type))];
    }

    std::int64_t nan_voxels() const {
        return std::count_if(values_.begin(), values_.end(), [](double value) { return std::isnan(value); });
    }

    void read_rows(RowRange rows, std::byte* to) override {
        CHECK(rows.first == row_);  // rows must be read in ascending order, without gaps
        row_ = rows.end();
        std::memcpy(to, at(rows.first, 0), std::size_t(rows.count * info_.extent.nx * size_of(info_.type)));
    }
    void rewind() override { row_ = 0; }
    std::optional<io::Layer> layer_of(std::int64_t row) const override {
        if (rows_per_layer_ == 0) return {};
        const std::int64_t first = row - row % rows_per_layer_;
        return io::Layer{{first, std::min(rows_per_layer_, info_.extent.rows() - first)}, 1000};
    }
    void read_layer(RowRange layer, const io::PartVisitor& visit, io::Visits visits) override {
        CHECK(layer == layer_of(layer.first)->rows);
        layers_read.push_back(layer.first);
        std::vector<io::RowPart> parts;
        for (std::int64_t row = layer.first; row < layer.end(); ++row)
            for (std::int64_t x = 0, count; x < info_.extent.nx; x += count) {
                const std::int64_t widest = std::array{1, 5, 70, 200}[random_() % 4];
                count = std::min(std::int64_t(random_()) % widest + 1, info_.extent.nx - x);
                parts.push_back({row, x, count, at(row, x)});
            }
        std::shuffle(parts.begin(), parts.end(), random_);
        const auto visit_each = [&](std::size_t first, std::size_t step) {
            for (std::size_t i = first; i < parts.size(); i += step) visit(parts[i]);
        };
        if (visits == io::Visits::in_turn) return visit_each(0, 1);
        const std::jthread other([&] { visit_each(0, 2); });
        visit_each(1, 2);
    }
    std::vector<std::int64_t> layers_read;

private:
    std::int64_t rows_per_layer_, row_ = 0;
    std::mt19937 random_;
    std::vector<std::byte> bytes_;
    std::vector<double> values_;
};

/// Number of bits that differ from the rule. Bits after the last column must be 0. Fetches `rows_at_once` rows per call.
int wrong_bits(ReaderSource& source, const MemoryReader& image, const MemoryReader* mask, std::int64_t rows_at_once,
               const std::function<bool(double)>& is_foreground) {
    const Extent& e = image.info().extent;
    std::vector<std::byte> buffer;
    std::vector<std::uint64_t> bits(std::size_t((e.nx + 63) / 64));
    int wrong = 0;
    for (RowRange rows{0, rows_at_once}; rows.first < e.rows(); rows.first += rows_at_once) {
        rows.count = std::min(rows_at_once, e.rows() - rows.first);
        const std::byte* const fetched = source.fetch(rows, buffer);
        for (std::int64_t i = 0; i < rows.count; ++i) {
            std::fill(bits.begin(), bits.end(), ~std::uint64_t{0});
            source.pack(fetched, rows, i, bits.data());
            const std::int64_t row = rows.first + i;
            const auto masked = [&](std::int64_t x) { return !mask || (!std::isnan(mask->value(row, x)) && mask->value(row, x) != 0); };
            for (std::int64_t x = 0; x < std::int64_t(bits.size()) * 64; ++x)
                wrong += (bits[std::size_t(x / 64)] >> x % 64 & 1) != (x < e.nx && is_foreground(image.value(row, x)) && masked(x));
        }
    }
    return wrong;
}

}  // namespace

TEST_CASE("sources: bits of rows and of layers, with and without a mask") {
    ForegroundRule rule{.kind = ForegroundRule::Kind::above, .low = 0.75, .slope = -0.5, .intercept = 1.5};
    for (const auto take : {ForegroundRule::Take::inside, ForegroundRule::Take::complement}) {
        rule.take = take;
        const auto is_foreground = [&](double value) {
            return !std::isnan(value) && (value > 0.75) == (take == ForegroundRule::Take::inside);
        };
        for (const Extent& e : {Extent{1, 3, 2}, {63, 4, 5}, {64, 4, 5}, {65, 4, 5}, {203, 5, 4}, {640, 3, 3}})
            for (const ScalarType type : {ScalarType::u8, ScalarType::i16, ScalarType::f32, ScalarType::u64})
                for (const std::int64_t image_layer : {0, 1, 3, 10})
                    for (const std::int64_t mask_layer : {-1, 0, 7}) {  // -1: no mask, 0: a mask without layers
                        CAPTURE(e.nx);
                        CAPTURE(name_of(type));
                        CAPTURE(image_layer);
                        CAPTURE(mask_layer);
                        MemoryReader image(e, type, 1, image_layer), mask(e, ScalarType::f32, 2, std::max<std::int64_t>(mask_layer, 0));
                        image.scale(rule.slope, rule.intercept);
                        mask.scale(2, -4);
                        MemoryReader* const with = mask_layer < 0 ? nullptr : &mask;
                        const ForegroundPacker packer(type, rule);
                        for (const Keep keep : {Keep::bits, Keep::bits_and_values})
                            for (const std::int64_t rows_at_once : {1, 4, 100}) {
                                image.rewind(), mask.rewind();
                                ReaderSource source(image, packer, with, best_isa(), keep, [](std::int64_t) {});
                                CHECK(wrong_bits(source, image, with, rows_at_once, is_foreground) == 0);
                                CHECK(source.nan_voxels() == image.nan_voxels());
                                CHECK(source.nan_voxels_of_mask() == (with ? mask.nan_voxels() : 0));
                                source.rewind();
                                CHECK(wrong_bits(source, image, with, rows_at_once, is_foreground) == 0);
                                CHECK(source.nan_voxels() == image.nan_voxels());  // the count of one pass, not of two
                            }
                    }
    }
}

TEST_CASE("sources: a layer is read once, and only if values are not needed") {
    const Extent e{100, 5, 4};
    MemoryReader image(e, ScalarType::u16, 1, 6);
    const ForegroundPacker packer(ScalarType::u16, {});
    const auto is_foreground = [](double value) { return value != 0; };
    {
        ReaderSource source(image, packer, nullptr, best_isa(), Keep::bits, [](std::int64_t) {});
        for (const std::int64_t rows_at_once : {1, 7, 20}) {
            image.layers_read.clear();
            CHECK(wrong_bits(source, image, nullptr, rows_at_once, is_foreground) == 0);
            CHECK(image.layers_read == std::vector<std::int64_t>{0, 6, 12, 18});
            source.rewind();
        }
    }
    image.layers_read.clear();
    ReaderSource source(image, packer, nullptr, best_isa(), Keep::bits_and_values, [](std::int64_t) {});
    std::vector<std::byte> buffer;
    const std::byte* const fetched = source.fetch({0, 20}, buffer);
    CHECK(image.layers_read.empty());
    for (std::int64_t row = 0; row < 20; ++row) CHECK(std::memcmp(source.values(fetched, {0, 20}, row), image.at(row, 0), 200) == 0);
}

TEST_CASE("sources: rows per fetch and memory") {
    const Extent e{1000, 512, 512};
    struct Claim : io::VolumeReader {
        Claim(const Extent& extent, std::int64_t rows) : rows_(rows) { info_.extent = extent, info_.type = ScalarType::f32; }
        void read_rows(RowRange, std::byte*) override {}
        void rewind() override {}
        std::int64_t rows_per_read() const override { return 64 * 512; }
        std::optional<io::Layer> layer_of(std::int64_t) const override {
            return rows_ ? std::optional(io::Layer{{0, rows_}, 5'000'000}) : std::nullopt;
        }
        std::int64_t rows_;
    };
    const Claim layers(e, 64 * 512), rows(e, 0);
    const auto bits = ReaderSource::costs(layers, nullptr, Keep::bits);
    CHECK(bits.row_bytes == 128);
    CHECK(bits.rows_per_fetch == 8192);  // 1 MiB
    CHECK(bits.held_bytes == 64 * 512 * 128 + 5'000'000);
    for (const auto& voxels :
         {ReaderSource::costs(layers, nullptr, Keep::bits_and_values), ReaderSource::costs(rows, nullptr, Keep::bits)}) {
        CHECK(voxels.row_bytes == 4000);
        CHECK(voxels.rows_per_fetch == 64 * 512);
        CHECK(voxels.held_bytes == 64 * 512 * 4000);
    }
    const auto both = ReaderSource::costs(rows, &layers, Keep::bits_and_values);  // only bits are kept of a mask
    CHECK(both.row_bytes == 4128);
    CHECK(both.held_bytes == 64 * 512 * 4128 + 5'000'000);
}

TEST_CASE("sources: held bits with axes exchanged") {
    const Extent e{70, 5, 4};
    const ForegroundPacker packer(ScalarType::u8, {});
    for (const Axis slices : {Axis::x, Axis::y, Axis::z})
        for (const std::int64_t layer : {0, 7})
            for (const Keep keep : {Keep::bits, Keep::bits_and_values}) {
                MemoryReader image(e, ScalarType::u8, 3, layer);
                ReaderSource source(image, packer, nullptr, best_isa(), keep, [](std::int64_t) {});
                const VolumeBits held = read_bits(source, e, 0, slices, keep);
                CHECK(held.values.size() == (keep == Keep::bits ? 0 : std::size_t(e.voxels())));
                int wrong = 0;
                for (std::int64_t z = 0; z < e.nz; ++z)
                    for (std::int64_t y = 0; y < e.ny; ++y)
                        for (std::int64_t x = 0; x < e.nx; ++x) {
                            const std::int64_t row = slices == Axis::z ? z * e.ny + y : slices == Axis::y ? y * e.nz + z : x * e.nz + z;
                            const std::int64_t column = slices == Axis::x ? y : x;
                            const double value = image.value(z * e.ny + y, x);
                            wrong += (held.row(row)[column / 64] >> column % 64 & 1) != (value != 0);
                            if (keep == Keep::bits_and_values)
                                wrong += double(std::to_integer<int>(held.values[std::size_t(row * held.extent.nx + column)])) != value;
                        }
                CHECK(wrong == 0);
            }
}
