#include "src/pipeline/label_map.h"

#include "src/messages/progress.h"
#include "src/pipeline/input.h"
#include "src/pipeline/shape_values.h"
#include "src/pipeline/size_limits.h"

#include <algorithm>
#include <bit>

namespace voxcc {
namespace {

/// The number of labels for which an array has one entry each, a power of two from 2^16 on: all labels below 2^26, if the table has a part
/// of them.
std::size_t dense_labels(const NewLabels& labels, ScalarType type) {
    constexpr std::uint64_t per_row = 16, least = 1 << 16;
    const std::uint64_t most = std::min<std::uint64_t>(LabelSet::most_dense, per_row * labels.size() + least);
    std::uint64_t largest = 0;
    labels.for_each(type, [&](LabelBits label, std::uint64_t) {
        if (label < most) largest = std::max(largest, label);
    });
    return std::bit_ceil(std::size_t(std::max(largest + 1, least)));
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

/// Visits the voxels in ascending order, some at a time. No call has a branch per voxel, except `single`. The loops over a step are
/// compiled to vector instructions.
/// @param dense a power of two
/// @param repeated called as repeated(first, end) if all voxels have the label of voxel first - 1
/// @param small called as small(first, end) if all labels are in [0, dense)
/// @param single called as single(at) for other voxels
template <class T, class Repeated, class Small, class Single>
void for_each_step(const T* labels, std::size_t count, std::size_t dense, const Repeated& repeated, const Small& small,
                   const Single& single) {
    // 512^3 u32 with 5,517 lesions, blocks of 1 MiB: 16 voxels 0.058 s, 32 voxels 0.045 s (AMD EPYC, baseline x86-64, 2026-11-30).
    constexpr std::size_t voxels_per_step = 32;
    std::size_t at = 0;
    for (; at + voxels_per_step <= count; at += voxels_per_step) {
        const T before = labels[at == 0 ? 0 : at - 1];
        T difference = 0, all = 0;
        for (std::size_t i = 0; i < voxels_per_step; ++i) difference |= T(labels[at + i] ^ before);
        if (difference == 0 && at > 0) {
            repeated(at, at + voxels_per_step);
            continue;
        }
        for (std::size_t i = 0; i < voxels_per_step; ++i) all |= labels[at + i];
        if (LabelBits(std::int64_t(all)) < dense) small(at, at + voxels_per_step);
        else
            for (std::size_t i = 0; i < voxels_per_step; ++i) single(at + i);
    }
    for (; at < count; ++at) single(at);
}

void collect(std::span<const std::byte> raw, const io::VolumeInfo& info, FoundLabels& found) {
    constexpr std::size_t dense = 1 << 16;
    found.with_set([&](LabelSet& set) {
        std::uint8_t* const marks = set.marks(dense);
        visit_stored(raw, info, [&](const auto* labels, std::size_t count) {
            for_each_step(
                labels, count, dense, [](std::size_t, std::size_t) {},
                [&](std::size_t first, std::size_t end) {
                    for (std::size_t i = first; i < end; ++i) marks[std::size_t(labels[i])] = 1;
                },
                [&](std::size_t at) {
                    if (labels[at] != 0 && (at == 0 || labels[at] != labels[at - 1])) set.add(LabelBits(std::int64_t(labels[at])));
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

/// Writes the new numbers of labels. @param found receives the labels
template <class T>
void renumber(const T* labels, std::size_t count, const OutputNumbers& numbers, std::byte* out, LabelSet& found) {
    visit_unsigned(size_of(numbers.type), [&]<class To>(std::type_identity<To>) {
        auto* const to = reinterpret_cast<To*>(out);
        const std::span<const std::uint64_t> table = numbers.map.dense();
        std::uint8_t* const marks = found.marks(table.size());
        for_each_step(
            labels, count, table.size(), [&](std::size_t first, std::size_t end) { std::fill(to + first, to + end, to[first - 1]); },
            [&](std::size_t first, std::size_t end) {
                for (std::size_t i = first; i < end; ++i) {
                    const auto label = std::size_t(labels[i]);
                    to[i] = To(table[label]);
                    marks[label] = 1;
                }
            },
            [&](std::size_t at) {
                if (at > 0 && labels[at] == labels[at - 1]) {
                    to[at] = to[at - 1];
                    return;
                }
                const auto label = LabelBits(std::int64_t(labels[at]));
                if (label != 0) found.add(label);
                to[at] = To(numbers.map(label));
            });
    });
}

class ToNewLabels final : public LabelConversion {
public:
    ToNewLabels(io::VolumeReader& labels, const OutputNumbers& numbers, FoundLabels& found, const LabelHoles* holes)
        : info_(labels.info()), reader_(labels), numbers_(numbers), found_(found), holes_(holes) {}

    bool read(std::int64_t block, RowRange rows, std::vector<std::byte>& to) override { return reader_.read(block, rows, to); }

    void convert(const LabelSpan& span, std::span<const std::byte> read, std::byte* out) const override {
        found_.with_set([&](LabelSet& set) {
            visit_stored(read, info_, [&](const auto* labels, std::size_t count) { renumber(labels, count, numbers_, out, set); });
        });
        if (holes_) holes_->fill(span.rows, LabelHoles::Filling::one_label, numbers_.type, out);
    }

    void fail() override { reader_.fail(); }

private:
    const io::VolumeInfo& info_;
    BlockReader reader_;
    OutputNumbers numbers_;
    FoundLabels& found_;
    const LabelHoles* holes_;
};

/// The slices of a slab in which holes are found. 0: the volume fits in the memory.
std::int64_t slices_per_slab(const Extent& extent, const Question& background, const MapOptions& options, const ThreadPool& pool) {
    const std::optional<std::int64_t> limit = options.max_memory ? options.max_memory : machine_memory();
    MemoryConditions conditions{.threads = pool.size(), .access = RowSource::Access::in_order};
    const auto fits = [&] {
        const MemoryNeeds needs = memory_bytes(extent, background, conditions);
        return !limit || needs.bits + needs.index + needs.faces + needs.runs_smooth <= *limit / 2;
    };
    if (fits()) return 0;
    const std::int64_t layer = slices_per_layer(extent, background);
    for (conditions.slices_per_slab = extent.nz / 2 / layer * layer; conditions.slices_per_slab > layer;
         conditions.slices_per_slab = conditions.slices_per_slab / 2 / layer * layer)
        if (fits()) return conditions.slices_per_slab;
    return layer;
}

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

RenumberedLabels::RenumberedLabels(io::VolumeReader& reader, const OutputNumbers& numbers, std::function<void(std::int64_t)> on_rows)
    : LabelSource(numbers.type, reader.info().extent.nx, Access::in_order),
      labels_(reader, std::move(on_rows)),
      numbers_(numbers),
      nx_(reader.info().extent.nx) {}

const std::byte* RenumberedLabels::fetch(RowRange rows, std::vector<std::byte>& buffer) {
    const std::byte* const from = labels_.fetch(rows, raw_);
    buffer.resize(std::size_t(rows.count * row_bytes()));
    visit_scalar(labels_.value_type(), [&]<class T>(std::type_identity<T>) {
        if constexpr (std::is_integral_v<T>)
            renumber(reinterpret_cast<const T*>(from), std::size_t(rows.count * nx_), numbers_, buffer.data(), found_);
    });
    return buffer.data();
}

std::unique_ptr<LabelHoles> find_label_holes(io::VolumeReader& reader, const OutputNumbers& numbers, const MapOptions& options,
                                             ThreadPool& pool, ProgressBar& progress) {
    const io::VolumeInfo& info = reader.info();
    const ShapeRequest request = shape_request(options.connectivity, info, Units::voxel);
    HoleRule rule{{.connectivity = request.connectivity}, info.extent};
    if (options.max_hole)
        rule.most_voxels = voxels_of(*options.max_hole, info, space_of_components(rule.connectivity, info), Axis::z, Round::down);
    RenumberedLabels labels(reader, numbers, [&](std::int64_t rows) { progress.update("holes", rows, info.extent.rows()); });
    const std::int64_t slices = slices_per_slab(info.extent, background_question(info.extent, rule), options, pool);
    auto holes = std::make_unique<LabelHoles>(labels, info.extent, rule,
                                              Execution{.pool = &pool, .slices_per_slab = slices, .subject = options.labels});
    labels.rewind();
    return holes;
}

std::unique_ptr<LabelConversion> to_new_labels(io::VolumeReader& labels, const OutputNumbers& numbers, FoundLabels& found,
                                               const LabelHoles* holes) {
    return std::make_unique<ToNewLabels>(labels, numbers, found, holes);
}

}  // namespace voxcc
