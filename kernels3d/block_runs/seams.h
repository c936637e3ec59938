// From the numbers of slabs to those of the volume.
//
// A slab numbers its components by their first voxels, and slabs follow each other in raster order. So of the pieces of a component the
// first in (slab, number) has its first voxel, also where they touch around the ends of z, and components are numbered by the order of
// their first pieces: a piece that is none keeps its place less the pieces before it that have been merged. Only what touches faces is
// looked at on the host.
#pragma once
#include "kernels3d/union_find.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace voxcc::block_runs::slabs {

using std::int64_t;
using std::uint32_t;
using std::uint64_t;

/// Numbers of components that touch, each in its own slab.
struct TouchingPair {
    uint32_t below, above;
};

/// The volume's number of each component of a slab.
struct SlabNumbers {
    uint64_t before = 0;            // components that begin in earlier slabs
    std::vector<uint32_t> merged;   // numbers in the slab that are part of earlier pieces, ascending
    std::vector<uint64_t> becomes;  // their numbers in the volume

    /// @param number from 1, in the slab
    uint64_t of(uint32_t number) const {
        const auto at = std::size_t(std::lower_bound(merged.begin(), merged.end(), number) - merged.begin());
        return at < merged.size() && merged[at] == number ? becomes[at] : before + number - at;
    }
};

struct VolumeNumbers {
    std::vector<SlabNumbers> slabs;
    uint64_t count = 0;  // of the volume's components
};

/// @param counts components of each slab
/// @param pairs [s]: what touches between the slab before s and s; before the first one comes the last, where the volume wraps around
inline VolumeNumbers number_slabs(std::span<const uint32_t> counts, std::span<const std::vector<TouchingPair>> pairs) {
    std::vector<uint64_t> before(counts.size() + 1);  // pieces of earlier slabs; a piece is known as before[slab] + its number
    for (std::size_t s = 0; s < counts.size(); ++s) before[s + 1] = before[s] + counts[s];
    const auto for_each_contact = [&](const auto& use) {
        for (std::size_t s = 0; s < counts.size(); ++s)
            for (const TouchingPair& pair : pairs[s]) use(before[(s > 0 ? s : counts.size()) - 1] + pair.below, before[s] + pair.above);
    };
    std::vector<uint64_t> pieces;  // that touch others, ascending
    for_each_contact([&](uint64_t a, uint64_t b) { pieces.insert(pieces.end(), {a, b}); });
    std::sort(pieces.begin(), pieces.end());
    pieces.erase(std::unique(pieces.begin(), pieces.end()), pieces.end());
    const auto id_of = [&](uint64_t piece) { return std::size_t(std::lower_bound(pieces.begin(), pieces.end(), piece) - pieces.begin()); };
    std::vector<std::size_t> parent(pieces.size());
    for (std::size_t id = 0; id < parent.size(); ++id) parent[id] = id;
    for_each_contact([&](uint64_t a, uint64_t b) { unite(parent.data(), id_of(a), id_of(b)); });

    VolumeNumbers numbers;
    std::vector<uint64_t> number(pieces.size());
    uint64_t merged = 0;
    std::size_t id = 0;
    for (std::size_t s = 0; s < counts.size(); ++s) {
        SlabNumbers& slab = numbers.slabs.emplace_back();
        slab.before = before[s] - merged;
        for (; id < pieces.size() && pieces[id] <= before[s + 1]; ++id) {
            if (parent[id] == id) {
                number[id] = pieces[id] - merged;
                continue;
            }
            number[id] = number[parent[id]];
            slab.merged.push_back(uint32_t(pieces[id] - before[s]));
            slab.becomes.push_back(number[id]);
            ++merged;
        }
    }
    numbers.count = before.back() - merged;
    return numbers;
}

}  // namespace voxcc::block_runs::slabs
