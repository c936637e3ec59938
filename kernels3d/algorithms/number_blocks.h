// Numbering and painting for forests of blocks (blocks.h): number.h's way, with first voxels that must be looked for.
//
// The root of a component is its first block, not always the block of its first voxel; that one lies in the same layer of blocks. While
// trees are made flat, the blocks of that layer leave their first voxels in the root's spare word, if they come before what is there. A
// spare word is that of a second voxel, which labels do not use before the volume is painted; until then it holds the block's first
// foreground voxel. A block of a single voxel has no spare word and needs none: it is the last of its layer. Blocks of one row need none
// either: their order is that of their voxels.
#pragma once
#include "kernels3d/algorithms/blocks.h"
#include "kernels3d/algorithms/number.h"

namespace voxcc::algorithms {

template <Connectivity K>
struct BlockNumbers {
    using B = Blocks<K>;
    static constexpr bool order_is_raster = B::shape.y == 1 && B::shape.z == 1;
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    VOXCC_HD static std::int64_t word(const exec::Grid& size, const exec::Cell& block) {
        const exec::Cell v = B::first_voxel(block);
        return (std::int64_t(v.z) * size.y + v.y) * size.x + v.x;
    }
    /// The spare word of the block whose first voxel is v; -1 if it has a single voxel.
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
    /// Which of its voxels, in raster order, is the first foreground one of a block that is not empty.
    VOXCC_HD static std::uint32_t first_place(Cube own) {
        std::uint32_t first = 0;
        VOXCC_UNROLL
        for (int i = int(B::shape.x * B::shape.y * B::shape.z) - 1; i >= 0; --i) {
            const int x = i % int(B::shape.x), y = i / int(B::shape.x) % int(B::shape.y), z = i / int(B::shape.x * B::shape.y);
            if (own >> cube_bit(x, y, z) & 1) first = std::uint32_t(i);
        }
        return first;
    }
    VOXCC_HD static std::uint32_t voxel_at(const exec::Grid& size, const exec::Cell& v, std::uint32_t place) {
        const std::uint32_t x = place % B::shape.x, y = place / B::shape.x % B::shape.y, z = place / (B::shape.x * B::shape.y);
        return ((v.z + z) * size.y + v.y + y) * size.x + v.x + x;
    }
    /// To be called with first_place for every block that is not empty, after its spare word has served other ends and before compress.
    VOXCC_HD static void keep_first(const exec::Grid& size, exec::Pointer<std::uint32_t> labels, const exec::Cell& v, std::uint32_t place) {
        if constexpr (!order_is_raster)
            if (const std::int64_t spare = spare_word(size, v); spare >= 0) labels[spare] = voxel_at(size, v, place);
    }

    /// The roots found so far: their words, as far as there is room, and how many.
    struct Roots {
        exec::Pointer<std::uint32_t> count, words;
        std::uint32_t room;
        VOXCC_HD void add(std::int64_t word) const {
            const std::uint32_t slot = exec::append(count);
            if (slot < room) words[slot] = std::uint32_t(word);
        }
    };

    /// Makes a block's word its root, finds first voxels, and lists the roots.
    template <Compression C>
    struct Compress {
        exec::Grid size;
        exec::Pointer<std::uint32_t> labels;
        Roots roots;
        VOXCC_HD void operator()(exec::Cell block) const {
            const exec::Cell v = B::first_voxel(block);
            const std::int64_t at = word(size, block);
            compress<C>(labels, at);
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

    struct List {
        exec::Grid size;
        exec::Pointer<const std::uint32_t> labels;
        Roots roots;
        VOXCC_HD void operator()(exec::Cell block) const {
            const std::int64_t at = word(size, block);
            if (labels[at] == std::uint32_t(at) + 1) roots.add(at);
        }
    };

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

    struct Number {
        exec::Pointer<const std::uint32_t> root, slot_of;
        exec::Pointer<std::uint32_t> labels;
        VOXCC_HD void operator()(std::int64_t k) const { labels[root[slot_of[k]]] = mark | std::uint32_t(k + 1); }
    };

    /// Labels of all voxels but the words of roots, which others still read.
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

    struct PaintRoots {
        exec::Pointer<const std::uint8_t> voxels;
        exec::Pointer<const std::uint32_t> root;
        exec::Pointer<std::uint32_t> labels;
        VOXCC_HD void operator()(std::int64_t k) const { labels[root[k]] = voxels[root[k]] ? labels[root[k]] & ~mark : 0; }
    };

    /// From trees of blocks to final labels. Words of blocks without foreground are 0, spare words of the others hold
    /// their first voxel (keep_first).
    /// @return the number of components
    template <Compression C, class Executor>
    static std::uint32_t finish(Executor& executor, const Problem& p) {
        const VoxelView view{p.size, p.voxels};
        const exec::Grid blocks = B::grid(p.size);
        using Words = exec::Array<std::uint32_t>;
        Words count(executor.memory(), 1);
        Words root(executor.memory(), blocks.cells() / 16 + 1024);  // more components than that take a second pass
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
