// BKE: block-based Komura equivalence.
//
// Source: Allegretti, Bolelli, Grana, "Optimized block-based algorithms to label connected components on GPUs", 2019, section 5.2,
// table 1 and figure 8; after Komura 2015 and Allegretti et al. 2018.
// Idea: as BUF, but a block is linked to its first touching neighbour at once, without an atomic operation. Which of the others touch is
// kept beside the label until the trees have been flattened, so that unions start from short ways.
//
//   init      a block's word = the label of the first earlier block that touches, else its own; 0 for empty blocks; the others as bits
//   compress  flat trees
//   merge     a union with every other earlier block that touches
//   compress, number, paint: number_blocks.h
// Memory: the label volume; the bits are in the block's spare word. Blocks of a single voxel (odd extents) have none: theirs
// are in an array of their own, where figure 8 takes a spare word of a neighbour. 12 bytes a component, at least a quarter of a byte a
// block.
#pragma once
#include "kernels3d/algorithms/number_blocks.h"
#include "kernels3d/algorithms/sources.h"

#include <string_view>

namespace voxcc::algorithms {

template <Compression C>
struct BlockKomura {
    static constexpr int first_shift =
        earlier_directions;  // below: the other earlier blocks that touch; above: the place of the first foreground voxel

    /// Where a block's bits are.
    template <Connectivity K>
    struct Info {
        using B = Blocks<K>;
        exec::Grid size;
        exec::Pointer<std::uint32_t> labels, singles;

        /// Blocks of a single voxel: there are some only if every extent that blocks halve is odd, one in each row or slice that they do
        /// not.
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
    };

    template <Connectivity K>
    struct Merge {
        using B = Blocks<K>;
        static constexpr exec::Lanes lanes{8, 4, 4};  // unions go three ways: a quarter faster than rows on smooth volumes
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
};

struct BkeIc : BlockKomura<Compression::inline_steps> {
    static constexpr std::string_view name = "bke-ic", source = allegretti;
};

}  // namespace voxcc::algorithms
