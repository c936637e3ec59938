// Conversion of exceptions and types of ITK. This header includes ITK, so only .cpp files that use ITK may include it.
#pragma once
#include "io/orientation.h"

#include <itkImageIOBase.h>

namespace voxcc::io {

/// Converts the current exception to an Error: out_of_memory, or about the content with the first line of the message of ITK. Must be
/// called in a catch block. @param path named in the error
Error translated(const std::string& path);

/// Runs `call` and returns its result. Converts exceptions that are not Error with translated().
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

/// @return the type of a component. @throw Error about the content for an unsupported type
ScalarType scalar_type_of(itk::IOComponentEnum component, const std::string& path);

/// @return the type of the voxels. @throw Error about the content for vectors, colours, complex numbers and unsupported types
ScalarType scalar_type_of(const itk::ImageIOBase& image, const std::string& path);

/// @return the type of packed colours (Colours::pack): u32 or u64
/// @throw Error about the content if the voxels are not colours of 3 or 4 channels of 8 or 16 bits
ScalarType colour_type_of(const itk::ImageIOBase& image, const std::string& path);

/// Packs colours.
/// @param channels the channels of all colours, one colour after the other
/// @param count number of channels per colour, 3 or 4
/// @param type u32 or u64
/// @param to must have room for all colours
// [1 2 3 7 8 9] of 8 bits, count = 3, u32  ->  [0x030201 0x090807]
void pack_colours(std::span<const std::byte> channels, int count, ScalarType type, std::byte* to);

/// @return extent of the first three axes; missing axes have length 1. @throw Error about the content
Extent extent_of(itk::ImageIOBase& image, const std::string& path);

/// @return steps between voxels in LPS, in mm; missing axes are unit steps
Steps lps_steps_of(const itk::ImageIOBase& image);

/// Reads slices [first, first + count) of `volume` (0-based) into `to`. Reads all volumes if the format does not support partial reads.
/// `to` must have room for the voxels read.
void read_slices(itk::ImageIOBase& image, std::int64_t first, std::int64_t count, std::int64_t volume, std::byte* to);

}  // namespace voxcc::io
