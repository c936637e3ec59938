// Numbers and paints forests of blocks (blocks.h). As number.h, but the first voxel of a component must be searched.
//
// The root of a component is its first block. The first voxel of the component can be in another block, but always in the same layer of
// blocks. While the trees are flattened, each block of that layer compares its first foreground voxel with word F of the root
// (block_words.h). The earlier of the two voxels stays in the word.
// Memory: 12 bytes per component: the list of roots, their first voxels, and the order of the first voxels. The list of roots has at least
// 4 bytes per 16 blocks, so that most volumes need one pass to list the roots. The sort of the executor needs memory for the time of the
// sort.
#pragma once
#include "lab/algorithms/block_words.h"
#include "lab/algorithms/number.h"

#include <array>

namespace voxcc::algorithms {

/// Member `relabels` of algorithms on blocks: they cannot number by a scan over flags of voxels, because a root is a block.
inline constexpr std::array relabels_of_blocks{Relabel::marks};

template <Connectivity K>
struct BlockNumbers {
    using B = Blocks<K>;
    using Words = BlockWords<K>;

    /// A list of roots: their number, and their words as far as `room` allows.
    struct Roots {
        exec::Pointer<std::uint32_t> count, words;
        std::uint32_t room;
        VOXCC_HD void add(std::int64_t word) const {
            const std::uint32_t slot = exec::append(count);
            if (slot < room) words[slot] = std::uint32_t(word);
        }
    };

    /// Phase "compress": flattens the trees, collects the first voxels of the components, and lists the roots.
    template <Compression C>
    struct Compress {
        Words words;
        Roots roots;
        struct Walk : CompressWalk<C> {
            InnerVoxels inner;  // of the block
        };
        VOXCC_HD void operator()(exec::Cell block) const {
            const InnerVoxels inner = words.inner(B::first_voxel(block));
            if (inner == 0) return;
            compress<C>(words.labels, words.label_word(block));
            collect(block, inner);
        }
        /// A block without foreground has a walk without steps.
        VOXCC_HD Walk walk(exec::Cell block) const {
            const InnerVoxels inner = words.inner(B::first_voxel(block));
            if (inner == 0) return {CompressWalk<C>(words.labels), inner};
            return {CompressWalk<C>(words.labels, words.label_word(block)), inner};
        }
        /// Must be called when the walk of a block is at its end, if it had steps.
        VOXCC_HD void after_walk(exec::Cell block, const Walk& walk) const { collect(block, walk.inner); }

    private:
        /// Collects the first voxel of a block with foreground, or lists the block as a root.
        VOXCC_HD void collect(exec::Cell block, InnerVoxels inner) const {
            const exec::Cell v = B::first_voxel(block);
            const std::int64_t at = words.label_word(block);
            const std::uint32_t label = exec::load(words.labels + at);
            if (label == std::uint32_t(at) + 1) {
                roots.add(at);
                return;
            }
            if constexpr (!Words::order_is_raster) {
                const exec::Cell root = words.cell_of(label - 1);
                const std::int64_t earliest = root.z == v.z ? words.first_voxel_word(root) : -1;
                if (earliest < 0) return;
                const std::uint32_t first = words.first_voxel(v, inner);
                if (first < exec::load(words.labels + earliest)) exec::fetch_min(words.labels + earliest, first);
            }
        }
    };

    /// Lists the roots of flat trees, if the list of phase "compress" was too short.
    struct List {
        Words words;
        Roots roots;
        VOXCC_HD void operator()(exec::Cell block) const {
            const std::int64_t at = words.label_word(block);
            if (words.labels[at] == std::uint32_t(at) + 1 && words.inner(B::first_voxel(block)) != 0) roots.add(at);
        }
    };

    /// The first voxel of each listed root's component, with the position of the root in the list.
    struct First {
        Words words;
        exec::Pointer<const std::uint32_t> root;
        exec::Pointer<std::uint32_t> first, slot;
        VOXCC_HD void operator()(std::int64_t k) const {
            const exec::Cell v = words.cell_of(root[k]);
            const std::int64_t earliest = words.first_voxel_word(v);
            first[k] = earliest >= 0 ? std::uint32_t(words.labels[earliest]) : words.first_voxel(v, words.inner(v));
            slot[k] = std::uint32_t(k);
        }
    };

