// Numbers and paints forests of blocks (blocks.h). As number.h, but the first voxel of a component must be searched.
//
// The root of a component is its first block. The first voxel of the component can be in another block, but always in the same layer of
// blocks. While the trees are flattened, each block of that layer compares its first foreground voxel with the spare word of the root. The
// earlier of the two voxels stays in the spare word.
// The spare word of a block is the word of its second voxel. Labels do not use this word before the volume is painted. Until then it holds
// the first foreground voxel of the block. A block of a single voxel has no spare word and needs none: it is the last block of its layer.
// Blocks of a single row need none either: their order is the order of their voxels.
#pragma once
#include "kernels3d/algorithms/blocks.h"
#include "kernels3d/algorithms/number.h"

namespace voxcc::algorithms {

template <Connectivity K>
struct BlockNumbers {
    using B = Blocks<K>;
    static constexpr bool order_is_raster = B::shape.y == 1 && B::shape.z == 1;
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    /// The index of a block's word in the label volume.
    VOXCC_HD static std::int64_t word(const exec::Grid& size, const exec::Cell& block) {
        const exec::Cell v = B::first_voxel(block);
        return (std::int64_t(v.z) * size.y + v.y) * size.x + v.x;
    }
    /// The index of the spare word of the block whose first voxel is v; -1 if the block has a single voxel.
    VOXCC_HD static std::int64_t spare_word(const exec::Grid& size, const exec::Cell& v) {
        const std::int64_t at = (std::int64_t(v.z) * size.y + v.y) * size.x + v.x;
        if (v.x + 1 < size.x) return at + 1;
        if (B::shape.y == 2 && v.y + 1 < size.y) return at + size.x;
        if (B::shape.z == 2 && v.z + 1 < size.z) return at + std::int64_t(size.x) * size.y;
        return -1;
    }
    VOXCC_HD static exec::Cell cell_of(const exec::Grid& size, std::uint32_t word) {
        return {word % size.x, word / size.x % size.y, word / size.x / size.y};
    }
    /// The position of the first foreground voxel in its block: 0, 1, ... in raster order of the block; 0 for an empty block.
    VOXCC_HD static std::uint32_t first_place(Cube own) {
        std::uint32_t first = 0;
        VOXCC_UNROLL
        for (int i = int(B::shape.x * B::shape.y * B::shape.z) - 1; i >= 0; --i) {
            const int x = i % int(B::shape.x), y = i / int(B::shape.x) % int(B::shape.y), z = i / int(B::shape.x * B::shape.y);
            if (own >> cube_bit(x, y, z) & 1) first = std::uint32_t(i);
        }
        return first;
    }
    /// The voxel index of a position (first_place()) in the block whose first voxel is v.
    VOXCC_HD static std::uint32_t voxel_at(const exec::Grid& size, const exec::Cell& v, std::uint32_t place) {
        const std::uint32_t x = place % B::shape.x, y = place / B::shape.x % B::shape.y, z = place / (B::shape.x * B::shape.y);
        return ((v.z + z) * size.y + v.y + y) * size.x + v.x + x;
    }
    /// Stores the first foreground voxel of a block in its spare word. Must be called for every block that is not empty, before finish();
    /// the caller must not use the spare word afterwards.
    /// @param place first_place() of the block
    VOXCC_HD static void keep_first(const exec::Grid& size, exec::Pointer<std::uint32_t> labels, const exec::Cell& v, std::uint32_t place) {
        if constexpr (!order_is_raster)
            if (const std::int64_t spare = spare_word(size, v); spare >= 0) labels[spare] = voxel_at(size, v, place);
    }

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
        exec::Grid size;
        exec::Pointer<std::uint32_t> labels;
        Roots roots;
        VOXCC_HD void operator()(exec::Cell block) const {
            compress<C>(labels, word(size, block));
            after_walk(block);
        }
        VOXCC_HD CompressWalk<C> walk(exec::Cell block) const { return {labels, word(size, block)}; }
        /// Must be called for every block when its walk is at its end.
        VOXCC_HD void after_walk(exec::Cell block) const {
            const exec::Cell v = B::first_voxel(block);
            const std::int64_t at = word(size, block);
            const std::uint32_t label = exec::load(labels + at);
            if (label == 0) return;
            if constexpr (!order_is_raster) {
                const exec::Cell root = cell_of(size, label - 1);
                const std::int64_t from = spare_word(size, v), to = spare_word(size, root);
                if (root.z == v.z && from >= 0 && to >= 0 && from != to) {
                    const std::uint32_t first = exec::load(labels + from);
                    if (first < exec::load(labels + to)) exec::fetch_min(labels + to, first);
                }
            }
            if (label == std::uint32_t(at) + 1) roots.add(at);
        }
    };

