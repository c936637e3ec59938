// Phase "map": gives the labels of a volume new numbers, and finds the labels that occur, in one pass over the volume.
//
// A label has a slot in a table of numbers. Small labels are their own slots. Larger labels have slots after them, from a hash table that
// first holds the larger labels with a new number, and receives the others when they occur. A mark per slot states whether its label has
// a new number and whether it occurs. If the hash table is too small, the phase runs again with a larger one.
//
//   labels [0 7 7 9], numbers {7: 2}, others become 0   ->   [0 2 2 0], labels that occur: 7, 9
//
// Source: the lookup table of phase "paint" (paint.h), and the hash tables of find_contacts.h. A lane loads and stores up to 16 bytes at
// once. Two or four loads run at the same time, so that the phase takes about as long as a copy of the volume.
#pragma once
#include <voxcc/device.h>
#include "kernels3d/engine/tiles/bus_labels.h"
#include "kernels3d/engine/tiles/key_slots.h"
#include "kernels3d/engine/tiles/label_voxels.h"

#include <numeric>

namespace voxcc::block_runs::tiles {

/// The table of numbers as the phase sees it.
struct NumbersBySlot {
    static constexpr uint8_t has_number = 1, occurs = 2;  // marks
    KeySlots keys;                                        // of labels from `small` on; their slots follow the slots of the small labels
    uint64_t small;                                       // labels below are their own slots
    const uint64_t* numbers;                              // by slot, also for small labels without a new number
    uint8_t* marks;                                       // by slot
    bool keeps;                                           // whether labels without a new number keep their number; else they become 0

    VOXCC_HD uint32_t slot_of(uint64_t label) const {
        if (label < small) return uint32_t(label);
        const uint32_t slot = keys.slot_of(label);
        return slot == KeySlots::none ? slot : uint32_t(small) + slot;
    }
    /// The new number of a label. Marks that the label occurs.
    VOXCC_HD uint64_t number_of(uint64_t label) const {
        const uint32_t slot = slot_of(label);
        if (slot == KeySlots::none) return 0;
        const uint8_t mark = exec::load(marks + slot);
        if (!(mark & occurs)) exec::store(marks + slot, uint8_t(mark | occurs));  // other lanes can only store the same
        if (label < small || mark & has_number) return numbers[slot];
        return keeps ? label : 0;
    }
};

/// Gives the larger labels of the table their slots and numbers.
struct InsertNumbers {
    NumbersBySlot to;
    const uint64_t *labels, *new_numbers;
    uint64_t* numbers;  // to.numbers
    VOXCC_HD void operator()(std::int64_t i) const {
        const uint32_t slot = to.slot_of(labels[i]);
        if (slot == KeySlots::none) return;
        numbers[slot] = new_numbers[i];
        to.marks[slot] = NumbersBySlot::has_number;
    }
};

/// Phase functor.
/// @tparam Label, Number unsigned types, as wide as the labels and the new numbers
/// @tparam Width labels per load; both volumes are aligned for as many elements
template <class Label, class Number, int Width>
struct MapLabels {
    static constexpr int lanes = 256, at_once = Width <= 4 ? 4 : 2, resident = 4;
    static constexpr int64_t tile_voxels = int64_t(lanes) * at_once * Width;
    struct Shared {};
    template <class T>
    struct alignas(sizeof(T) * Width) Several {
        T values[Width];
    };

    const Label* labels;
    Number* out;
    int64_t count;
    NumbersBySlot numbers;

    /// The last label of a lane, and its number: neighbours often have the same label.
    struct Known {
        Label label = 0;
        Number number = 0;
    };
    VOXCC_HD Number number_of(Known& known, Label label) const {
        if (label != known.label) known = {label, label == 0 ? Number(0) : Number(numbers.number_of(label))};
        return known.number;
    }

