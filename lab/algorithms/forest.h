// Union-find in the label volume: word i holds 1 + the index of the parent of i. A root holds 1 + its own index; 0 is background.
//
//   // labels = [1, 1, 0, 2, 5]: 0 and 4 are roots; parents 1 -> 0 and 3 -> 1; voxel 2 is background
// A parent is never behind its child in raster order. A root is therefore the first voxel of its tree.
//
// Source: Oliveira, Lotufo 2010 (UF); Playne, Hawick 2018; the procedures Find, Union, Compress and InlineCompress of Allegretti,
// Bolelli, Grana 2019, section 2.1.
#pragma once
#include "kernels3d/exec/atomic.h"
#include "kernels3d/exec/pointer.h"
#include "kernels3d/exec/shared_pointer.h"

#include <cstdint>

namespace voxcc::algorithms {

// `Words` is a pointer to the labels: an exec::Pointer, or an exec::SharedPointer to labels in the shared memory of a tile.

/// The label of the root of the tree that contains `label`. Other threads may call unite() at the same time.
/// @param label 1 + the index of a foreground voxel
template <class Words>
VOXCC_HD inline std::uint32_t find(Words labels, std::uint32_t label) {
    for (std::uint32_t parent; (parent = exec::load(labels + label - 1)) != label;) label = parent;
    return label;
}

/// Joins the trees that contain the labels a and b. Thread-safe. An atomic minimum makes the earlier root the parent of the later root. If
/// another thread has linked the later root meanwhile, the loop continues with the parent that the other thread stored.
/// @return a common ancestor of a and b; a later union with a or b may start from it and takes fewer steps
template <class Words>
VOXCC_HD inline std::uint32_t unite(Words labels, std::uint32_t a, std::uint32_t b) {
    const std::uint32_t parent = exec::load(labels + b - 1);
    if (parent == a) return a;  // the most frequent case in large components
    a = find(labels, a);
    b = find(labels, parent);
    while (a != b) {
        if (a < b) {
            const std::uint32_t earlier = a;
            a = b, b = earlier;
        }
        // No uncached load before the atomic operation: such a load takes longer than the operation, which also updates the cache.
        const std::uint32_t above = exec::fetch_min(labels + a - 1, b);
        if (above == a) return b;
        a = find(labels, above);
        b = find(labels, b);
    }
    return a;
}

/// Joins the labels a and b of one component, without a search for their roots. Thread-safe. An atomic minimum can replace an older link of
/// the larger label. The loop then joins the end of the replaced link and the end of the new link, so that no link is lost. Both ends are
/// smaller than the larger label. The loop therefore ends.
template <class Words>
VOXCC_HD inline void join(Words labels, std::uint32_t a, std::uint32_t b) {
    while (a != b) {
        if (a < b) {
            const std::uint32_t earlier = a;
            a = b, b = earlier;
        }
        if (exec::load(labels + a - 1) == b) return;  // the thread that replaces this link joins its ends
        const std::uint32_t above = exec::fetch_min(labels + a - 1, b);
        a = above == a ? b : above;
    }
}

enum class Compression : std::uint8_t { plain, inline_steps };

/// Makes word `at` point to its root, step by step. With inline_steps (InlineCompress, IC), the word is stored after every step towards
/// the root. This shortens the paths of other threads that pass through the word.
template <Compression C, class Words = exec::Pointer<std::uint32_t>>
class CompressWalk {
public:
    /// A walk of a background word: it has no steps.
    VOXCC_HD explicit CompressWalk(Words labels) : labels_(labels), at_(0), label_(0) {}
    VOXCC_HD CompressWalk(Words labels, std::int64_t at) : labels_(labels), at_(at), label_(exec::load(labels + at)) {}

    /// Whether the word is foreground. Must be true before step().
    VOXCC_HD bool begins() const { return label_ != 0; }
    /// Goes to the parent. @return whether there was a parent; if not, the walk is at its end
    VOXCC_HD bool step() {
        const std::uint32_t parent = exec::load(labels_ + label_ - 1);
        const bool at_root = parent == label_;
        label_ = parent;
        if (at_root == (C == Compression::plain)) exec::store(labels_ + at_, label_);
        return !at_root;
    }

private:
    Words labels_;
    std::int64_t at_;
    std::uint32_t label_;  // the word, or the ancestor that the walk has reached; 0: background
};

/// Makes word `at` point to its root.
template <Compression C, class Words>
VOXCC_HD inline void compress(Words labels, std::int64_t at) {
    CompressWalk<C, Words> walk(labels, at);
    if (!walk.begins()) return;
    while (walk.step()) {
    }
}

/// Phase: compress() for every word.
template <Compression C>
struct CompressWords {
    exec::Pointer<std::uint32_t> labels;
    VOXCC_HD void operator()(std::int64_t i) const { compress<C>(labels, i); }
    VOXCC_HD CompressWalk<C> walk(std::int64_t i) const { return {labels, i}; }
};

}  // namespace voxcc::algorithms
