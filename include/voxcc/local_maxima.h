// Local maxima of an image inside each component.
//
// A plateau is a largest set of voxels of one component that have the same value and are connected by steps to the 26 neighbours (8 in a
// slice). A plateau is a local maximum if no voxel of the component that is a neighbour of the plateau has a greater value. The maximum is
// at the first voxel of the plateau in raster order. Most plateaus are single voxels.
//
//   values of one component: 1 3 3 1 2 1 0 0   ->  maxima 3 at x = 1, 2 at x = 4
#pragma once
#include <voxcc/memory_limit.h>
#include <voxcc/statistics.h>

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace voxcc {

struct LocalMaximum {
    std::uint32_t component = 0;
    std::array<std::uint32_t, 3> at{};  // x y z of the first voxel of the plateau
    double stored = 0;                  // the stored value; 64-bit integers are rounded
    bool operator==(const LocalMaximum&) const = default;
};

/// Finds the local maxima of all components in one pass, in raster order. Memory: slice_bytes() for four slices, and 32 bytes per plateau
/// that can still be a maximum. Not thread-safe.
class LocalMaxima {
public:
    /// Which stored values are the greater ones; `lower` for a scaling with a negative slope.
    enum class Greater : std::uint8_t { higher, lower };
    /// @param memory limit for the plateaus; null: none. Must outlive this object
    LocalMaxima(ScalarType type, const Extent& extent, Greater greater, MemoryLimit* memory);
    LocalMaxima(LocalMaxima&&) noexcept;
    ~LocalMaxima();
    /// Adds the next row in raster order. NaN is not a maximum, and not greater than a neighbour.
    /// @tparam Index std::uint32_t or std::uint64_t
    /// @param components component number of each voxel, below 2^32; 0 is background
    /// @param values must hold components.size() stored values; may begin at any byte
    /// @throw MemoryLimitReached; Error out_of_memory, unsupported
    template <class Index>
    void add_row(std::span<const Index> components, std::span<const std::byte> values);
    /// Must be called once, after the last row.
    /// @return the maxima by component; of a component, the greatest first; ties: the first in raster order
    std::vector<LocalMaximum> finish();

    /// Memory of the slices, in bytes.
    static std::int64_t slice_bytes(ScalarType type, const Extent& extent);

    class Finder;

private:
    std::unique_ptr<Finder> finder_;
    std::vector<std::uint32_t> row_;
};

/// Drops maxima that are nearer than `distance` to a maximum of the same component that is kept. The greatest maxima are kept first.
/// @param maxima in the order of LocalMaxima::finish(), which is kept
/// @param distance in mm. Distances that are equal to it, with a tolerance of 1e-9, are kept
// spacing 1 mm, maxima 9 at x = 0, 8 at x = 2, 7 at x = 4, distance 3  ->  9 and 7
std::vector<LocalMaximum> keep_apart(const std::vector<LocalMaximum>& maxima, const World& world, double distance);

}  // namespace voxcc
