// Converts the component numbers of slabs to component numbers of the volume.
//
// A piece is the part of a component within one slab. A slab numbers its pieces 1, 2, ... by first voxel, and slabs are in raster order.
// The pieces in the order (slab, number) are therefore in the order of their first voxels, and base/pieces.h numbers the components. The
// host processes only the pieces that touch across a face of a slab.
//   // counts = [2, 2], pieces 2 (of slab 0) and 1 (of slab 1) touch  ->  slab 0: 1, 2   slab 1: 2, 3   count = 3
#pragma once
#include "kernels3d/base/pieces.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace voxcc::block_runs::seams {

using std::int64_t;
using std::uint32_t;
using std::uint64_t;

/// Two pieces that touch: their numbers, each in its own slab.
struct TouchingPair {
    uint32_t below, above;
};

/// The volume's component number of each piece of a slab.
struct NumbersOfSlab {
    uint64_t before = 0;            // number of components that begin in earlier slabs
    std::vector<uint32_t> merged;   // pieces of the slab that are not the first piece of their component, ascending
    std::vector<uint64_t> becomes;  // [i]: the number in the volume of piece merged[i]

    /// @param number of a piece in the slab, 1-based
    uint64_t of(uint32_t number) const {
        const auto at = std::size_t(std::lower_bound(merged.begin(), merged.end(), number) - merged.begin());
        return at < merged.size() && merged[at] == number ? becomes[at] : before + number - at;
    }
};

struct VolumeNumbers {
    std::vector<NumbersOfSlab> slabs;
    uint64_t count = 0;  // number of components of the volume
};

/// @param counts [s]: number of pieces of slab s
/// @param pairs [s]: touching pieces of slab s - 1 (`below`) and slab s (`above`). pairs[0] must be empty
inline VolumeNumbers number_pieces(std::span<const uint32_t> counts, std::span<const std::vector<TouchingPair>> pairs) {
    std::vector<uint64_t> before(counts.size() + 1);  // number of pieces of earlier slabs; the index of a piece is before[slab] + number
    for (std::size_t s = 0; s < counts.size(); ++s) before[s + 1] = before[s] + counts[s];
    const auto for_each_contact = [&](const auto& use) {
        for (std::size_t s = 1; s < counts.size(); ++s)
            for (const TouchingPair& pair : pairs[s]) use(before[s - 1] + pair.below, before[s] + pair.above);
    };
    std::vector<uint64_t> pieces;  // indices of the pieces in `pairs`, ascending
    for_each_contact([&](uint64_t a, uint64_t b) { pieces.insert(pieces.end(), {a, b}); });
    std::sort(pieces.begin(), pieces.end());
    pieces.erase(std::unique(pieces.begin(), pieces.end()), pieces.end());
    const auto id_of = [&](uint64_t piece) { return std::size_t(std::lower_bound(pieces.begin(), pieces.end(), piece) - pieces.begin()); };
    PieceSets sets(pieces.size());
    for_each_contact([&](uint64_t a, uint64_t b) { sets.join(id_of(a), id_of(b)); });
    const ListedPieces listed = number_listed(pieces, std::move(sets).roots());

    VolumeNumbers numbers;
    std::size_t id = 0, merged = 0;
    for (std::size_t s = 0; s < counts.size(); ++s) {
        NumbersOfSlab& slab = numbers.slabs.emplace_back();
        slab.before = before[s] - merged;
        for (; id < pieces.size() && pieces[id] <= before[s + 1]; ++id) {
            if (merged == listed.merged.size() || listed.merged[merged] != pieces[id]) continue;
            slab.merged.push_back(uint32_t(pieces[id] - before[s]));
            slab.becomes.push_back(listed.component[id]);
            ++merged;
        }
    }
    numbers.count = before.back() - merged;
    return numbers;
}

}  // namespace voxcc::block_runs::seams
