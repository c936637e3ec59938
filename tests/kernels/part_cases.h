// Volumes and rules for the tests of volumes that are labelled in parts.
#pragma once
#include <voxcc/parts.h>
#include "kernels3d/api/memory_source.h"

#include "kernels/volumes.h"

#include <doctest/doctest.h>
#include <algorithm>

namespace part_cases {

using namespace voxcc;

inline ThreadPool& pool() {
    static ThreadPool two(2);
    return two;
}

/// The states of all parts in memory.
struct HeldStates : parts::PartStates {
    std::vector<parts::PartState> states;
    std::vector<std::uint32_t> row_counts(std::int64_t part) override { return states[std::size_t(part)].row_counts; }
    std::vector<std::uint32_t> face(std::int64_t part, int face) override { return states[std::size_t(part)].faces[std::size_t(face)]; }
    parts::FaceComponents face_components(std::int64_t part) override { return parts::face_components(states[std::size_t(part)]); }
    std::vector<std::uint64_t> sizes(std::int64_t part) override {
        std::vector<std::uint64_t> sizes;
        const SumTable& sums = states[std::size_t(part)].sums;
        for (std::size_t row = 0; row < sums.size(); ++row) sizes.push_back(sums.voxels(row));
        return sizes;
    }
};

inline std::vector<std::uint8_t> voxels_of(const std::vector<std::uint8_t>& volume, const Extent& extent, const parts::Box& box) {
    std::vector<std::uint8_t> voxels;
    for (std::int64_t z = 0; z < box.count[2]; ++z)
        for (std::int64_t y = 0; y < box.count[1]; ++y) {
            const auto from = volume.begin() + box.first[0] + extent.nx * (box.first[1] + y + extent.ny * (box.first[2] + z));
            voxels.insert(voxels.end(), from, from + box.count[0]);
        }
    return voxels;
}

inline parts::LabelledPart labelled(const std::vector<std::uint8_t>& volume, const parts::Rules& rules, std::int64_t part) {
    const ForegroundPacker packer(ScalarType::u8, {});
    const parts::Box box = rules.grid.box(part);
    const std::vector<std::uint8_t> voxels = voxels_of(volume, rules.grid.volume(), box);
    MemorySource source(reinterpret_cast<const std::byte*>(voxels.data()), box.extent(), packer);
    return parts::LabelledPart(rules, part, source, pool());
}

/// Scratch in memory.
struct HeldScratch : parts::Scratch {
    std::vector<std::byte> bytes;
    std::uint64_t append(std::span<const std::byte> added) override {
        bytes.insert(bytes.end(), added.begin(), added.end());
        return bytes.size() - added.size();
    }
    void write(std::uint64_t place, std::span<const std::byte> from) override {
        REQUIRE(place + from.size() <= bytes.size());
        std::ranges::copy(from, bytes.begin() + std::ptrdiff_t(place));
    }
    void read(std::uint64_t place, std::span<std::byte> to) override {
        REQUIRE(place + to.size() <= bytes.size());
        std::copy_n(bytes.begin() + std::ptrdiff_t(place), to.size(), to.begin());
    }
};

/// A number in [low, high].
inline std::int64_t drawn(std::mt19937_64& rng, std::int64_t low, std::int64_t high) {
    return low + std::int64_t(rng() % std::uint64_t(high - low + 1));
}

inline parts::Rules drawn_rules(std::mt19937_64& rng, const Extent& extent) {
    const parts::Grid grid(extent, {drawn(rng, 1, extent.nx + 2), drawn(rng, 1, extent.ny + 2), drawn(rng, 1, extent.nz + 2)});
    parts::Rules rules{{}, grid};
    const std::array connectivities{Connectivity::c6, Connectivity::c18, Connectivity::c26};
    rules.connectivity = connectivities[rng() % 3];
    rules.rule = rng() % 3 == 0 ? Rule::equal_values : Rule::foreground;
    for (bool& axis : rules.periodic.axes) axis = rng() % 4 == 0;
    rules.border = extent;
    if (rules.periodic.axes[0]) rules.border.nx = 1;
    if (rules.periodic.axes[1]) rules.border.ny = 1;
    if (rules.periodic.axes[2]) rules.border.nz = 1;
    if (rng() % 3 == 0) rules.criteria.min_voxels = std::uint64_t(drawn(rng, 1, 6));
    if (rng() % 4 == 0) rules.criteria.max_voxels = std::uint64_t(drawn(rng, 6, 40));
    if (rng() % 4 == 0) rules.criteria.border = Criteria::Border::clear;
    if (rng() % 4 == 0) rules.criteria.keep_largest = std::uint64_t(drawn(rng, 1, 6));
    if (rng() % 4 == 0) rules.criteria.numbering = Numbering::by_size;
    return rules;
}

}  // namespace part_cases
