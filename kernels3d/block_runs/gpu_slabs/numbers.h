// Turns the numbers of components in slabs into numbers in the volume.
//
// A piece is the part of a component in one slab. Each slab numbers its pieces by first voxel, and slabs follow each other in raster
// order. So the first piece of a component in (slab, number) order contains its first voxel. This also holds where slabs touch around the
// ends of z. A first piece gets its index minus the number of merged pieces before it. All other pieces are merged: they get the number
// of their first piece. The host examines only pieces that touch a face.
//
//   slab 0: pieces 1 2 3, slab 1: pieces 1 2, touching pair {2, 1}
//   slab 0  ->  1 2 3, slab 1  ->  2 4
#pragma once
#include "kernels3d/block_runs/gpu_slabs/faces.h"
#include "kernels3d/union_find.h"

#include <algorithm>
#include <span>
#include <vector>

namespace voxcc::block_runs::slabs {

/// Maps the numbers of a slab to numbers of the volume.
struct SlabNumbers {
    uint64_t before = 0;            // number of components that start in earlier slabs
    std::vector<uint32_t> merged;   // numbers in the slab of merged pieces, ascending
    std::vector<uint64_t> becomes;  // the numbers of these pieces in the volume

    /// The number in the volume of a component of the slab.
    /// @param number in the slab, at least 1
    uint64_t of(uint32_t number) const {
        const auto at = std::size_t(std::lower_bound(merged.begin(), merged.end(), number) - merged.begin());
        return at < merged.size() && merged[at] == number ? becomes[at] : before + number - at;
    }
};

/// The numbers of all slabs of a volume.
struct VolumeNumbers {
    std::vector<SlabNumbers> slabs;
    uint64_t count = 0;  // number of components in the volume
};

/// Numbers the components of a volume.
/// @param counts number of components per slab
/// @param pairs [s]: touching pairs between slab s and the slab before. The slab before slab 0 is the last slab, if the volume wraps
///     around
inline VolumeNumbers number_slabs(std::span<const uint32_t> counts, std::span<const std::vector<TouchingPair>> pairs) {
    std::vector<uint64_t> before(counts.size() + 1);  // number of pieces in earlier slabs; before[s] + number identifies a piece
    for (std::size_t s = 0; s < counts.size(); ++s) before[s + 1] = before[s] + counts[s];
    const auto for_each_contact = [&](const auto& use) {
        for (std::size_t s = 0; s < counts.size(); ++s)
            for (const TouchingPair& pair : pairs[s]) use(before[(s > 0 ? s : counts.size()) - 1] + pair.below, before[s] + pair.above);
    };
    std::vector<uint64_t> pieces;  // pieces that touch others, ascending
    for_each_contact([&](uint64_t a, uint64_t b) { pieces.insert(pieces.end(), {a, b}); });
    std::sort(pieces.begin(), pieces.end());
    pieces.erase(std::unique(pieces.begin(), pieces.end()), pieces.end());
    const auto id_of = [&](uint64_t piece) { return std::size_t(std::lower_bound(pieces.begin(), pieces.end(), piece) - pieces.begin()); };
    std::vector<std::size_t> parent(pieces.size());
    for (std::size_t id = 0; id < parent.size(); ++id) parent[id] = id;
    for_each_contact([&](uint64_t a, uint64_t b) { unite(parent.data(), id_of(a), id_of(b)); });

    VolumeNumbers numbers;
    std::vector<uint64_t> number(pieces.size());
    uint64_t merged = 0;
    std::size_t id = 0;
    for (std::size_t s = 0; s < counts.size(); ++s) {
        SlabNumbers& slab = numbers.slabs.emplace_back();
        slab.before = before[s] - merged;
        for (; id < pieces.size() && pieces[id] <= before[s + 1]; ++id) {
            if (parent[id] == id) {
                number[id] = pieces[id] - merged;
                continue;
            }
            number[id] = number[parent[id]];
            slab.merged.push_back(uint32_t(pieces[id] - before[s]));
            slab.becomes.push_back(number[id]);
            ++merged;
        }
    }
    numbers.count = before.back() - merged;
    return numbers;
}

/// out[k]: the number with which component k of a slab is painted. out[0] is 0.
struct PaintedNumbers {
    const uint32_t *merged, *painted;  // the merged numbers of SlabNumbers, and the numbers with which they are painted
    uint32_t count;                    // number of merged numbers
    const uint32_t* own;               // painted numbers of the other components, in order; null: first_own, first_own + 1, ..
    uint32_t first_own, *out;

    VOXCC_HD void operator()(int64_t k) const {
        if (k == 0) {
            out[0] = 0;
            return;
        }
        uint32_t at = 0;  // number of merged numbers below k
        for (uint32_t end = count; at < end;) {
            const uint32_t middle = at + (end - at) / 2;
            if (merged[middle] < uint32_t(k)) at = middle + 1;
            else end = middle;
        }
        const uint32_t i = uint32_t(k) - 1 - at;
        out[k] = at < count && merged[at] == uint32_t(k) ? painted[at] : own ? own[i] : first_own + i;
    }
};

/// The numbers with which the components of a slab are painted.
struct PaintTable {
    exec::Array<uint32_t> sent;     // in staging memory: the input of `numbers`; must stay until the executor is done
    exec::Array<uint32_t> numbers;  // in the memory of the executor; entry k for number k, entry 0 is 0
};
/// Makes the paint table of a slab. On a GPU it may return before the table is complete.
/// @param components number of components in the slab
/// @param final_numbers by number in the volume - 1, all below 2^32; empty: numbers stay as they are
template <class Executor>
PaintTable paint_table(Executor& executor, const SlabNumbers& slab, uint32_t components, std::span<const uint64_t> final_numbers) {
    const std::size_t merged = slab.merged.size(), own = final_numbers.empty() ? 0 : components - merged;
    std::vector<uint32_t> values(slab.merged);
    for (const uint64_t number : slab.becomes) values.push_back(uint32_t(final_numbers.empty() ? number : final_numbers[number - 1]));
    for (const uint64_t number : final_numbers.subspan(own > 0 ? slab.before : 0, own)) values.push_back(uint32_t(number));
    exec::Array<uint32_t> there(executor.memory(), int64_t(values.size()));
    PaintTable table{{executor.staging(), int64_t(values.size())}, {executor.memory(), int64_t(components) + 1}};
    std::copy(values.begin(), values.end(), table.sent.data());
    if (!values.empty()) executor.send("upload", table.sent.data(), there, 0, there.size());
    executor.for_each("paint", table.numbers.size(),
                      PaintedNumbers{there.data(), there.data() + merged, uint32_t(merged), own > 0 ? there.data() + 2 * merged : nullptr,
                                     uint32_t(slab.before + 1), table.numbers.data()});
    return table;
}

}  // namespace voxcc::block_runs::slabs
