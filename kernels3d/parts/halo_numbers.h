// The numbers of a part and of the next voxels beyond its ends.
#pragma once
#include <voxcc/parts.h>

namespace voxcc::parts {

/// Compact numbers 1..count() of the components that have voxels in the part or in the next voxels. The components with next voxels have
/// the numbers 1..beyond().
class HaloedPart::Numbers {
public:
    Numbers(const Rules& rules, std::int64_t part, LabelledPart& labelled, std::span<const std::uint64_t> known, const FinalFace& face);
    std::uint32_t count() const { return std::uint32_t(finals_.size()); }
    std::uint32_t beyond() const { return beyond_; }
    /// The final number of a compact number.
    std::uint64_t final_number(std::uint32_t number) const { return finals_[number - 1]; }
    /// The compact number of a component of the part, by its number in the state - 1; 0 if it is dropped.
    std::span<const std::uint64_t> of_part() const { return of_part_; }
    /// The compact number of a final number, or 0.
    std::uint32_t compact(std::uint64_t final_number) const;

    /// A box of voxels in the coordinates of the part. Its ends may be one voxel beyond the part.
    struct View {
        Box box;
        int sign;               // 1 or -1
        std::uint32_t numbers;  // the voxels have the numbers 1..numbers
    };
    /// The boxes whose counts, with their signs, add up to the counts of the part: the part with the next voxels, without the pairs and
    /// cells that lie completely in the next voxels along an axis.
    std::vector<View> views() const;
    /// The complete part, without next voxels.
    Box own() const { return {{}, count_}; }
    /// Writes the numbers of rows of a box. Thread-safe.
    void read(const Box& box, RowRange rows, std::uint32_t* to) const;

private:
    void read_planes(const Rules& rules, std::int64_t part, const FinalFace& face, std::array<std::vector<std::uint64_t>, 3>& planes) const;
    void compact_all(const std::array<std::vector<std::uint64_t>, 3>& planes, std::span<const std::uint64_t> known);

    const LabelledPart& labelled_;
    std::array<std::int64_t, 3> count_;                 // voxels of the part
    std::array<std::int64_t, 3> next_{};                // 1 along axes with next voxels, else 0
    std::array<std::vector<std::uint32_t>, 3> planes_;  // numbers beyond the end of x: [z][y]; of y: [z][x]; of z: [y][x]
    std::vector<std::uint64_t> finals_;                 // by compact number - 1; ascending from beyond_ on, and before it
    std::vector<std::uint64_t> of_part_;
    std::uint32_t beyond_ = 0;
};

}  // namespace voxcc::parts
