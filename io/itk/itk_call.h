// ITK's exceptions and types translated to ours. Includes ITK, so only .cpp files that use it include this.
#pragma once
#include "io/orientation.h"

#include <itkImageIOBase.h>

namespace voxcc::io {

/// The Error that stands for the exception in flight: out of memory, or bad data with the first line of what ITK says.
Error translated(const std::string& path);

template <class Call>
decltype(auto) with_itk(const std::string& path, Call&& call) {
    try {
        return call();
    } catch (const Error&) {
        throw;
    } catch (...) {
        throw translated(path);
    }
}

/// @throw Error bad_data for a type we do not know
ScalarType scalar_type_of(itk::IOComponentEnum component, const std::string& path);

/// @throw Error bad_data for vectors, colours, complex numbers and types we do not know
ScalarType scalar_type_of(const itk::ImageIOBase& image, const std::string& path);

/// Extent of the first three axes; at least 1 along each. @throw Error bad_data
Extent extent_of(itk::ImageIOBase& image, const std::string& path);

/// Steps between voxels in LPS; axes that the image does not have are unit steps.
Steps lps_steps_of(const itk::ImageIOBase& image);

/// Reads slices [first, first + count) of volume `volume` into `to`, or all there is if the format cannot read in parts.
void read_slices(itk::ImageIOBase& image, std::int64_t first, std::int64_t count, std::int64_t volume, std::byte* to);

}  // namespace voxcc::io
