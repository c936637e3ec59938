// BKE: block-based Komura equivalence.
//
// Source: Allegretti, Bolelli, Grana, "Optimized block-based algorithms to label connected components on GPUs", 2019, section 5.2,
// table 1 and figure 8; after Komura 2015 and Allegretti et al. 2018.
// Idea: as BUF, but each block is linked to its first touching neighbour without an atomic operation. The other touching blocks are stored
// as bits until the trees have been flattened. The unions then start from short paths.
//
//   init      the word of a block = the label of the first earlier block that touches, else its own; 0 for empty blocks; the other earlier
//             blocks that touch are stored as bits
//   compress  flatten the trees
//   merge     unite each block with every other earlier block that touches
//   compress, number, paint: number_blocks.h
// Memory: the label volume; the bits are in the spare word of the block (number_blocks.h). Blocks of a single voxel (odd extents) have no
// spare word. Their bits are in a separate array; figure 8 uses a spare word of a neighbour instead. 12 bytes per component, but at least
// a quarter of a byte per block.
#pragma once
#include "kernels3d/algorithms/number_blocks.h"
#include "kernels3d/algorithms/sources.h"

#include <string_view>

namespace voxcc::algorithms {

template <Compression C>
struct BlockKomura {
    /// Bits of an information word: below `first_shift` the other earlier blocks that touch; from it on, first_place() of the block.
    static constexpr int first_shift = earlier_directions;

    /// The information word of each block.
    template <Connectivity K>
    struct Info {
        using B = Blocks<K>;
        exec::Grid size;
        exec::Pointer<std::uint32_t> labels, singles;  // label volume; words of the blocks of a single voxel

        /// The number of blocks of a single voxel. Such blocks exist only if each extent along which blocks have two voxels is odd. Along
        /// the other axes, every row or slice has one.
        static std::int64_t singles_in(const exec::Grid& s) {
            const auto along = [](std::uint32_t extent, std::uint32_t edge) -> std::int64_t { return edge == 1 ? extent : extent % 2; };
            return along(s.x, B::shape.x) * along(s.y, B::shape.y) * along(s.z, B::shape.z);
        }
        VOXCC_HD exec::Pointer<std::uint32_t> of(const exec::Cell& v) const {
            if (const std::int64_t spare = BlockNumbers<K>::spare_word(size, v); spare >= 0) return labels + spare;
            return singles + (B::shape.y == 1 ? std::int64_t(v.z) * size.y + v.y : B::shape.z == 1 ? v.z : 0);
        }
    };

    template <Connectivity K>
    struct Init {
        using B = Blocks<K>;
        VoxelView view;
        Info<K> info;
        VOXCC_HD void operator()(exec::Cell block) const {
            const exec::Cell v = B::first_voxel(block);
            const std::int64_t at = view.at(v.x, v.y, v.z);
            constexpr Cube earlier = B::earlier();
            const Cube around = B::template read<B::own | earlier>(view, v), own = around & B::own;
            if (own == 0) {
                info.labels[at] = 0;
                return;
            }
            const Directions touching = B::earlier_blocks(around & earlier & dilate<K>(own)), others = touching & (touching - 1);
            std::uint32_t label = std::uint32_t(at) + 1;
            for_each(touching ^ others, [&](int direction) { label += std::uint32_t(B::step_to(view.size, direction)); });
            info.labels[at] = label;
            *info.of(v) = others | BlockNumbers<K>::first_place(own) << first_shift;
        }
    };

    template <Connectivity K>
    struct Compress {
        exec::Grid size;
        exec::Pointer<std::uint32_t> labels;
        VOXCC_HD void operator()(exec::Cell block) const { compress<C>(labels, BlockNumbers<K>::word(size, block)); }
        VOXCC_HD CompressWalk<C> walk(exec::Cell block) const { return {labels, BlockNumbers<K>::word(size, block)}; }
    };

    template <Connectivity K>
    struct Merge {
        using B = Blocks<K>;
        static constexpr exec::Lanes lanes{8, 4, 4};  // unions along three axes: a quarter faster than rows of lanes on smooth volumes
        Info<K> info;
        VOXCC_HD void operator()(exec::Cell block) const {
            const exec::Cell v = B::first_voxel(block);
            const std::int64_t at = BlockNumbers<K>::word(info.size, block);
            if (exec::load(info.labels + at) == 0) return;
            const std::uint32_t known = *info.of(v);
            BlockNumbers<K>::keep_first(info.size, info.labels, v, known >> first_shift);
            std::uint32_t label = std::uint32_t(at) + 1;
            for_each(known & ((Directions{1} << first_shift) - 1),
                     [&](int direction) { label = unite(info.labels, label, std::uint32_t(at + B::step_to(info.size, direction)) + 1); });
        }
    };

    template <class Executor>
    static std::uint32_t run(Executor& executor, const Problem& p) {
        return visit_connectivity(p.connectivity, [&]<Connectivity K> {
            const exec::Grid blocks = Blocks<K>::grid(p.size);
            const exec::Array<std::uint32_t> singles(executor.memory(), Info<K>::singles_in(p.size));
            const Info<K> info{p.size, p.labels, singles.data()};
            executor.for_each("init", blocks, Init<K>{{p.size, p.voxels}, info});
            executor.for_each("compress", blocks, Compress<K>{p.size, p.labels});
            executor.for_each("merge", blocks, Merge<K>{info});
            return BlockNumbers<K>::template finish<C>(executor, p);
        });
    }
};

struct Bke : BlockKomura<Compression::plain> {
    static constexpr std::string_view name = "bke", source = allegretti;
    static constexpr std::string_view origin = "Allegretti, Bolelli, Grana 2019, section 5.2";
};

struct BkeIc : BlockKomura<Compression::inline_steps> {
    static constexpr std::string_view name = "bke-ic", source = allegretti;
    static constexpr std::string_view origin = "Allegretti, Bolelli, Grana 2019, sections 2.1 and 5.2";
};

}  // namespace voxcc::algorithms
