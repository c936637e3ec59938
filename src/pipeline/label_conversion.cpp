#include "src/pipeline/label_conversion.h"

#include "src/pipeline/block_reader.h"

#include <algorithm>

namespace voxcc {
namespace {

/// Calls f(labels) with a pointer to the labels in their type.
template <class F>
void visit_labels(const LabelSpan& labels, const F& f) {
    visit_scalar(labels.type, [&]<class T>(std::type_identity<T>) {
        if constexpr (std::is_integral_v<T>) f(reinterpret_cast<const T*>(labels.labels));
        else throw Error(ErrorKind::internal, "labels", "labels of a floating-point type");
    });
}

void put_mask(const LabelSpan& labels, std::uint8_t* to) {
    visit_labels(labels, [&](const auto* label) {
        for (std::int64_t i = 0; i < labels.count; ++i) to[i] = label[i] != 0;
    });
}

class ToMask final : public LabelConversion {
public:
    void convert(const LabelSpan& labels, std::span<const std::byte>, std::byte* out) const override {
        put_mask(labels, reinterpret_cast<std::uint8_t*>(out));
    }
};

class ToSizes final : public LabelConversion {
public:
    ToSizes(std::vector<std::uint64_t> sizes, ScalarType type) : sizes_(std::move(sizes)), type_(type) {}
    void convert(const LabelSpan& labels, std::span<const std::byte>, std::byte* out) const override {
        visit_scalar(type_, [&]<class Size>(std::type_identity<Size>) {
            if constexpr (std::is_unsigned_v<Size>)
                visit_labels(labels, [&](const auto* label) {
                    auto* const to = reinterpret_cast<Size*>(out);
                    for (std::int64_t i = 0; i < labels.count; ++i) to[i] = Size(sizes_[std::size_t(label[i])]);
                });
            else throw Error(ErrorKind::internal, "sizes", "sizes of a signed type");
        });
    }

private:
    std::vector<std::uint64_t> sizes_;
    ScalarType type_;
};

class FromMemory final : public LabelConversion {
public:
    FromMemory(std::span<const std::byte> voxels, std::int64_t row_bytes) : voxels_(voxels), row_bytes_(row_bytes) {}
    bool read(std::int64_t, RowRange rows, std::vector<std::byte>& to) override {
        const auto block = voxels_.subspan(std::size_t(rows.first * row_bytes_), std::size_t(rows.count * row_bytes_));
        to.assign(block.begin(), block.end());
        return true;
    }
    void convert(const LabelSpan&, std::span<const std::byte> read, std::byte* out) const override { std::ranges::copy(read, out); }

private:
    std::span<const std::byte> voxels_;
    std::int64_t row_bytes_;
};

class ToValues final : public LabelConversion {
public:
    ToValues(io::VolumeReader& input, const StoredValues& stored)
        : input_(input), stored_(stored), type_(input.info().type), scaling_(input.info().scaling) {}

    bool read(std::int64_t block, RowRange rows, std::vector<std::byte>& to) override { return input_.read(block, rows, to); }

    void convert(const LabelSpan& labels, std::span<const std::byte> read, std::byte* out) const override {
        thread_local std::vector<std::uint8_t> mask;
        mask.resize(std::size_t(labels.count));
        put_mask(labels, mask.data());
        visit_scalar(type_, [&]<class T>(std::type_identity<T>) {
            const T* const values = reinterpret_cast<const T*>(read.data());
            if (stored_.form == StoredValues::Form::stored) {
                T* const to = reinterpret_cast<T*>(out);
                const T background = T(stored_.background);
                for (std::int64_t i = 0; i < labels.count; ++i) to[i] = mask[std::size_t(i)] ? values[i] : background;
                return;
            }
            double* const to = reinterpret_cast<double*>(out);
            for (std::int64_t i = 0; i < labels.count; ++i)
                to[i] = mask[std::size_t(i)] ? double(values[i]) * scaling_.slope + scaling_.intercept : 0;
        });
    }

    void fail() override { input_.fail(); }

private:
    BlockReader input_;
    StoredValues stored_;
    ScalarType type_;
    io::Scaling scaling_;
};

}  // namespace

std::unique_ptr<LabelConversion> to_mask() { return std::make_unique<ToMask>(); }

std::unique_ptr<LabelConversion> to_sizes(std::vector<std::uint64_t> sizes, ScalarType type) {
    return std::make_unique<ToSizes>(std::move(sizes), type);
}

std::unique_ptr<LabelConversion> from_memory(std::span<const std::byte> voxels, const Extent& extent, ScalarType type) {
    return std::make_unique<FromMemory>(voxels, extent.nx * size_of(type));
}

std::unique_ptr<LabelConversion> to_values(io::VolumeReader& input, const StoredValues& stored) {
    return std::make_unique<ToValues>(input, stored);
}

}  // namespace voxcc
