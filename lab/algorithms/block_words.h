// What the label volume holds for a block while the volume is labelled: the label of the block and its information word.
//
// Source: Allegretti, Bolelli, Grana, "Optimized block-based algorithms to label connected components on GPUs", 2019, sections 5.1 to 5.3,
// table 1 and figure 8. The word F is ours: the numbering (number_blocks.h) needs it.
//
//   slice z  L I   slice z + 1  . .     L  label: the tree of the block
//            F .                . S     I  information: bits 0..7 inner voxels in raster order, bits 8..20 earlier blocks to unite with
//                                       F  the first voxel of the component, in blocks that can become roots
//                                       S  the information word of the next block on the diagonal, if that block is a single voxel
// Blocks at the far faces of odd extents have fewer words: 4, 2 or 1. L is the first word of a block, I the second, F the third, and S the
// last of at least 4 words. A block of 2 words needs no F: all other blocks of its layer that can have it as root lie behind it in
// raster order, voxel by voxel. A block of a single voxel has no I. The voxel itself is then read in place of the inner voxels.
#pragma once
#include "lab/algorithms/blocks.h"

namespace voxcc::algorithms {

/// The inner voxels of a block as bits. Bit i is voxel i of the block in raster order: bit 0 is (0, 0, 0), bit 6 of a 2x2x2 block (0, 1,
/// 1).
using InnerVoxels = std::uint32_t;
inline constexpr int inner_bits = 8;

template <Connectivity K>
struct BlockWords {
    using B = Blocks<K>;
    /// Whether the order of the blocks is the order of their voxels. Blocks need no F then.
    static constexpr bool order_is_raster = B::shape.y == 1 && B::shape.z == 1;

    VoxelView view;
    exec::Pointer<std::uint32_t> labels;

    /// The inner voxels among the voxels of the cube.
    VOXCC_HD static InnerVoxels inner_of(Cube cube) {
        InnerVoxels inner = 0;
        VOXCC_UNROLL
        for (int i = 0; i < int(B::shape.x * B::shape.y * B::shape.z); ++i) {
            const int x = i % int(B::shape.x), y = i / int(B::shape.x) % int(B::shape.y), z = i / int(B::shape.x * B::shape.y);
            inner |= InnerVoxels(cube >> cube_bit(x, y, z) & 1) << i;
        }
        return inner;
    }
    /// The index of a voxel of the block whose first voxel is v.
    /// @param place the bit of the voxel in InnerVoxels
    VOXCC_HD std::uint32_t voxel_at(const exec::Cell& v, std::uint32_t place) const {
        const std::uint32_t x = place % B::shape.x, y = place / B::shape.x % B::shape.y, z = place / (B::shape.x * B::shape.y);
        return std::uint32_t(view.at(v.x + x, v.y + y, v.z + z));
    }
    /// The index of the first foreground voxel of a block. `inner` must not be 0.
    VOXCC_HD std::uint32_t first_voxel(const exec::Cell& v, InnerVoxels inner) const {
        return voxel_at(v, std::uint32_t(exec::lowest_bit(inner)));
    }
    VOXCC_HD exec::Cell cell_of(std::uint32_t word) const {
        return {word % view.size.x, word / view.size.x % view.size.y, word / view.size.x / view.size.y};
    }

    /// The index of word L of a block.
    VOXCC_HD std::int64_t label_word(const exec::Cell& block) const {
        const exec::Cell v = B::first_voxel(block);
        return view.at(v.x, v.y, v.z);
    }
    /// The index of word I of the block whose first voxel is v; -1 if the block is a single voxel.
    VOXCC_HD std::int64_t information_word(const exec::Cell& v) const {
        const std::int64_t at = view.at(v.x, v.y, v.z);
        if (v.x + 1 < view.size.x) return at + 1;
        if (has_row(v)) return at + view.size.x;
        if (has_slice(v)) return at + slice();
        return -1;
    }
    /// The index of word F; -1 if the block needs none.
    VOXCC_HD std::int64_t first_voxel_word(const exec::Cell& v) const {
        if (order_is_raster) return -1;
        const std::int64_t at = view.at(v.x, v.y, v.z);
        const bool column = v.x + 1 < view.size.x, row = has_row(v);
        if (column && row) return at + view.size.x;
        return (column || row) && has_slice(v) ? at + slice() : -1;
    }
    /// The index of word S of the block before the block whose first voxel is v, which must be a single voxel; -1 if the block before has
    /// fewer than 4 words.
    VOXCC_HD std::int64_t word_of_diagonal_block(const exec::Cell& v) const {
        const bool column = v.x > 0, row = B::shape.y == 2 && v.y > 0, in_front = B::shape.z == 2 && v.z > 0;
        if (column + row + in_front < 2) return -1;
        return view.at(v.x - column, v.y - row, v.z - in_front);
    }

    /// Stores the information of a block, if it has a word for it.
    VOXCC_HD void store_information(const exec::Cell& v, std::uint32_t information) const {
        if (const std::int64_t word = information_word(v); word >= 0) labels[word] = information;
    }
    /// Stores the first foreground voxel of a block in F. Must be called for each block with foreground that no earlier block touches: only
    /// such a block can be a root.
    VOXCC_HD void store_first_voxel(const exec::Cell& v, InnerVoxels inner) const {
        if (const std::int64_t word = first_voxel_word(v); word >= 0) labels[word] = first_voxel(v, inner);
    }
    /// The inner voxels of a block, from its information; 0 if the block has no foreground.
    VOXCC_HD InnerVoxels inner(const exec::Cell& v) const {
        const std::int64_t word = information_word(v);
        if (word < 0) return view.voxels[view.at(v.x, v.y, v.z)] != 0;
        return labels[word] & ((1u << inner_bits) - 1);
    }

private:
    VOXCC_HD bool has_row(const exec::Cell& v) const { return B::shape.y == 2 && v.y + 1 < view.size.y; }
    VOXCC_HD bool has_slice(const exec::Cell& v) const { return B::shape.z == 2 && v.z + 1 < view.size.z; }
    VOXCC_HD std::int64_t slice() const { return std::int64_t(view.size.x) * view.size.y; }
};

}  // namespace voxcc::algorithms
