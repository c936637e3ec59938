// Sizes that the block-run engine and its memory model share.
#pragma once
#include <voxcc/label.h>
#include "kernels3d/engine/request.h"

namespace voxcc::block_runs {

/// Number of shares into which the engine cuts a volume for its threads, at most. There are more shares than threads, so that no thread
/// waits long for another. There are few, because each seam costs time. If the source is read in order, a share is united as soon as it is
/// read. Then shares are smaller, so that less remains to be united when reading ends. Under Rule::gradient, a share is united while its
/// values are in memory, which is while it is read. So rows that are read in order are one share.
constexpr std::int64_t most_shares(Rule rule, RowSource::Access access, int threads) {
    return threads == 1 || (rule == Rule::gradient && access == RowSource::Access::in_order)
               ? 1
               : (access == RowSource::Access::in_order ? 4 : 2) * threads;
}

/// Upper bound of the number of runs per block-row.
/// @param nx columns per row, at least 1
constexpr std::int64_t most_runs_per_row(Rule rule, std::int64_t nx) {
    return rule != Rule::foreground ? nx : (nx + 1) / 2;  // without values, a background voxel separates any two runs
}

/// Whether 32 bits hold all run ids. Each share gets a range of ids for the largest number of runs that its rows can have. The worst case
/// is one run per voxel (multi-label).
constexpr bool ids_fit_32_bits(const Request& request) {
    return std::uint64_t(request.extent.voxels()) < ~std::uint32_t{0} - 64 && request.id_width == Request::IdWidth::automatic;
}

/// See memory_bytes() in voxcc/label.h.
MemoryNeeds memory_bytes(const Request& request, const MemoryConditions& conditions);

}  // namespace voxcc::block_runs
