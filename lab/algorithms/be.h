// BE: block equivalence.
//
// Source: Zavalishin, Safonov, Bekhtin, Kurilin, "Block equivalence algorithm for labeling 2D and 3D images on GPU", 2016; as described by
// Allegretti, Bolelli, Grana 2019, section 3.1. The paper has 2x2 blocks for connectivity 8 and 2x2x2 for 26; the other blocks (blocks.h)
// are ours.
// Idea: OLE (ole.h) on blocks. All foreground voxels of a block are connected. The blocks that touch are found once and stored as bits. The
// repeated scans therefore read no voxels, and read labels of touching blocks only.
//
//   init      label of a block = 1 + its index, or 0 if it is empty; its connections = one bit per block around it that touches; its
//             information word for the numbering (block_words.h)
//   scan      store the smallest label of the touching blocks at the root of the block; set the flag after a store
//   analysis  every block points to its root; repeat scan while the flag is set
//   copy      word of a block in the label volume = 1 + the word of its root
//   compress, number, paint: number_blocks.h
// Memory: the label volume; 4 bytes per block for labels; 4 bytes per block for connections (1 byte for connectivities 4, 8 and 6, where at
// most 8 blocks can touch); the numbering needs additional memory (number_blocks.h).
#pragma once
#include "lab/algorithms/iterate.h"
#include "lab/algorithms/number_blocks.h"

#include <string_view>

namespace voxcc::algorithms {

struct BlockEquivalence {
    static constexpr auto relabels = relabels_of_blocks;

    /// The blocks around a block that can touch it, both earlier and later in raster order.
    template <Connectivity K>
    struct Around {
        using B = Blocks<K>;
        /// Calls f(n, places, dx, dy, dz) for each of these blocks. The arguments are types with a compile-time constant `value`; n = 0,
        /// 1, ... counts the blocks, `places` are the voxels of the block.
        template <class F>
        VOXCC_HD static void for_each(const F& f) {
            for_each(f, std::make_integer_sequence<int, 27>{});
        }
        VOXCC_HD static constexpr bool can_touch(int d) { return d != 13 && B::can_touch(d % 3 - 1, d / 3 % 3 - 1, d / 9 - 1); }
        /// The number of blocks in directions 0..d-1 that can touch.
        VOXCC_HD static constexpr int count(int d) {
            int n = 0;
            for (int i = 0; i < d; ++i) n += can_touch(i);
            return n;
        }
        VOXCC_HD static constexpr Cube places() { return (dilate<K>(B::own) | B::own) ^ B::own; }
        using Bits = std::conditional_t<count(27) <= 8, std::uint8_t, std::uint32_t>;

    private:
        template <int D>
        using Constant = std::integral_constant<int, D>;
        template <class F, int... D>
        VOXCC_HD static void for_each(const F& f, std::integer_sequence<int, D...>) {
            (visit<D>(f), ...);
        }
        template <int D, class F>
        VOXCC_HD static void visit(const F& f) {
            constexpr int dx = D % 3 - 1, dy = D / 3 % 3 - 1, dz = D / 9 - 1;
            if constexpr (can_touch(D))
                f(Constant<count(D)>{}, std::integral_constant<Cube, B::places(dx, dy, dz)>{}, Constant<dx>{}, Constant<dy>{},
                  Constant<dz>{});
        }
    };

    VOXCC_HD static std::int64_t index(const exec::Grid& blocks, const exec::Cell& b) {
        return (std::int64_t(b.z) * blocks.y + b.y) * blocks.x + b.x;
    }

    template <Connectivity K>
    struct Init {
        using B = Blocks<K>;
        BlockWords<K> words;
        exec::Pointer<std::uint32_t> block_labels;
        exec::Pointer<typename Around<K>::Bits> connections;
        VOXCC_HD void operator()(exec::Cell block) const {
            const exec::Cell v = B::first_voxel(block);
            const std::int64_t at = index(B::grid(words.view.size), block);
            constexpr Cube around = Around<K>::places();
            const Cube found = B::template read<B::own | around>(words.view, v), own = found & B::own;
            const InnerVoxels inner = words.inner_of(own);
            block_labels[at] = own ? std::uint32_t(at) + 1 : 0;
            words.store_information(v, inner);
            if (own == 0) return;
            const Cube touching = found & around & dilate<K>(own);
            if ((touching & B::earlier()) == 0) words.store_first_voxel(v, inner);
            std::uint32_t bits = 0;
            Around<K>::for_each([&](auto n, auto places, auto, auto, auto) {
                if (touching & decltype(places)::value) bits |= std::uint32_t{1} << decltype(n)::value;
            });
            connections[at] = typename Around<K>::Bits(bits);
        }
    };

