// The one join of pieces: of slabs, strips of slices, parts, blocks, and the ends of periodic volumes.
//
// A piece is a component of one part of the volume. Pieces of different parts that touch belong to one component, so their sets are joined.
// The first voxel of a component is the first voxel of one of its pieces. If pieces are listed in the order of their first voxels, the
// first piece of a set therefore contains the first voxel of the component, and names it: components are numbered in the order of the
// first pieces of their sets.
//
//   // 4 pieces; join(1, 3)  ->  roots 0, 1, 2, 1; numbers 1, 2, 3, 2
#pragma once
#include "kernels3d/base/union_find.h"

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace voxcc {

/// Sets of pieces. A piece is its 0-based place in a list. Not thread-safe.
class PieceSets {
public:
    explicit PieceSets(std::size_t pieces = 0) : parent_(pieces) { std::iota(parent_.begin(), parent_.end(), std::uint64_t{0}); }
    std::size_t size() const { return parent_.size(); }
    /// Appends a piece, as a set of its own.
    void append() { parent_.push_back(parent_.size()); }
    void join(std::uint64_t a, std::uint64_t b) { unite(parent_.data(), a, b); }
    /// The first piece of the set of each piece.
    std::vector<std::uint64_t> roots() && {
        for (std::uint64_t& parent : parent_) parent = parent_[parent];  // a parent is not behind the piece, so its root is known
        return std::move(parent_);
    }

private:
    std::vector<std::uint64_t> parent_;
};

/// The number of the component of each piece. The pieces must be listed in the order of their first voxels.
/// @param root the first piece of the set of each piece
// {0, 1, 2, 1}  ->  {1, 2, 3, 2}
inline std::vector<std::uint64_t> number_sets(std::span<const std::uint64_t> root) {
    std::vector<std::uint64_t> numbers(root.size());
    std::uint64_t sets = 0;
    for (std::size_t i = 0; i < root.size(); ++i) numbers[i] = root[i] == i ? ++sets : numbers[root[i]];
    return numbers;
}

/// Some of the pieces of a volume, and the numbers of their components. All other pieces are components of one piece: the number of such a
/// component is the number of its piece, minus the number of merged pieces before it.
struct ListedPieces {
    std::vector<std::uint64_t> component;  // of each listed piece
    std::vector<std::uint64_t> merged;     // ascending: the listed pieces that are not the first of their component
};

/// @param pieces 1-based numbers of pieces in the order of their first voxels; ascending
/// @param root for each of these pieces, the place in `pieces` of the first piece of its set
// pieces {2, 3}, root {0, 0}: piece 3 belongs to the component of piece 2  ->  component {2, 2}, merged {3}
inline ListedPieces number_listed(std::span<const std::uint64_t> pieces, std::span<const std::uint64_t> root) {
    ListedPieces listed{std::vector<std::uint64_t>(pieces.size()), {}};
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const bool is_first = root[i] == i;
        listed.component[i] = is_first ? pieces[i] - listed.merged.size() : listed.component[root[i]];
        if (!is_first) listed.merged.push_back(pieces[i]);
    }
    return listed;
}

}  // namespace voxcc
