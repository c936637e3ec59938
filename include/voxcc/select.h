// Which components stay, and under which numbers: decided on the table, before any voxel is painted.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace voxcc {

/// What a component is selected by.
struct Candidate {
    std::uint64_t voxels = 0;
    enum class Place : std::uint8_t { inside, at_border } place = Place::inside;
};

enum class Numbering : std::uint8_t { by_first_voxel, by_size };  // by_size: largest = 1, ties by first voxel

struct Criteria {
    std::uint64_t min_voxels = 0, max_voxels = ~std::uint64_t{0};  // both inclusive
    std::optional<std::uint64_t> keep_largest;                     // of those that the others leave; ties by first voxel
    enum class Border : std::uint8_t { keep, clear } border = Border::keep;
    Numbering numbering = Numbering::by_first_voxel;
    /// Whether all components stay, whatever they are, under the numbers that they have.
    bool keep_all() const { return *this == Criteria(); }
    bool operator==(const Criteria&) const = default;
};

struct Selection {
    /// Final number of each component (row k - 1 for raster number k), 0 if dropped. Empty if every number stays as it is.
    std::vector<std::uint64_t> final_numbers;
    /// Rows of the components that stay, in the order of their final numbers. Empty together with final_numbers.
    std::vector<std::uint64_t> rows;
    std::uint64_t count = 0;

    bool is_identity() const { return final_numbers.empty(); }
    /// The row of the component with a final number, 1..count.
    std::uint64_t row_of(std::uint64_t number) const { return is_identity() ? number - 1 : rows[number - 1]; }
};

/// @param candidates all components in raster order
Selection select(const std::vector<Candidate>& candidates, const Criteria& criteria);

}  // namespace voxcc
