// Tests the rows of strided, swapped, half and masked arrays against copies that are made voxel by voxel.
#include <voxcc/source.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>

using namespace voxcc;

namespace {

const Extent extent{70, 5, 3};

// Every array starts at byte `start` of a larger block of random bytes.
struct Layout {
    Strides strides;
    std::int64_t start;
    bool in_place;
};

template <class T>
T swapped(T v) {
    auto bytes = std::bit_cast<std::array<std::byte, sizeof(T)>>(v);
    std::reverse(bytes.begin(), bytes.end());
    return std::bit_cast<T>(bytes);
}

template <class T>
void check_rows(StridedSource& source, const std::vector<T>& expected) {
    for (const RowRange rows : {RowRange{0, 15}, RowRange{3, 4}, RowRange{14, 1}}) {
        std::vector<std::byte> buffer;
        const std::byte* const fetched = source.fetch(rows, buffer);
        CHECK(buffer.empty() == source.in_place());
        for (std::int64_t i = 0; i < rows.count; ++i) {
            const auto* const values = source.values(fetched, rows, i);
            REQUIRE(std::memcmp(values, expected.data() + (rows.first + i) * extent.nx, std::size_t(extent.nx) * sizeof(T)) == 0);
            std::uint64_t bits[2] = {7, 7};
            source.pack(fetched, rows, i, bits);
            for (std::int64_t x = 0; x < 128; ++x)
                REQUIRE(bool(bits[x / 64] >> x % 64 & 1) ==
                        (x < extent.nx && expected[std::size_t((rows.first + i) * extent.nx + x)] != 0));
        }
    }
}

}  // namespace

TEST_CASE_TEMPLATE("strided source: layouts and byte orders of every size", T, std::int8_t, std::uint16_t, std::int32_t, std::uint64_t) {
    constexpr std::int64_t b = sizeof(T);
    std::mt19937 random(2);
    std::vector<std::byte> memory(200'000);
    for (std::byte& byte : memory) byte = std::byte(random() % 3 == 0 ? random() % 256 : 0);
    const std::vector<Layout> layouts{
        {{b, 70 * b, 350 * b}, 0, true},         // dense
        {{b, 80 * b, 800 * b}, 40 * b, true},    // a crop
        {{b, -80 * b, -800 * b}, 16'000, true},  // rows and slices backwards
        {{-b, 70 * b, 350 * b}, 80'000, false},  // columns backwards
        {{2 * b, 160 * b, 800 * b}, 0, false},   // every second column
        {{15 * b, 3 * b, b}, 0, false},          // x slowest
        {{5 * b, b, 350 * b}, 0, false},         // y fastest
        {{b, 70 * b, 350 * b}, 1, b == 1},       // not aligned
        {{b, 70 * b, 350 * b + 1}, 0, b == 1},   // slices not aligned
        {{0, 70 * b, 350 * b}, 0, false},        // one column, repeated
    };
    for (const Layout& layout : layouts)
        for (const Storage storage : {Storage::native, Storage::swapped}) {
            std::vector<T> expected;
            for (std::int64_t z = 0; z < extent.nz; ++z)
                for (std::int64_t y = 0; y < extent.ny; ++y)
                    for (std::int64_t x = 0; x < extent.nx; ++x) {
                        T v;
                        const auto& s = layout.strides;
                        std::memcpy(&v, memory.data() + layout.start + x * s[0] + y * s[1] + z * s[2], sizeof v);
                        expected.push_back(storage == Storage::swapped ? swapped(v) : v);
                    }
            const ForegroundPacker packer(scalar_type_of<T>(), {});
            StridedSource source({memory.data() + layout.start, scalar_type_of<T>(), extent, layout.strides}, packer, storage);
            CHECK(source.in_place() == (layout.in_place && storage == Storage::native));
            check_rows(source, expected);
        }
}

TEST_CASE("strided source: every half has its value") {
    std::vector<std::uint16_t> halves(65536);
    for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = std::uint16_t(i);
    const Extent e{65536, 1, 1};
    const ForegroundPacker packer(ScalarType::f32, {});
    for (const Storage storage : {Storage::half, Storage::swapped_half}) {
        StridedSource source({reinterpret_cast<const std::byte*>(halves.data()), ScalarType::f32, e, {2, 131072, 131072}}, packer, storage);
        std::vector<std::byte> buffer;
        const auto* const got = reinterpret_cast<const float*>(source.values(source.fetch({0, 1}, buffer), {0, 1}, 0));
        int wrong = 0, nan = 0;
        for (std::size_t i = 0; i < halves.size(); ++i) {
            const unsigned h = storage == Storage::half ? unsigned(i) : unsigned(i >> 8 | (i & 255) << 8);
            const int exponent = int(h >> 10 & 31), fraction = int(h & 1023);
            double value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
            if (exponent == 31) value = fraction ? NAN : INFINITY;
            if (h & 0x8000u) value = -value;
            nan += std::isnan(value);
            wrong += std::isnan(value) ? !std::isnan(got[i]) : got[i] != value || std::signbit(got[i]) != std::signbit(value);
        }
        CHECK(wrong == 0);
        CHECK(nan == 2046);
        std::vector<std::uint64_t> bits(1024);
        source.pack(source.fetch({0, 1}, buffer), {0, 1}, 0, bits.data());
        CHECK(source.nan_voxels() == 2046);
    }
}

TEST_CASE("masked source: voxels in place and copied, with masks in place and copied") {
    std::mt19937 random(4);
    for (const std::int64_t nx : {70, 5000}) {
        const Extent e{nx, 2, 2};
        std::vector<std::int16_t> voxels(std::size_t(e.voxels()));
        std::vector<std::uint8_t> mask(voxels.size());
        for (auto& v : voxels) v = std::int16_t(random() % 2);
        for (auto& m : mask) m = random() % 2 ? 200 : 0;
        const ForegroundPacker voxel_packer(ScalarType::i16, {}), mask_packer(ScalarType::u8, {});
        for (const int backwards : {0, 1, 2, 3}) {  // bit 0: the voxels, bit 1: the mask
            auto v = view(voxels.data(), e);
            auto m = view(mask.data(), e);
            if (backwards & 1) v.voxels += 2 * (nx - 1), v.strides[0] = -2;
            if (backwards & 2) m.voxels += nx - 1, m.strides[0] = -1;
            StridedSource voxel_source(v, voxel_packer), mask_source(m, mask_packer);
            MaskedSource source(voxel_source, mask_source);
            std::vector<std::byte> buffer;
            const RowRange rows{1, 3};
            const std::byte* const fetched = source.fetch(rows, buffer);
            std::vector<std::uint64_t> bits(std::size_t(nx / 64 + 1));
            for (std::int64_t i = 0; i < rows.count; ++i) {
                source.pack(fetched, rows, i, bits.data());
                for (std::int64_t x = 0; x < nx; ++x) {
                    const auto at = [&](int bit) { return std::size_t((i + 1) * nx + (backwards & bit ? nx - 1 - x : x)); };
                    REQUIRE(bool(bits[std::size_t(x / 64)] >> x % 64 & 1) == (voxels[at(1)] != 0 && mask[at(2)] != 0));
                }
            }
        }
    }
}