    /// As OptimisedLabelEquivalence::Scan (ole.h): if two blocks write to one root at the same time, the next scan finds the lost label.
    template <Connectivity K>
    struct Scan {
        exec::Grid blocks;
        exec::Pointer<const typename Around<K>::Bits> connections;
        exec::Pointer<std::uint32_t> block_labels;
        Changed changed;
        VOXCC_HD void operator()(exec::Cell block) const {
            const std::int64_t at = index(blocks, block);
            const std::uint32_t label = exec::load(block_labels + at);
            if (label == 0) return;
            const std::uint32_t bits = connections[at];
            std::uint32_t smallest = label;
            Around<K>::for_each([&](auto n, auto, auto dx, auto dy, auto dz) {
                if (!(bits >> decltype(n)::value & 1)) return;
                const std::int64_t step =
                    (std::int64_t(decltype(dz)::value) * blocks.y + decltype(dy)::value) * blocks.x + decltype(dx)::value;
                const std::uint32_t other = exec::load(block_labels + at + step);
                if (other < smallest) smallest = other;
            });
            if (smallest == label) return;
            if (smallest < exec::load(block_labels + label - 1)) exec::store(block_labels + label - 1, smallest);
            changed();
        }
    };

    template <Connectivity K>
    struct Copy {
        BlockWords<K> words;
        exec::Grid blocks;
        exec::Pointer<const std::uint32_t> block_labels;
        VOXCC_HD void operator()(exec::Cell block) const {
            const std::uint32_t label = block_labels[index(blocks, block)];
            const std::uint32_t at = label - 1;  // not used for empty blocks, and neither is `root`
            const exec::Cell root{at % blocks.x, at / blocks.x % blocks.y, at / blocks.x / blocks.y};
            words.labels[words.label_word(block)] = label ? std::uint32_t(words.label_word(root)) + 1 : 0;
        }
    };

    template <class Executor>
    static std::uint32_t run(Executor& executor, const Problem& p) {
        return visit_connectivity(p.connectivity, [&]<Connectivity K> {
            iterate<K>(executor, p);  // a separate function, which frees its arrays before numbering allocates others
            return BlockNumbers<K>::template finish<Compression::plain>(executor, p);
        });
    }

private:
    template <Connectivity K, class Executor>
    static void iterate(Executor& executor, const Problem& p) {
        const exec::Grid blocks = Blocks<K>::grid(p.size);
        const exec::Array<std::uint32_t> block_labels(executor.memory(), blocks.cells());
        const exec::Array<typename Around<K>::Bits> connections(executor.memory(), blocks.cells());
        const BlockWords<K> words{{p.size, p.voxels}, p.labels};
        executor.for_each("init", blocks, Init<K>{words, block_labels.data(), connections.data()});
        until_stable(executor, [&](Changed changed) {
            if (changed.pass > 1) executor.for_each("analysis", blocks.cells(), CompressWords<Compression::plain>{block_labels.data()});
            executor.for_each("scan", blocks, Scan<K>{blocks, connections.data(), block_labels.data(), changed});
        });
        executor.for_each("copy", blocks, Copy<K>{words, blocks, block_labels.data()});
    }
};

inline constexpr std::string_view zavalishin =
    "Zavalishin, Safonov, Bekhtin, Kurilin, Block equivalence algorithm for labeling 2D and 3D images on GPU, 2016";

struct Be : BlockEquivalence {
    static constexpr std::string_view name = "be", source = zavalishin;
    static constexpr std::string_view origin = "Allegretti, Bolelli, Grana 2019, section 3.1, after Zavalishin et al. 2016";
};

}  // namespace voxcc::algorithms
