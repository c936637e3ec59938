#include "src/pipeline/labelled_holes.h"

#include <voxcc/source.h>

#include <algorithm>

namespace voxcc {
namespace {

constexpr std::int64_t rows_per_task = 64;

/// The keys of the components: see labelled_holes.h.
struct ComponentKeys {
    std::vector<std::uint64_t> by_number;  // by number - 1
    HoleKeys keys;
};

ComponentKeys keys_of(const Labelling& labelling, Rule rule) {
    ComponentKeys of;
    of.by_number.resize(std::size_t(labelling.count()));
    if (rule != Rule::equal_values) {
        for (std::size_t k = 0; k < of.by_number.size(); ++k) of.by_number[k] = k + 1;
        return of;
    }
    const std::vector<std::uint64_t> values = labelling.source_values();
    of.keys.values = values;
    std::ranges::sort(of.keys.values);
    of.keys.values.erase(std::unique(of.keys.values.begin(), of.keys.values.end()), of.keys.values.end());
    for (std::size_t k = 0; k < values.size(); ++k)
        of.by_number[k] = std::uint64_t(std::ranges::lower_bound(of.keys.values, values[k]) - of.keys.values.begin()) + 1;
    return of;
}

/// Makes the voxels of filled holes foreground if they are in VolumeBits::mask, or if VolumeBits::mask is empty.
void set_holes(VolumeBits& held, const LabelHoles& holes, ThreadPool& pool) {
    const auto set = [&]<class Key>(std::type_identity<Key>) {
        Key* const keys = reinterpret_cast<Key*>(held.values.data());
        pool.for_each((held.extent.rows() + rows_per_task - 1) / rows_per_task, [&](std::int64_t task) {
            for (std::int64_t row = task * rows_per_task; row < std::min((task + 1) * rows_per_task, held.extent.rows()); ++row)
                holes.for_each_run(row, LabelHoles::Filling::one_label, [&](const HoleRun& run, std::uint64_t key) {
                    for (std::int64_t x = run.first; x < run.end; ++x) {
                        const std::size_t word = std::size_t(row * held.words + x / 64);
                        const std::uint64_t bit = std::uint64_t{1} << x % 64;
                        if (!held.mask.empty() && !(held.mask[word] & bit)) continue;
                        held.bits[word] |= bit;
                        keys[row * held.extent.nx + x] = Key(key);
                    }
                });
        });
    };
    if (held.value_type == ScalarType::u32) set(std::type_identity<std::uint32_t>{});
    else set(std::type_identity<std::uint64_t>{});
}

}  // namespace

std::vector<std::uint64_t> HoleKeys::values_of(std::vector<std::uint64_t> keys) const {
    if (values.empty()) return {};
    for (std::uint64_t& key : keys) key = values[std::size_t(key - 1)];
    return keys;
}

ScalarType key_type(const Extent& extent) { return extent.voxels() < std::int64_t{0xffffffff} ? ScalarType::u32 : ScalarType::u64; }

HoleKeys fill_labelled_holes(VolumeBits& held, const Question& question, const HoleRule& rule, const Execution& execution, ThreadPool& pool,
                             MemoryLimit* memory) {
    ComponentKeys of;
    {
        VolumeBitsSource source(held);
        const auto labelling = label(source, held.extent, question, execution);
        of = keys_of(*labelling, question.rule);
        held.value_type = key_type(held.extent);
        std::vector<std::byte> keys(std::size_t(held.extent.voxels() * size_of(held.value_type)));
        const std::int64_t row_bytes = held.extent.nx * size_of(held.value_type);
        labelling->prepare_paint(held.value_type, of.by_number);
        pool.for_each((held.extent.rows() + rows_per_task - 1) / rows_per_task, [&](std::int64_t task) {
            const std::int64_t first = task * rows_per_task, count = std::min(rows_per_task, held.extent.rows() - first);
            labelling->paint({first, count}, keys.data() + first * row_bytes, Stores::cached);
        });
        held.values = std::move(keys);
    }
    VolumeBitsSource source(held);
    const LabelHoles holes(source, held.extent, rule, {.pool = &pool, .memory = memory});
    set_holes(held, holes, pool);
    return of.keys;
}

}  // namespace voxcc
