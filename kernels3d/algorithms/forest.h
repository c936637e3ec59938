// Union-find in the label volume, as the papers have it: word i holds 1 + the index of i's parent, a root its own, 0 is background.
//
// Source: Oliveira, Lotufo 2010 (UF); Playne, Hawick 2018; the procedures Find, Union, Compress and InlineCompress of Allegretti,
// Bolelli, Grana 2019, section 2.1. A parent is never behind its child, so that a root is the first of its tree.
#pragma once
#include "kernels3d/exec/atomic.h"
#include "kernels3d/exec/pointer.h"

#include <cstdint>

namespace voxcc::algorithms {

/// The label of the root above `label`; others may be uniting.
VOXCC_HD inline std::uint32_t find(exec::Pointer<const std::uint32_t> labels, std::uint32_t label) {
    for (std::uint32_t parent; (parent = exec::load(labels + label - 1)) != label;) label = parent;
    return label;
}

/// Joins two trees; others may do so at the same time. The later root gets the earlier one as parent by an atomic minimum; a root that
/// has found another parent meanwhile goes on with that one.
/// @return an ancestor of both, from which the next union of either starts with fewer steps
VOXCC_HD inline std::uint32_t unite(exec::Pointer<std::uint32_t> labels, std::uint32_t a, std::uint32_t b) {
    const std::uint32_t parent = exec::load(labels + b - 1);
    if (parent == a) return a;  // as most are, once a component has grown
    a = find(labels, a);
    b = find(labels, parent);
    while (a != b) {
        if (a < b) {
            const std::uint32_t earlier = a;
            a = b, b = earlier;
        }
        // No look at the root past the cache before: that takes longer than the atomic operation, which renews the cache as well.
        const std::uint32_t above = exec::fetch_min(labels + a - 1, b);
        if (above == a) return b;
        a = find(labels, above);
        b = find(labels, b);
    }
    return a;
}

enum class Compression : std::uint8_t { plain, inline_steps };

/// Makes word `at` hold its root. inline_steps (InlineCompress, IC): also after every step on the way, so that others that climb through
/// it find a shorter way.
template <Compression C>
VOXCC_HD inline void compress(exec::Pointer<std::uint32_t> labels, std::int64_t at) {
    std::uint32_t label = exec::load(labels + at);
    if (label == 0) return;
    if constexpr (C == Compression::plain) {
        exec::store(labels + at, find(labels, label));
    } else {
        for (std::uint32_t parent; (parent = exec::load(labels + label - 1)) != label;) {
            label = parent;
            exec::store(labels + at, label);
        }
    }
}

/// The phase of that.
template <Compression C>
struct CompressWords {
    exec::Pointer<std::uint32_t> labels;
    VOXCC_HD void operator()(std::int64_t i) const { compress<C>(labels, i); }
};

}  // namespace voxcc::algorithms
