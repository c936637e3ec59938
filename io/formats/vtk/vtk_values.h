// The values of the arrays of a legacy VTK file: their types, and where they end.
#pragma once
#include "io/io.h"

#include <string_view>

namespace voxcc::io {

class VtkWords;

enum class VtkEncoding : std::uint8_t { text, binary };  // binary: big-endian numbers

/// How the values of an array are stored. fractions: texts from 0 to 1, which stand for the bytes 0 to 255.
enum class VtkValues : std::uint8_t { numbers, bits, fractions, strings };

struct VtkType {
    std::string_view name;  // in lower case
    ScalarType type = ScalarType::u8;
    VtkValues values = VtkValues::numbers;
};

/// Finds a type by its name in upper or lower case. @return null if VTK does not define it, or if it is not read
const VtkType* vtk_type(std::string_view name);

/// Values that are stored one after the other.
struct VtkRun {
    VtkEncoding encoding = VtkEncoding::text;
    VtkType type;
    std::int64_t count = 0;
};

/// Passes values. A text must have a blank or a line end after its last value, because digits could be missing otherwise.
/// @param name of the array, for errors @throw Error invalid_file, truncated_file
void pass_values(VtkWords& words, const VtkRun& run, const std::string& path, const std::string& name);

/// Passes the block METADATA that may follow an array: names of components, and the information of VTK.
/// @throw Error invalid_file, truncated_file
void pass_metadata(VtkWords& words, std::int64_t components, const std::string& path);

}  // namespace voxcc::io
