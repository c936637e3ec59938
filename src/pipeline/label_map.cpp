#include "src/pipeline/label_map.h"

#include "src/messages/progress.h"
#include "src/pipeline/input.h"

#include <algorithm>

namespace voxcc {
namespace {

/// The number of labels for which an array has one entry each: all labels below 2^26, if the table has a part of them.
std::size_t dense_labels(const NewLabels& labels, ScalarType type) {
    constexpr std::uint64_t per_row = 16, least = 1 << 16;
    const std::uint64_t most = std::min<std::uint64_t>(LabelSet::most_dense, per_row * labels.size() + least);
    std::uint64_t largest = 0;
    labels.for_each(type, [&](LabelBits label, std::uint64_t) {
        if (label < most) largest = std::max(largest, label);
    });
    return std::size_t(largest + 1);
}

/// Calls f(from, count) with the labels as integers: as they are stored, or converted to 64 bits.
template <class F>
void visit_stored(std::span<const std::byte> raw, const io::VolumeInfo& info, const F& f) {
    const std::size_t voxels = raw.size() / std::size_t(size_of(info.type));
    if (label_type(info) != info.type || !info.scaling.is_identity()) {
        thread_local std::vector<LabelBits> bits;
        bits.resize(voxels);
        to_label_bits(raw, info, bits);
        return f(bits.data(), voxels);
    }
    visit_scalar(info.type, [&]<class T>(std::type_identity<T>) {
        if constexpr (std::is_integral_v<T>) f(reinterpret_cast<const T*>(raw.data()), voxels);
        else throw Error(ErrorKind::internal, "labels", "labels of a floating-point type");
    });
}

/// Calls f(first, end, label) for each run of equal labels.
template <class T, class F>
void for_each_run(const T* labels, std::size_t count, const F& f) {
    for (std::size_t first = 0, end = 0; first < count; first = end) {
        const T label = labels[first];
        for (end = first + 1; end < count && labels[end] == label;) ++end;
        f(first, end, LabelBits(std::int64_t(label)));
    }
}

void collect(std::span<const std::byte> raw, const io::VolumeInfo& info, FoundLabels& found) {
    found.with_set([&](LabelSet& set) {
        visit_stored(raw, info, [&](const auto* labels, std::size_t count) {
            for_each_run(labels, count, [&](std::size_t, std::size_t, LabelBits label) {
                if (label != 0) set.add(label);
            });
        });
    });
}

/// Calls f with a null pointer to the unsigned type of this size. Numbers that a signed type holds have the same bytes in it.
template <class F>
void visit_unsigned(std::int64_t bytes, const F& f) {
    switch (bytes) {
        case 1: return f(std::type_identity<std::uint8_t>{});
        case 2: return f(std::type_identity<std::uint16_t>{});
        case 4: return f(std::type_identity<std::uint32_t>{});
        default: return f(std::type_identity<std::uint64_t>{});
    }
}

class ToNewLabels final : public LabelConversion {
public:
    ToNewLabels(io::VolumeReader& labels, const LabelMap& map, FoundLabels& found, ScalarType type)
        : info_(labels.info()), reader_(labels), map_(map), found_(found), bytes_(size_of(type)) {}

    bool read(std::int64_t block, RowRange rows, std::vector<std::byte>& to) override { return reader_.read(block, rows, to); }

    void convert(const LabelSpan&, std::span<const std::byte> read, std::byte* out) const override {
        found_.with_set([&](LabelSet& set) {
            visit_stored(read, info_, [&](const auto* labels, std::size_t count) {
                visit_unsigned(bytes_, [&]<class To>(std::type_identity<To>) {
                    auto* const to = reinterpret_cast<To*>(out);
                    for_each_run(labels, count, [&](std::size_t first, std::size_t end, LabelBits label) {
                        if (label != 0) set.add(label);
                        std::fill(to + first, to + end, To(map_(label)));
                    });
                });
            });
        });
    }

    void fail() override { reader_.fail(); }

private:
    const io::VolumeInfo& info_;
    BlockReader reader_;
    const LabelMap& map_;
    FoundLabels& found_;
    std::int64_t bytes_;
};

}  // namespace

LabelMap::LabelMap(const NewLabels& labels, ScalarType type, MapOptions::Missing missing)
    : dense_(dense_labels(labels, type)), keeps_(missing == MapOptions::Missing::keep) {
    if (keeps_)
        for (std::size_t label = 0; label < dense_.size(); ++label) dense_[label] = label;
    labels.for_each(type, [&](LabelBits label, std::uint64_t number) {
        if (label < dense_.size()) dense_[std::size_t(label)] = number;
        else others_[label] = number;
    });
}

LabelSet FoundLabels::all() const {
    LabelSet all;
    for (const auto& set : idle_) all.add(*set);
    return all;
}

void find_labels(io::VolumeReader& reader, FoundLabels& found, ThreadPool& pool, ProgressBar& progress) {
    const std::int64_t rows = reader.info().extent.rows(), per_block = rows_per_buffer(reader);
    BlockReader blocks(reader);
    pool.for_each((rows + per_block - 1) / per_block, [&](std::int64_t block) {
        thread_local std::vector<std::byte> raw;
        const RowRange range{block * per_block, std::min(per_block, rows - block * per_block)};
        try {
            if (!blocks.read(block, range, raw)) return;
            collect(raw, reader.info(), found);
        } catch (...) {
            blocks.fail();
            throw;
        }
        progress.update("read", range.end(), rows);
    });
}

std::unique_ptr<LabelConversion> to_new_labels(io::VolumeReader& labels, const LabelMap& map, FoundLabels& found, ScalarType type) {
    return std::make_unique<ToNewLabels>(labels, map, found, type);
}

}  // namespace voxcc
