// BKE: block-based Komura equivalence.
//
// Source: Allegretti, Bolelli, Grana, "Optimized block-based algorithms to label connected components on GPUs", 2019, sections
// 5.2 and 5.3, table 1 and figure 8; after Komura 2015 and Allegretti et al. 2018.
// Idea: as BUF, but each block is linked to its first touching neighbour without an atomic operation. The other touching blocks are stored
// as bits until the trees have been flattened. The unions then start from short paths.
//
//   init      label of each block = the label of the first earlier block that touches, else its own; 0 for blocks without foreground;
//             information word = the inner voxels, and the other earlier blocks that touch
//   compress  flatten the trees
//   merge     unite each block with the blocks of its information word
//   compress, number, paint: number_blocks.h; paint reads the inner voxels from the information word
// Memory: the label volume, which holds labels and information (block_words.h); the numbering needs additional memory (number_blocks.h). As
// in figure 8, a block of a single voxel (odd extents) has its information in a word of the block before it on the diagonal. If that block
// has no word for it, the information is in a separate array: volumes that are one line of voxels, and rows of blocks of 2x1x1.
#pragma once
#include "lab/algorithms/number_blocks.h"
#include "lab/algorithms/sources.h"

#include <string_view>

namespace voxcc::algorithms {

template <Compression C>
struct BlockKomura {
    static constexpr auto relabels = relabels_of_blocks;

    /// The information words of all blocks.
    template <Connectivity K>
    struct Information {
        using B = Blocks<K>;
        BlockWords<K> words;
        exec::Pointer<std::uint32_t> singles;  // words of the single voxels without a word in the label volume

        /// The length of `singles`. Blocks of a single voxel exist only if each extent along which blocks have two voxels is odd. Along the
        /// other axes, every row or slice has one.
        static std::int64_t singles_in(const exec::Grid& s) {
            const auto blocked = [](std::uint32_t extent, std::uint32_t edge) { return edge == 2 && extent > 1; };
            if (blocked(s.x, B::shape.x) + blocked(s.y, B::shape.y) + blocked(s.z, B::shape.z) >= 2) return 0;
            const auto along = [](std::uint32_t extent, std::uint32_t edge) -> std::int64_t { return edge == 1 ? extent : extent % 2; };
            return along(s.x, B::shape.x) * along(s.y, B::shape.y) * along(s.z, B::shape.z);
        }
        VOXCC_HD exec::Pointer<std::uint32_t> of(const exec::Cell& v) const {
            std::int64_t word = words.information_word(v);
            if (word < 0) word = words.word_of_diagonal_block(v);
            if (word >= 0) return words.labels + word;
            return singles + (B::shape.y == 1 ? std::int64_t(v.z) * words.view.size.y + v.y : B::shape.z == 1 ? v.z : 0);
        }
    };

    template <Connectivity K>
    struct Init {
        using B = Blocks<K>;
        static constexpr int resident = 8;  // as BlockUnionFind::Merge (buf.h)
        Information<K> information;
        VOXCC_HD void operator()(exec::Cell block) const {
            const BlockWords<K>& words = information.words;
            const exec::Cell v = B::first_voxel(block);
            const std::int64_t at = words.view.at(v.x, v.y, v.z);
            constexpr Cube earlier = B::earlier();
            const Cube around = B::template read<B::own | earlier>(words.view, v), own = around & B::own;
            const InnerVoxels inner = words.inner_of(own);
            const Directions touching = B::earlier_blocks(around & earlier & dilate<K>(own)), others = touching & (touching - 1);
            std::uint32_t label = inner != 0 ? std::uint32_t(at) + 1 : 0;
            for_each(touching ^ others, [&](int direction) { label += std::uint32_t(B::step_to(words.view.size, direction)); });
            words.labels[at] = label;
            *information.of(v) = inner | others << inner_bits;
            if (inner != 0 && touching == 0) words.store_first_voxel(v, inner);
        }
    };

    template <Connectivity K>
    struct Compress {
        BlockWords<K> words;
        VOXCC_HD void operator()(exec::Cell block) const { compress<C>(words.labels, words.label_word(block)); }
        VOXCC_HD CompressWalk<C> walk(exec::Cell block) const { return {words.labels, words.label_word(block)}; }
    };

    template <Connectivity K>
    struct Merge {
        using B = Blocks<K>;
        static constexpr exec::Lanes lanes{8, 4, 4};  // unions along three axes: a quarter faster than rows of lanes on smooth volumes
        Information<K> information;
        VOXCC_HD void operator()(exec::Cell block) const {
            const BlockWords<K>& words = information.words;
            const std::int64_t at = words.label_word(block);
            const Directions others = *information.of(B::first_voxel(block)) >> inner_bits;
            std::uint32_t label = std::uint32_t(at) + 1;
            for_each(others, [&](int direction) {
                label = unite(words.labels, label, std::uint32_t(at + B::step_to(words.view.size, direction)) + 1);
            });
        }
    };

    template <class Executor>
    static std::uint32_t run(Executor& executor, const Problem& p) {
        return visit_connectivity(p.connectivity, [&]<Connectivity K> {
            const exec::Grid blocks = Blocks<K>::grid(p.size);
            const exec::Array<std::uint32_t> singles(executor.memory(), Information<K>::singles_in(p.size));
            const BlockWords<K> words{{p.size, p.voxels}, p.labels};
            const Information<K> information{words, singles.data()};
            executor.for_each("init", blocks, Init<K>{information});
            executor.for_each("compress", blocks, Compress<K>{words});
            executor.for_each("merge", blocks, Merge<K>{information});
            return BlockNumbers<K>::template finish<C>(executor, p);
        });
    }
};

struct Bke : BlockKomura<Compression::plain> {
    static constexpr std::string_view name = "bke", source = allegretti;
    static constexpr std::string_view origin = "Allegretti, Bolelli, Grana 2019, sections 5.2 and 5.3";
};

struct BkeIc : BlockKomura<Compression::inline_steps> {
    static constexpr std::string_view name = "bke-ic", source = allegretti;
    static constexpr std::string_view origin = "Allegretti, Bolelli, Grana 2019, sections 2.1, 5.2 and 5.3";
};

}  // namespace voxcc::algorithms