    template <class Tile>
    VOXCC_HD void operator()(Tile& tile, std::int64_t t) const {
        tile.each([&](int lane) {
            Several<Label> loaded[at_once];
            Known known;
            const auto place = [&](int k) { return t * tile_voxels + (int64_t(k) * lanes + lane) * Width; };
            VOXCC_UNROLL
            for (int k = 0; k < at_once; ++k)
                if (place(k) + Width <= count) loaded[k] = *reinterpret_cast<const Several<Label>*>(labels + place(k));
            VOXCC_UNROLL
            for (int k = 0; k < at_once; ++k) {
                const int64_t first = place(k);
                if (first + Width <= count) {
                    Several<Number> mapped;
                    VOXCC_UNROLL
                    for (int i = 0; i < Width; ++i) mapped.values[i] = number_of(known, loaded[k].values[i]);
                    *reinterpret_cast<Several<Number>*>(out + first) = mapped;
                } else {
                    for (int64_t i = first; i < count; ++i) out[i] = number_of(known, labels[i]);
                }
            }
        });
    }
};

/// Runs the phase, with wide loads if the addresses allow them.
template <class Label, class Number, class Executor>
void map_voxels(Executor& executor, const void* labels, void* out, int64_t count, const NumbersBySlot& numbers) {
    constexpr int width = 16 / int(std::max(sizeof(Label), sizeof(Number)));
    const auto run = [&]<int Width> {
        using Phase = MapLabels<Label, Number, Width>;
        executor.template for_each_tile<Phase::lanes, typename Phase::Shared>(
            "map", (count + Phase::tile_voxels - 1) / Phase::tile_voxels,
            Phase{static_cast<const Label*>(labels), static_cast<Number*>(out), count, numbers});
    };
    const auto is_aligned = [](const void* p, std::size_t bytes) { return reinterpret_cast<std::uintptr_t>(p) % bytes == 0; };
    if (is_aligned(labels, sizeof(Label) * width) && is_aligned(out, sizeof(Number) * width)) run.template operator()<width>();
    else run.template operator()<1>();
}

/// The table of numbers in host memory.
struct SplitNumbers {
    /// The largest number of small labels. It follows from the length of the table, because an entry per possible label can take longer
    /// than the volume.
    static uint64_t most_small(std::size_t labels) { return std::clamp<uint64_t>(8 * labels, 1 << 16, 1 << 24); }
    static constexpr uint64_t least_small = 1 << 12;
    std::vector<uint64_t> small;                        // new numbers, by label
    std::vector<uint64_t> large_labels, large_numbers;  // low bits of the other labels, and their new numbers

    /// @param type of the labels of the volume. Labels of the table that the type cannot hold are left out
    SplitNumbers(const NewNumbers& table, ScalarType type) {
        uint64_t end = least_small;
        const auto for_each = [&](const auto& use) {
            visit_scalar(type, [&]<class T>(std::type_identity<T>) {
                if constexpr (std::is_integral_v<T>)
                    for (std::size_t i = 0; i < table.labels.size(); ++i)
                        if (const auto label = T(table.labels[i]); label != 0 && value_bits(label) == table.labels[i])
                            use(uint64_t(std::make_unsigned_t<T>(label)), table.numbers[i]);
            });
        };
        for_each([&](uint64_t label, uint64_t) {
            if (label < most_small(table.labels.size())) end = std::max(end, label + 1);
        });
        small.resize(end, 0);
        if (table.missing == NewNumbers::Missing::keep) std::iota(small.begin(), small.end(), 0);
        for_each([&](uint64_t label, uint64_t number) {
            if (label < end) small[label] = number;
            else large_labels.push_back(label), large_numbers.push_back(number);
        });
    }
};

/// Gives labels new numbers. Memory: 9 bytes per small label, and at least 68 bytes per larger label.
/// @param out receives one number per voxel: the low bits of the new number
/// @param type of the new numbers, an integer type
/// @return the labels that occur, without 0, as 64-bit patterns, in any order
/// @throw Error device_memory; unsupported_by_device if there are more than about 2^29 labels beside the small ones
template <class Executor>
std::vector<uint64_t> map_labels(Executor& executor, const LabelVoxels& labels, const NewNumbers& table, void* out, ScalarType type) {
    constexpr uint64_t growth = 8, least = 1 << 10;
    const SplitNumbers split(table, labels.type);
    const auto small = int64_t(split.small.size()), large = int64_t(split.large_labels.size());
    for (auto expected = uint64_t(large);; expected = std::max(expected, least) * growth) {
        const KeyTable keys(executor, expected, "map");
        exec::Array<uint64_t> numbers(executor.memory(), small + keys.capacity()), large_labels(executor.memory(), large),
            large_numbers(executor.memory(), large);
        exec::Array<uint8_t> marks(executor.memory(), numbers.size());
        executor.send("map", split.small.data(), numbers, 0, small);
        executor.send("map", split.large_labels.data(), large_labels, 0, large);
        executor.send("map", split.large_numbers.data(), large_numbers, 0, large);
        executor.fill("map", marks, uint8_t{0});
        const NumbersBySlot by_slot{keys.slots(), uint64_t(small), numbers.data(), marks.data(),
                                    table.missing == NewNumbers::Missing::keep};
        executor.for_each("map", large, InsertNumbers{by_slot, large_labels.data(), large_numbers.data(), numbers.data()});
        visit_label(int(size_of(labels.type)), [&]<class Label> {
            visit_label(int(size_of(type)),
                        [&]<class Number> { map_voxels<Label, Number>(executor, labels.labels, out, labels.count, by_slot); });
        });
        const KeyTable::State state = keys.state(executor);
        if (state.is_full) continue;
        const std::vector<uint8_t> occurs = executor.fetch(marks);
        const std::vector<uint64_t> by_key = state.keys > 0 ? executor.fetch(keys.keys()) : std::vector<uint64_t>();
        std::vector<uint64_t> found;
        const std::size_t end = std::size_t(small) + by_key.size();
        for (std::size_t slot = 0; slot < end; ++slot)
            if (occurs[slot] & NumbersBySlot::occurs)
                found.push_back(label_of_bits(slot < std::size_t(small) ? slot : by_key[slot - std::size_t(small)], labels.type));
        return found;
    }
}

}  // namespace voxcc::block_runs::tiles
