// The arrays of a Zarr output: their shapes, chunks and shards.
//
//   slices of a volume    |================|================|=========|
//   blocks                |-------0--------|-------1--------|----2----|     a block has complete slices, and complete chunks or shards
//   chunks of a block     rows and columns in squares of 128 to 512 voxels
#pragma once
#include <voxcc/volume.h>
#include "io/formats/zarr/array.h"

namespace voxcc::io::zarr {

/// An axis along which the volumes of an array are counted: volume v has the position v / stride % extent.
// "T" 3 and "C" 2 where C is the fastest axis of the input  ->  {"t", 3, 2}, {"c", 2, 1}
struct OuterAxis {
    std::string name;
    std::int64_t extent = 1, stride = 1;
};

/// The form that all arrays of an output have in common.
struct ArrayForm {
    int format = 3;  // of Zarr: 2 or 3
    ScalarType type = ScalarType::u32;
    int compress = 1;                // 0: chunks are not compressed
    std::size_t axes_of_volume = 3;  // 2: y and x
    std::vector<OuterAxis> outer{};  // the axes before the axes of the volume, slowest first

    /// @return one number per axis of the array, slowest first: for the axes of a volume the numbers of `extent`
    // axes t, z, y, x; {4, 3, 2}  ->  shape {5, 2, 3, 4} if t has 5 positions; chunk {1, 2, 3, 4}; position {3, 2, 3, 4} for volume 3
    std::vector<std::int64_t> shape(const Extent& extent) const;
    std::vector<std::int64_t> chunk(const Extent& extent) const;
    std::vector<std::int64_t> position(std::int64_t volume, const Extent& index) const;
    KeyStyle keys() const { return format == 3 ? KeyStyle{KeyStyle::Prefix::c, '/'} : KeyStyle{KeyStyle::Prefix::none, '/'}; }

private:
    template <class OfOuter>
    std::vector<std::int64_t> per_axis(const Extent& extent, const OfOuter& of_outer) const;
};

/// One array of an output.
struct ArrayLayout {
    std::string path;  // in the folder; "" for the only array of an output without OME-Zarr
    Extent extent;
    Extent chunk;  // voxels that are compressed together
    Extent unit;   // voxels of a file: a shard, or a chunk in Zarr v2

    /// The layout depends on the extent and the format only, and not on the type.
    static ArrayLayout of(std::string path, const Extent& extent, int format);
    std::int64_t rows_per_block() const;
    std::int64_t blocks() const { return (extent.rows() - 1) / rows_per_block() + 1; }  // of a volume
    /// The files of a block of a volume, in the order of their indices: those that can exist, although all of their voxels may be 0.
    std::vector<Extent> units_of(std::int64_t block) const;  // indices of the units along x, y and z
};

/// The levels of an output without an image: each extent is half of the extent before it, rounded up, until no extent exceeds 256.
// {600, 3, 1}  ->  {600, 3, 1}, {300, 2, 1}, {150, 1, 1}
std::vector<Extent> pyramid_of(const Extent& extent);

}  // namespace voxcc::io::zarr