    /// Stores `mark` | number in the words of the roots. slot_of[k] is the root with number k + 1.
    struct Number {
        exec::Pointer<const std::uint32_t> root, slot_of;
        exec::Pointer<std::uint32_t> labels;
        VOXCC_HD void operator()(std::int64_t k) const { labels[root[slot_of[k]]] = mark | std::uint32_t(k + 1); }
    };

    /// Stores the final labels of all voxels, except in the words of roots, which other blocks still read. The paper's phase
    /// FinalLabeling: the inner voxels come from the information word.
    struct Paint {
        Words words;
        VOXCC_HD void operator()(exec::Cell block) const {
            const VoxelView& view = words.view;
            const exec::Pointer<std::uint32_t> labels = words.labels;
            const exec::Cell v = B::first_voxel(block);
            const InnerVoxels inner = words.inner(v);
            const std::uint32_t stored = labels[words.label_word(block)], label = inner != 0 ? stored : 0;
            const bool is_root = label & mark;
            const std::uint32_t number = (label == 0 || is_root ? label : std::uint32_t(labels[label - 1])) & ~mark;
            VOXCC_UNROLL
            for (std::uint32_t z = 0; z < B::shape.z; ++z) VOXCC_UNROLL
            for (std::uint32_t y = 0; y < B::shape.y; ++y) VOXCC_UNROLL
            for (std::uint32_t x = 0; x < B::shape.x; ++x) {
                if (v.x + x >= view.size.x || v.y + y >= view.size.y || v.z + z >= view.size.z) continue;
                if (x + y + z == 0 && is_root) continue;
                const bool foreground = inner >> ((z * B::shape.y + y) * B::shape.x + x) & 1;
                labels[view.at(v.x + x, v.y + y, v.z + z)] = foreground ? number : 0;
            }
        }
    };

    /// Stores the final labels in the words of roots. The first voxel of a root block can be background.
    struct PaintRoots {
        exec::Pointer<const std::uint8_t> voxels;
        exec::Pointer<const std::uint32_t> root;
        exec::Pointer<std::uint32_t> labels;
        VOXCC_HD void operator()(std::int64_t k) const { labels[root[k]] = voxels[root[k]] ? labels[root[k]] & ~mark : 0; }
    };

    /// Replaces trees of blocks by final labels. All blocks must have their information, and blocks that can be roots their first voxel
    /// (block_words.h). The label of a block without foreground is not used.
    /// @return the number of components
    template <Compression C, class Executor>
    static std::uint32_t finish(Executor& executor, const Problem& p) {
        const Words words{{p.size, p.voxels}, p.labels};
        const exec::Grid blocks = B::grid(p.size);
        using Array = exec::Array<std::uint32_t>;
        Array count(executor.memory(), 1);
        Array root(executor.memory(), blocks.cells() / 16 + 1024);  // more components than this need a second pass
        executor.fill("compress", count, std::uint32_t{0});
        executor.for_each("compress", blocks, Compress<C>{words, {count.data(), root.data(), std::uint32_t(root.size())}});
        const std::uint32_t components = executor.fetch(count.data());
        if (components > root.size()) {
            root = Array(executor.memory(), components);
            executor.fill("number", count, std::uint32_t{0});
            executor.for_each("number", blocks, List{words, {count.data(), root.data(), components}});
        }
        Array first(executor.memory(), components), slot_of(executor.memory(), components);
        executor.for_each("number", components, First{words, root.data(), first.data(), slot_of.data()});
        executor.sort_by_key("number", first, slot_of);
        executor.for_each("number", components, Number{root.data(), slot_of.data(), p.labels});
        executor.for_each("paint", blocks, Paint{words});
        executor.for_each("paint", components, PaintRoots{p.voxels, root.data(), p.labels});
        return components;
    }
};

}  // namespace voxcc::algorithms
