// What VolumeInfo states about the files of one format only. Each format has one struct; `voxcc info` prints its members.
#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace voxcc::io {

enum class ArrayOrder { c, fortran };  // c: array[z, y, x]; fortran: array[x, y, z]

/// The axes of an array of numbers. x is the fastest axis in both orders.
// shape (5, 2, 30, 20, 10) in C order: 10 volumes of 10 x 20 x 30 voxels  ->  {ArrayOrder::c, 3, {2, 5}}
struct ArrayAxes {
    ArrayOrder order = ArrayOrder::c;
    int count = 3;                           // of a volume: 1 to 3
    std::vector<std::int64_t> volumes = {};  // extents of the axes that count volumes, fastest first
    bool operator==(const ArrayAxes&) const = default;
};

/// A NumPy file, or an array of an archive of NumPy arrays.
struct NumpyDetails {
    ArrayAxes array;
};

/// An axis of a Zarr array.
struct ZarrAxis {
    std::string name, type, unit;  // "z", "space", "um"; "" if the file does not state it
    std::int64_t size = 1;
};

/// A resolution level of an OME-Zarr image.
struct ResolutionLevel {
    std::string path;
    std::vector<std::int64_t> shape;  // slowest axis first
    std::vector<double> scale;        // per axis, in the units of the axes; empty if the file has none
};

/// The chunks of a Zarr array. Voxels of chunks that are not stored have the fill value.
struct StoredChunks {
    std::vector<std::int64_t> shape, shard;  // slowest axis first; shard: empty if each chunk is a file
    std::int64_t total = 0, stored = 0;      // of shards, or of chunks without shards
    std::string fill;                        // the fill value as text
};

/// A Zarr array, which can be a level of an OME-Zarr image.
// uint16 array "0" of an image with 2 channels  ->  {{ArrayOrder::c, 3}, {{"c", "channel", "", 2}, {"z", "space", "um", 30}, ...},
//     {{"/0", {2, 30, 400, 500}, {1, 2, 0.5, 0.5}}, {"/1", ...}}, {{1, 10, 200, 250}, {}, 24, 24, "0"}}
struct ZarrDetails {
    ArrayAxes array;                      // of one volume; label volumes of NumPy get them
    std::vector<ZarrAxis> axes;           // slowest first
    std::vector<ResolutionLevel> levels;  // of the image, largest first; empty for other arrays. Only describe_volume() sets it
    StoredChunks chunks;
};

/// A DICOM file or series.
// segmentation with two segments  ->  {{"segment 1", "segment 2"}}
struct DicomDetails {
    std::vector<std::string> volume_names;  // what distinguishes each volume; empty for one volume
};

/// The details of a file; std::monostate for formats without details, and if a dataset must be chosen first.
using FormatDetails = std::variant<std::monostate, NumpyDetails, ZarrDetails, DicomDetails>;

/// @return the axes of the array of NumPy or Zarr; null for other formats
inline const ArrayAxes* array_of(const FormatDetails& details) {
    if (const auto* numpy = std::get_if<NumpyDetails>(&details)) return &numpy->array;
    if (const auto* zarr = std::get_if<ZarrDetails>(&details)) return &zarr->array;
    return nullptr;
}

}  // namespace voxcc::io