    /// Lists the roots of flat trees, if the list of phase "compress" was too short.
    struct List {
        exec::Grid size;
        exec::Pointer<const std::uint32_t> labels;
        Roots roots;
        VOXCC_HD void operator()(exec::Cell block) const {
            const std::int64_t at = word(size, block);
            if (labels[at] == std::uint32_t(at) + 1) roots.add(at);
        }
    };

    /// The first voxel of each listed root's component, with the position of the root in the list.
    struct First {
        VoxelView view;
        exec::Pointer<const std::uint32_t> labels, root;
        exec::Pointer<std::uint32_t> first, slot;
        VOXCC_HD void operator()(std::int64_t k) const {
            const exec::Cell v = cell_of(view.size, root[k]);
            const std::int64_t spare = order_is_raster ? -1 : spare_word(view.size, v);
            first[k] = spare >= 0 ? labels[spare] : voxel_at(view.size, v, first_place(B::read_own(view, v)));
            slot[k] = std::uint32_t(k);
        }
    };

    /// Stores `mark` | number in the words of the roots. slot_of[k] is the root with number k + 1.
    struct Number {
        exec::Pointer<const std::uint32_t> root, slot_of;
        exec::Pointer<std::uint32_t> labels;
        VOXCC_HD void operator()(std::int64_t k) const { labels[root[slot_of[k]]] = mark | std::uint32_t(k + 1); }
    };

    /// Stores the final labels of all voxels, except in the words of roots, which other blocks still read.
    struct Paint {
        VoxelView view;
        exec::Pointer<std::uint32_t> labels;
        VOXCC_HD void operator()(exec::Cell block) const {
            const exec::Cell v = B::first_voxel(block);
            const std::int64_t at = view.at(v.x, v.y, v.z);
            const std::uint32_t label = labels[at];
            const bool is_root = label & mark;
            const std::uint32_t number = (label == 0 ? 0 : is_root ? label : labels[label - 1]) & ~mark;
            VOXCC_UNROLL
            for (std::uint32_t z = 0; z < B::shape.z; ++z) VOXCC_UNROLL
            for (std::uint32_t y = 0; y < B::shape.y; ++y) VOXCC_UNROLL
            for (std::uint32_t x = 0; x < B::shape.x; ++x) {
                if (v.x + x >= view.size.x || v.y + y >= view.size.y || v.z + z >= view.size.z) continue;
                if (x + y + z == 0 && is_root) continue;
                const std::int64_t i = view.at(v.x + x, v.y + y, v.z + z);
                labels[i] = number != 0 && view.voxels[i] ? number : 0;
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

    /// Replaces trees of blocks by final labels. The words of blocks without foreground must be 0. keep_first() must have been called for
    /// all other blocks.
    /// @return the number of components
    template <Compression C, class Executor>
    static std::uint32_t finish(Executor& executor, const Problem& p) {
        const VoxelView view{p.size, p.voxels};
        const exec::Grid blocks = B::grid(p.size);
        using Words = exec::Array<std::uint32_t>;
        Words count(executor.memory(), 1);
        Words root(executor.memory(), blocks.cells() / 16 + 1024);  // more components than this need a second pass
        executor.fill("compress", count, std::uint32_t{0});
        executor.for_each("compress", blocks, Compress<C>{p.size, p.labels, {count.data(), root.data(), std::uint32_t(root.size())}});
        const std::uint32_t components = executor.fetch(count.data());
        if (components > root.size()) {
            root = Words(executor.memory(), components);
            executor.fill("number", count, std::uint32_t{0});
            executor.for_each("number", blocks, List{p.size, p.labels, {count.data(), root.data(), components}});
        }
        Words first(executor.memory(), components), slot_of(executor.memory(), components);
        executor.for_each("number", components, First{view, p.labels, root.data(), first.data(), slot_of.data()});
        executor.sort_by_key("number", first, slot_of);
        executor.for_each("number", components, Number{root.data(), slot_of.data(), p.labels});
        executor.for_each("paint", blocks, Paint{view, p.labels});
        executor.for_each("paint", components, PaintRoots{p.voxels, root.data(), p.labels});
        return components;
    }
};

}  // namespace voxcc::algorithms
