// The table from which a slab is painted, from the numbers of its components in the volume (seams.h).
#pragma once
#include "kernels3d/engine/seams.h"
#include "kernels3d/exec/executor.h"

#include <algorithm>
#include <span>
#include <vector>

namespace voxcc::block_runs::gpu_slabs {

/// out[k]: the number with which component k of a slab is painted. out[0] is 0.
struct PaintedNumbers {
    const uint32_t *merged, *painted;  // the merged numbers of seams::NumbersOfSlab, and the numbers with which they are painted
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
PaintTable paint_table(Executor& executor, const seams::NumbersOfSlab& slab, uint32_t components, std::span<const uint64_t> final_numbers) {
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

}  // namespace voxcc::block_runs::gpu_slabs
