// Rows of a source as bits, by equal values the values of the voxels beside them: input of the tile engine, in host memory.
#pragma once
#include <voxcc/label.h>

#include <functional>

namespace voxcc::block_runs::tiles {

/// Called with n when the first n rows are packed: by one thread at a time, n ascending.
using RowsPacked = std::function<void(std::int64_t n)>;

/// Packs all rows of a source.
/// @param bits [extent.rows()][ceil(nx / 64)]
void pack_rows(RowSource& source, const Extent& extent, ThreadPool& pool, std::uint64_t* bits, const RowsPacked& packed);

/// The same, with values of the source's type T.
/// @param values [extent.rows()][nx] of WordOf<T>, the low bits of value_bits()
void pack_rows_and_values(RowSource& source, const Extent& extent, ThreadPool& pool, std::uint64_t* bits, std::byte* values,
                          const RowsPacked& packed);

}  // namespace voxcc::block_runs::tiles
