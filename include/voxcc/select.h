// Selects components by size and border contact, and assigns the final numbers. Needs only the table of sums, not the voxels.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace voxcc {

/// The properties by which a component is selected.
struct Candidate {
    std::uint64_t voxels = 0;
    enum class Place : std::uint8_t { inside, at_border } place = Place::inside;  // at_border: see touches_border()
};

enum class Numbering : std::uint8_t { by_first_voxel, by_size };  // by_size: the largest gets number 1; ties by first voxel

struct Criteria {
    std::uint64_t min_voxels = 0, max_voxels = ~std::uint64_t{0};  // both inclusive
    std::optional<std::uint64_t> keep_largest;                     // applied after the other criteria
    /// Which of the components that have the size of the smallest kept component are kept: those with the first or the last first voxels,
    /// or all of them, which can be more than keep_largest.
    enum class Ties : std::uint8_t { first, last, all } ties = Ties::first;
    enum class Border : std::uint8_t { keep, clear } border = Border::keep;
    Numbering numbering = Numbering::by_first_voxel;
    /// Whether these criteria keep every component of every volume, and all numbers.
    bool keep_all() const { return *this == Criteria(); }
    bool operator==(const Criteria&) const = default;
};

struct Selection {
    /// Final number of each component, or 0 if it is dropped; entry k - 1 for raster number k. Empty if all numbers stay as they are.
    std::vector<std::uint64_t> final_numbers;
    /// Rows (raster number - 1) of the kept components, in the order of their final numbers. Empty if final_numbers is empty.
    std::vector<std::uint64_t> rows;
    std::uint64_t count = 0;  // number of kept components

    bool is_identity() const { return final_numbers.empty(); }
    /// The row (raster number - 1) of the component with a final number. @param number in [1, count]
    std::uint64_t row_of(std::uint64_t number) const { return is_identity() ? number - 1 : rows[number - 1]; }
};

/// Applies the criteria.
/// @param candidates all components, in the order of their raster numbers
// voxels {5, 9, 7}, keep_largest 2, by_size  ->  final_numbers {0, 1, 2}, rows {1, 2}, count 2
Selection select(const std::vector<Candidate>& candidates, const Criteria& criteria);

}  // namespace voxcc
