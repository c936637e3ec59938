// The runs of a volume: all data that numbering, measuring and painting need after the voxels are packed.
#pragma once
#include <voxcc/source.h>
#include <voxcc/threads.h>
#include <voxcc/volume.h>
#include "kernels3d/base/buffer.h"
#include "kernels3d/engine/cpu/contacts.h"
#include "kernels3d/simd/isa.h"

#include <bit>
#include <vector>

namespace voxcc::block_runs {

using std::int64_t;
using std::uint32_t;
using std::uint64_t;

/// How a volume is cut into block-rows. A layer is all block-rows at the same z. Block-row i is number i % rows of layer i / rows.
struct Layout {
    Extent extent;
    int rows_y = 1, rows_z = 1;
    int64_t words = 0;  // 64-bit words per row
    int64_t rows = 0;   // block-rows per layer
    int64_t layers = 0;

    Layout() = default;
    Layout(const Extent& e, int ry, int rz)
        : extent(e), rows_y(ry), rows_z(rz), words(words_of(e.nx)), rows((e.ny + ry - 1) / ry), layers((e.nz + rz - 1) / rz) {}
    int64_t block_rows() const { return rows * layers; }
};

/// Pointers to the data of one block-row.
template <class Id>
struct BlockRow {
    const uint64_t* bits;    // [row of the cross-section][word]
    const uint64_t* starts;  // [word] columns in which a run starts
    const Id* before;        // [word] id of the last run that starts before the word
};

/// The share of a thread: block-rows [first, end), which one thread packs and unites. Its runs have the ids [first_id, end_id).
template <class Id>
struct Share {
    int64_t first = 0, end = 0;
    Id first_id = 0, end_id = 0;
    Id counted_id = 0;  // RunLabelling has taken memory for the runs [first_id, counted_id)
};

/// Bits, runs and forest of a volume. Run ids ascend with block-row and column, with gaps between shares. Id 0 means "no run". After
/// phase "unite" the parents form a forest, and the root of a component is its first run.
template <class Id>
struct Runs {
    Layout layout;
    std::vector<Share<Id>> shares;     // in the order of their block-rows
    Buffer<uint64_t> bits, starts;     // [block-row][row of the cross-section][word]; [block-row][word]
    Buffer<Id> before, parent, label;  // [block-row][word]; [run id]; [run id]
    int64_t most_runs = 0;             // upper bound of the number of runs per block-row

    /// @param most_runs_per_row upper bound of the number of runs per block-row
    /// @param share_count number of shares wanted; there are fewer if the volume has fewer units of `share_multiple` block-rows
    /// @param share_multiple every share starts at a multiple of this number of block-rows
    Runs(const Layout& l, int64_t most_runs_per_row, int64_t share_count, int64_t share_multiple)
        : layout(l), most_runs(most_runs_per_row) {
        const int64_t units = (l.block_rows() + share_multiple - 1) / share_multiple;
        share_count = std::min(share_count, units);
        for (int64_t s = 0; s < share_count; ++s) {
            const int64_t first = units * s / share_count * share_multiple;
            const int64_t end = std::min(units * (s + 1) / share_count * share_multiple, l.block_rows());
            const Id id = Id(uint64_t(first) * uint64_t(most_runs_per_row) + 1);
            shares.push_back({first, end, id, id, id});
        }
        const std::size_t words = std::size_t(l.block_rows() * l.words), guard = 8;
        const std::size_t ids = std::size_t(l.block_rows() * most_runs_per_row) + 1 + guard;
        bits = Buffer<uint64_t>(words * std::size_t(l.rows_y * l.rows_z) + guard);
        starts = Buffer<uint64_t>(words + guard);
        before = Buffer<Id>(words + guard);
        parent = Buffer<Id>(ids);
        label = Buffer<Id>(ids);
        begin_on_small_pages(parent), begin_on_small_pages(label);
    }
    /// Puts the start of each share in an array indexed by run id on small pages. The ids of two shares are far apart, so each share
    /// would waste most of a huge page. Smooth volumes use less than 2 MiB of the ids of a share. A small share is put on small pages
    /// completely.
    template <class T>
    void begin_on_small_pages(Buffer<T>& array, std::size_t elements_per_run = 1) const {
        constexpr std::size_t few = std::size_t{2} << 20;
        for (const Share<Id>& share : shares) {
            const std::size_t most = std::size_t((share.end - share.first) * most_runs) * elements_per_run * sizeof(T);
            array.use_small_pages(std::size_t(share.first_id) * elements_per_run, most <= 8 * few ? most : few);
        }
    }

    BlockRow<Id> row(int64_t block_row) const {
        const int64_t at = block_row * layout.words;
        return {bits.data() + at * layout.rows_y * layout.rows_z, starts.data() + at, before.data() + at};
    }
    /// Id of the first run of a block-row. If the block-row has no run, the id that its first run would have.
    Id first_id(int64_t block_row) const { return before[std::size_t(block_row * layout.words)] + 1; }
    /// One past the last run id of a block-row, which must belong to the share.
    Id end_id(const Share<Id>& share, int64_t block_row) const {
        return block_row + 1 < share.end ? first_id(block_row + 1) : share.end_id;
    }

    /// The words for the bits of input row (y, z), which the caller must fill.
    uint64_t* row_bits(int64_t y, int64_t z) {
        const int64_t block_row = z / layout.rows_z * layout.rows + y / layout.rows_y;
        const int64_t r = z % layout.rows_z * layout.rows_y + y % layout.rows_y;
        return bits.data() + (block_row * layout.rows_y * layout.rows_z + r) * layout.words;
    }
    /// Copies the bits of n rows of one slice, from input row (y, z) on.
    void copy_rows(const uint64_t* packed, int64_t n, int64_t y, int64_t z) {
        const int64_t words = layout.words, own = layout.rows_y * words, next = own * layout.rows_z;
        uint64_t* const first = row_bits(y - y % layout.rows_y, z);
        for (int64_t w = 0; w < words; ++w) {  // not row by row: for short rows, a call that copies memory takes longer
            uint64_t* to = first + w;
            int64_t in_block = y % layout.rows_y * words;
            for (int64_t i = 0; i < n; ++i) {
                to[in_block] = packed[i * words + w];
                in_block += words;
                if (in_block == own) in_block = 0, to += next;
            }
        }
    }
};

}  // namespace voxcc::block_runs
