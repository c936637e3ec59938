// What some labellings can do in less time than by painting all labels. A labelling derives from the classes of its abilities.
#pragma once
#include <voxcc/label.h>

#include <functional>
#include <optional>

namespace voxcc {

class LabelledSlice;

/// Counts voxels in less time than measure().
class CountsVoxels {
public:
    virtual ~CountsVoxels() = default;
    /// @throw MemoryLimitReached
    virtual std::vector<std::uint64_t> sizes() = 0;
};

/// Paints rows in any order in the same time, because all of the labelling is in memory.
class PaintsInAnyOrder {
public:
    virtual ~PaintsInAnyOrder() = default;
};

/// Writes slices of numbers as bits, without prepare_paint(). There must be fewer than 2^32 - 1 components.
class WritesSlices {
public:
    virtual ~WritesSlices() = default;
    /// Writes the numbers of consecutive slices. Thread-safe.
    /// @param first index of the first slice
    /// @param to one element per slice, made for the extent of a slice
    virtual void slices(std::int64_t first, std::span<LabelledSlice> to) const = 0;
};

/// Counts shapes and contacts on the device of the labels.
class CountsNeighbours {
public:
    virtual ~CountsNeighbours() = default;
    /// Counts the shape of all components, without slices. Used by measure_shape().
    /// @param final_numbers as for prepare_paint(); no number may be 0
    /// @param add called as add(k - 1, counts) once for each final number k
    /// @return false if the labelling cannot count; then add() has not been called
    virtual bool count_shape(const ShapeRequest& request, std::span<const std::uint64_t> final_numbers,
                             const std::function<void(std::uint64_t, const ShapeCounts&)>& add) = 0;
    /// Counts the contacts between final numbers, as label_contacts(). The final numbers must be less than 2^32.
    /// @param final_numbers as for prepare_paint()
    /// @param memory limit for the pairs; null: none
    /// @return empty if the labelling cannot count them
    virtual std::optional<std::vector<LabelContact>> contacts(Connectivity connectivity, std::span<const std::uint64_t> final_numbers,
                                                              MemoryLimit* memory) = 0;
};

}  // namespace voxcc
