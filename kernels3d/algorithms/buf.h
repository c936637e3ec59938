// BUF: block-based union-find.
//
// Source: Allegretti, Bolelli, Grana, "Optimized block-based algorithms to label connected components on GPUs", 2019, section 5.1,
// figures 6, 7 and 9.
// Idea: UF on blocks. All foreground voxels of a block are connected, which reduces the number of trees and unions. Bit operations find the
// earlier blocks that touch: the neighbours of the block's foreground voxels are a set of bits. Another block touches if one of its
// foreground voxels is in this set.
//
//   init      the word of a block = its own label; 0 for empty blocks
//   merge     unite each block with every earlier block that touches
//   compress, number, paint: number_blocks.h
// Memory: the label volume, where the word of a block is the word of its first voxel; 12 bytes per component, but at least a quarter of a
// byte per block.
#pragma once
#include "kernels3d/algorithms/number_blocks.h"
#include "kernels3d/algorithms/sources.h"

#include <string_view>

namespace voxcc::algorithms {

template <Compression C>
struct BlockUnionFind {
    template <Connectivity K>
    struct Init {
        using B = Blocks<K>;
        VoxelView view;
        exec::Pointer<std::uint32_t> labels;
        VOXCC_HD void operator()(exec::Cell block) const {
            const exec::Cell v = B::first_voxel(block);
            const std::int64_t at = view.at(v.x, v.y, v.z);
            const Cube own = B::read_own(view, v);
            labels[at] = own == 0 ? 0 : std::uint32_t(at) + 1;
            BlockNumbers<K>::keep_first(view.size, labels, v, BlockNumbers<K>::first_place(own));
        }
    };

    template <Connectivity K>
    struct Merge {
        using B = Blocks<K>;
        static constexpr exec::Lanes lanes{256, 1, 1};  // on smooth and full volumes, down to half the time of 32x4 to 128x2
        VoxelView view;
        exec::Pointer<std::uint32_t> labels;
        VOXCC_HD void operator()(exec::Cell block) const {
            const exec::Cell v = B::first_voxel(block);
            const std::int64_t at = view.at(v.x, v.y, v.z);
            constexpr Cube earlier = B::earlier();
            const Cube around = B::template read<B::own | earlier>(view, v), own = around & B::own;
            if (own == 0) return;
            std::uint32_t label = std::uint32_t(at) + 1;
            for_each(B::earlier_blocks(around & earlier & dilate<K>(own)),
                     [&](int direction) { label = unite(labels, label, std::uint32_t(at + B::step_to(view.size, direction)) + 1); });
        }
    };

    template <class Executor>
    static std::uint32_t run(Executor& executor, const Problem& p) {
        return visit_connectivity(p.connectivity, [&]<Connectivity K> {
            const exec::Grid blocks = Blocks<K>::grid(p.size);
            executor.for_each("init", blocks, Init<K>{{p.size, p.voxels}, p.labels});
            executor.for_each("merge", blocks, Merge<K>{{p.size, p.voxels}, p.labels});
            return BlockNumbers<K>::template finish<C>(executor, p);
        });
    }
};

struct Buf : BlockUnionFind<Compression::plain> {
    static constexpr std::string_view name = "buf", source = allegretti;
    static constexpr std::string_view origin = "Allegretti, Bolelli, Grana 2019, section 5.1";
};

struct BufIc : BlockUnionFind<Compression::inline_steps> {
    static constexpr std::string_view name = "buf-ic", source = allegretti;
    static constexpr std::string_view origin = "Allegretti, Bolelli, Grana 2019, sections 2.1 and 5.1";
};

}  // namespace voxcc::algorithms
