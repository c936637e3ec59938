// Numbering and painting for forests of blocks (blocks.h): number.h's way, with first voxels that must be looked for.
//
// The root of a component is its first block, not always the block of its first voxel; that one lies in the same layer of blocks.
#pragma once
#include "kernels3d/algorithms/blocks.h"
#include "kernels3d/algorithms/number.h"

namespace voxcc::algorithms {

template <Connectivity K>
struct BlockNumbers {
    using B = Blocks<K>;

    /// Makes a block's word its root, and counts the roots.
    template <Compression C>
    struct Compress {
        exec::Grid size;
        std::uint32_t* labels;
        std::uint32_t* roots;  // how many
        VOXCC_HD void operator()(exec::Cell block) const {
            const std::int64_t at = word(size, block);
            compress<C>(labels, at);
            if (exec::load(labels + at) == std::uint32_t(at) + 1) exec::fetch_add(roots, 1);
        }
    };

    struct List {
        exec::Grid size;
        std::uint32_t* labels;
        std::uint32_t *found, *root;  // how many so far, and which: words
        VOXCC_HD void operator()(exec::Cell block) const {
            const std::int64_t at = word(size, block);
            if (labels[at] != std::uint32_t(at) + 1) return;
            const std::uint32_t slot = exec::fetch_add(found, 1);
            root[slot] = std::uint32_t(at);
            labels[at] = mark | slot;
        }
    };

    /// The first voxel of each component, by slot.
    struct First {
        VoxelView view;
        const std::uint32_t* labels;
        std::uint32_t* first;
        VOXCC_HD void operator()(exec::Cell block) const {
            const std::int64_t at = word(view.size, block);
            const std::uint32_t label = labels[at];
            if (label == 0) return;
            const bool is_root = label & mark;
            const std::int64_t layer = std::int64_t(view.size.x) * view.size.y * B::shape.z;
            if (!is_root && (label - 1) / layer != at / layer) return;
            const std::uint32_t slot = (is_root ? label : labels[label - 1]) & ~mark;
            const exec::Cell v = B::first_voxel(block);
            const Cube own = B::read_own(view, v);
            std::uint32_t best = ~std::uint32_t{0};
            VOXCC_UNROLL
            for (int i = int(B::shape.x * B::shape.y * B::shape.z) - 1; i >= 0; --i) {
                const int x = i % int(B::shape.x), y = i / int(B::shape.x) % int(B::shape.y), z = i / int(B::shape.x * B::shape.y);
                if (own >> cube_bit(x, y, z) & 1) best = std::uint32_t(view.at(v.x + x, v.y + y, v.z + z));
            }
            exec::fetch_min(first + slot, best);
        }
    };

    struct Number {
        const std::uint32_t *root, *slot_of;
        std::uint32_t* labels;
        VOXCC_HD void operator()(std::int64_t k) const { labels[root[slot_of[k]]] = mark | std::uint32_t(k + 1); }
    };

    /// Labels of all voxels but the words of roots, which others still read.
    struct Paint {
        VoxelView view;
        std::uint32_t* labels;
        VOXCC_HD void operator()(exec::Cell block) const {
            const exec::Cell v = B::first_voxel(block);
            const std::int64_t at = view.at(v.x, v.y, v.z);
            const std::uint32_t label = labels[at];
            const bool is_root = label & mark;
            const std::uint32_t number = (label == 0 ? 0 : is_root ? label : labels[label - 1]) & ~mark;
            VOXCC_UNROLL
            for (std::uint32_t z = 0; z < B::shape.z; ++z)
                VOXCC_UNROLL
                for (std::uint32_t y = 0; y < B::shape.y; ++y)
                    VOXCC_UNROLL
                    for (std::uint32_t x = 0; x < B::shape.x; ++x) {
                        if (v.x + x >= view.size.x || v.y + y >= view.size.y || v.z + z >= view.size.z) continue;
                        if (x + y + z == 0 && is_root) continue;
                        const std::int64_t i = view.at(v.x + x, v.y + y, v.z + z);
                        labels[i] = number != 0 && view.voxels[i] ? number : 0;
                    }
        }
    };

    struct PaintRoots {
        const std::uint8_t* voxels;
        const std::uint32_t* root;
        std::uint32_t* labels;
        VOXCC_HD void operator()(std::int64_t k) const { labels[root[k]] = voxels[root[k]] ? labels[root[k]] & ~mark : 0; }
    };

    VOXCC_HD static std::int64_t word(const exec::Grid& size, const exec::Cell& block) {
        const exec::Cell v = B::first_voxel(block);
        return (std::int64_t(v.z) * size.y + v.y) * size.x + v.x;
    }

    /// From trees of blocks, words of blocks without foreground 0, to final labels. @return the number of components
    template <Compression C, class Executor>
    static std::uint32_t finish(Executor& executor, const Problem& p) {
        const VoxelView view{p.size, p.voxels};
        const exec::Grid blocks = B::grid(p.size);
        exec::Array<std::uint32_t> counts(executor.memory(), 2);
        executor.fill("compress", counts, std::uint32_t{0});
        executor.for_each("compress", blocks, Compress<C>{p.size, p.labels, counts.data()});
        const std::uint32_t components = executor.fetch(counts.data());
        exec::Array<std::uint32_t> root(executor.memory(), components), first(executor.memory(), components),
            slot_of(executor.memory(), components);
        executor.fill("number", first, ~std::uint32_t{0});
        executor.for_each("number", blocks, List{p.size, p.labels, counts.data() + 1, root.data()});
        executor.for_each("number", blocks, First{view, p.labels, first.data()});
        std::uint32_t* const slots = slot_of.data();
        executor.for_each("number", components, [=] VOXCC_HD(std::int64_t k) { slots[k] = std::uint32_t(k); });
        executor.sort_by_key("number", first, slot_of);
        executor.for_each("number", components, Number{root.data(), slot_of.data(), p.labels});
        executor.for_each("paint", blocks, Paint{view, p.labels});
        executor.for_each("paint", components, PaintRoots{p.voxels, root.data(), p.labels});
        return components;
    }
};

}  // namespace voxcc::algorithms
