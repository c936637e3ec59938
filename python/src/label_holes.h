// Fills the holes of a label image.
#pragma once
#include "python/src/axes.h"

#include <voxcc/holes.h>

#include <memory>

namespace voxcc::python {

/// The holes of an array of integers in host memory.
class ImageHoles {
public:
    using Filling = LabelHoles::Filling;
    /// Finds the holes. Axes of length 1 have no faces.
    /// @param connectivity of the labels
    /// @param most_voxels of a hole
    /// @param threads 0: threads_of_call() decides
    /// @throw Error, nb::python_error
    ImageHoles(const Array& labels, Connectivity connectivity, std::uint64_t most_voxels, int threads);
    /// Writes the labels of the holes that are filled, and no other voxels.
    /// @param to of the shape and type of the labels, in any layout
    /// @return the number of voxels that are filled
    std::uint64_t fill(const Array& to, Filling filling) const;

private:
    Axes axes_;
    int threads_;
    std::unique_ptr<LabelHoles> holes_;
};

}  // namespace voxcc::python
