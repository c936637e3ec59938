// Where the voxels of an HDF5 dataset lie in its file: all that is needed to read them without the HDF5 library.
//
// A process of its own fills these structs with the library (hdf5_process.h), and sends them here, where every number is checked.
#pragma once
#include "io/io.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace voxcc::io::hdf5 {

enum class Storage : std::uint8_t {
    contiguous,  // one run of elements
    chunked,     // chunks whose filters we undo
    library,     // all else (szip, scale-offset, compact, virtual, external, odd types): the other process reads it with the library
};

/// How a stored element becomes a voxel.
enum class Conversion : std::uint8_t { none, swap_bytes, half, swapped_half };

struct ElementFormat {
    ScalarType voxel = ScalarType::u8;
    Conversion conversion = Conversion::none;
    std::int64_t bytes = 1;  // of a stored element
};

struct Filter {
    int id = 0;  // as the HDF Group registered it: 1 deflate, 2 shuffle, 3 fletcher32, 32000 LZF
    std::vector<unsigned> values;
};

/// One volume of a dataset. Axes are counted from 0, the slowest.
struct Layout {
    std::string dataset;
    Storage storage = Storage::library;
    ElementFormat element;
    std::vector<std::int64_t> shape;  // elements along each axis
    std::vector<std::int64_t> chunk;  // elements of a chunk along each axis; contiguous: the shape
    std::vector<std::int64_t> start;  // of the volume along each axis; 0 along the axes of space
    std::optional<std::size_t> z;     // none: an image of one slice
    std::size_t y = 0, x = 0;
    std::vector<Filter> filters;
    std::vector<std::byte> fill;  // the element that unwritten chunks consist of
    std::int64_t offset = -1;     // contiguous: of the first element in the file; -1: never written
    Extent extent() const { return {shape[x], shape[y], z ? shape[*z] : 1}; }
    std::int64_t chunk_bytes() const;
};

/// A stored chunk. Never written: offset -1.
struct ChunkLocation {
    std::int64_t offset = -1, bytes = 0;
    std::uint32_t skipped = 0;  // bit k: filter k was not applied to this chunk
    bool is_stored() const { return offset >= 0; }
};

/// `count` chunks that follow each other along x, the first of which holds the voxel x, y, z.
struct ChunkRow {
    std::int64_t x = 0, y = 0, z = 0, count = 0;
};

/// Slices [z, z + nz), rows [y, y + ny) of each, columns [x, x + nx) of those.
struct Box {
    std::int64_t z = 0, nz = 0, y = 0, ny = 0, x = 0, nx = 0;
    std::size_t voxels() const { return std::size_t(nx * ny * nz); }
};

constexpr std::int64_t largest_chunk = std::int64_t{1} << 30;  // bytes, unpacked

/// Checks that the numbers of a layout fit each other, the volume and the file: nothing of it may lead a reader past an array or make it
/// allocate more than chunks of largest_chunk.
/// @param extent of the volume; @param file_size in bytes
/// @return whether they do
bool is_consistent(const Layout& layout, const Extent& extent, std::int64_t file_size);

}  // namespace voxcc::io::hdf5
