// BUF: block-based union-find.
//
// Source: Allegretti, Bolelli, Grana, "Optimized block-based algorithms to label connected components on GPUs", 2019, sections 5.1
// and 5.3, figures 6, 7 and 9.
// Idea: UF on blocks. All foreground voxels of a block are connected, which reduces the number of trees and unions. Bit operations find the
// earlier blocks that touch: the neighbours of the block's foreground voxels are a set of bits. Another block touches if one of its
// foreground voxels is in this set.
//
//   init      label of each block = its own label
//   merge     store the inner voxels of each block in its information word; unite the block with every earlier block that touches
//   compress, number, paint: number_blocks.h
// In 2D the last phase of the paper's BUF reads the voxels again. Here the information word is for all blocks.
// Memory: the label volume, which holds labels and information (block_words.h); the numbering needs additional memory (number_blocks.h).
#pragma once
#include "lab/algorithms/number_blocks.h"
#include "lab/algorithms/sources.h"

#include <string_view>

namespace voxcc::algorithms {

template <Compression C>
struct BlockUnionFind {
    static constexpr auto relabels = relabels_of_blocks;

    template <Connectivity K>
    struct Init {
        BlockWords<K> words;
        VOXCC_HD void operator()(exec::Cell block) const {
            const std::int64_t at = words.label_word(block);
            words.labels[at] = std::uint32_t(at) + 1;
            words.store_information(Blocks<K>::first_voxel(block), 0);
        }
    };

    template <Connectivity K>
    struct Merge {
        using B = Blocks<K>;
        static constexpr exec::Lanes lanes{256, 1, 1};  // on smooth and full volumes, down to half the time of 32x4 to 128x2
        static constexpr int resident = 6;              // with 8, the compiler moves reads, and full volumes take more than twice the time
        BlockWords<K> words;
        VOXCC_HD void operator()(exec::Cell block) const {
            const VoxelView& view = words.view;
            const exec::Cell v = B::first_voxel(block);
            const std::int64_t at = view.at(v.x, v.y, v.z);
            constexpr Cube earlier = B::earlier();
            const Cube around = B::template read<B::own | earlier>(view, v), own = around & B::own;
            if (own == 0) return;
            const InnerVoxels inner = words.inner_of(own);
            words.store_information(v, inner);
            const Directions touching = B::earlier_blocks(around & earlier & dilate<K>(own));
            if (touching == 0) {
                words.store_first_voxel(v, inner);
                return;
            }
            std::uint32_t label = std::uint32_t(at) + 1;
            for_each(touching,
                     [&](int direction) { label = unite(words.labels, label, std::uint32_t(at + B::step_to(view.size, direction)) + 1); });
        }
    };

    template <class Executor>
    static std::uint32_t run(Executor& executor, const Problem& p) {
        return visit_connectivity(p.connectivity, [&]<Connectivity K> {
            const exec::Grid blocks = Blocks<K>::grid(p.size);
            const BlockWords<K> words{{p.size, p.voxels}, p.labels};
            executor.for_each("init", blocks, Init<K>{words});
            executor.for_each("merge", blocks, Merge<K>{words});
            return BlockNumbers<K>::template finish<C>(executor, p);
        });
    }
};

struct Buf : BlockUnionFind<Compression::plain> {
    static constexpr std::string_view name = "buf", source = allegretti;
    static constexpr std::string_view origin = "Allegretti, Bolelli, Grana 2019, sections 5.1 and 5.3";
};

struct BufIc : BlockUnionFind<Compression::inline_steps> {
    static constexpr std::string_view name = "buf-ic", source = allegretti;
    static constexpr std::string_view origin = "Allegretti, Bolelli, Grana 2019, sections 2.1, 5.1 and 5.3";
};

}  // namespace voxcc::algorithms
