// The header of a NumPy file (.npy), versions 1.0 to 3.0: magic bytes, version, length, and a Python dictionary as text.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
//
// The dictionary is parsed strictly. Nothing is evaluated, and Python objects are never loaded.
#pragma once
#include "io/files/checked_file.h"
#include "io/formats/stored/stored_volume.h"
#include "io/io.h"

#include <functional>
#include <string_view>

namespace voxcc::io {

constexpr std::string_view npy_magic = "\x93NUMPY";

struct NpyHeader {
    std::string descr;  // type and byte order: "<u2"
    ArrayOrder order = ArrayOrder::c;
    std::vector<std::int64_t> shape;  // as in the file, neither checked for its sign nor for its product
    std::int64_t end = 0;             // byte offset of the first voxel
};

/// Reads up to to.size() bytes from byte `offset` of an array. @return bytes; fewer only at the end
using ReadBytes = std::function<std::size_t(std::int64_t offset, std::span<std::byte> to)>;

/// Reads and parses the header of an array. @param path named in errors
/// @throw Error invalid_file, truncated_file; unsupported_file for another version or a header of more than 64 KiB; several_values for
/// arrays of records
// "\x93NUMPY\1\0v\0{'descr': '<u2', 'fortran_order': False, 'shape': (2, 3, 4), }   ...\n"
//   ->  {"<u2", ArrayOrder::c, {2, 3, 4}, 128}
NpyHeader read_npy_header(const std::string& path, const ReadBytes& read_bytes);
NpyHeader read_npy_header(const InputFile& file);

/// How the elements of an array are stored, and the type that a reader returns.
struct NpyType {
    ScalarType type = ScalarType::u8;
    std::string_view name;  // in numpy: "bool", "float16"
    Samples samples = Samples::voxels;
    std::endian byte_order = std::endian::native;
};

/// @return the type of a descr: one of < > = | or nothing, then b1, i1 to i8, u1 to u8, f2, f4 or f8. Only < and > state a byte order;
/// others mean the order of this machine, as in numpy.
/// @throw Error several_values for complex numbers; unsupported_file for other types
// ">i2"  ->  {i16, "int16", Samples::voxels, big}
NpyType parse_npy_type(std::string_view descr, const std::string& path);

/// Describes the volumes of an array. @return a description without compression and unit
/// @throw Error as parse_npy_type(); invalid_file, unsupported_file for extents that are not positive or for no axes
VolumeInfo describe_array(const NpyHeader& header, const NpyType& type, const std::string& path);

/// @return the complete header of a file of version 1.0, as numpy.save() writes it; its length is a multiple of 64 bytes
/// @param axes extents of the array, fastest axis first; at least 1
std::string npy_header_text(ScalarType type, ArrayOrder order, std::span<const std::int64_t> axes);

/// The header of a label volume: with the axes of a NumPy input, else in the order array[i, j, k], as nibabel has it for the same volume.
/// Axes that count volumes are kept if the file has all volumes of the input. Otherwise there is one.
std::string npy_label_header(const LabelVolume& volume);

}  // namespace voxcc::io
