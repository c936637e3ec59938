// The storage layout of an HDF5 dataset: everything that is needed to read its voxels without the HDF5 library.
//
// A child process fills these structs with the library (hdf5_process.h) and sends them to this process, which checks every number.
#pragma once
#include "io/chunked_reader.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace voxcc::io::hdf5 {

enum class Storage : std::uint8_t {
    contiguous,  // one contiguous range of elements
    chunked,     // chunks whose filters are decoded here
    library,     // read by the child process with the library (szip, scale-offset, compact, virtual, external, unusual types)
};

/// Conversion of a stored element to a voxel.
enum class Conversion : std::uint8_t { none, swap_bytes, half, swapped_half };

struct ElementFormat {
    ScalarType voxel = ScalarType::u8;
    Conversion conversion = Conversion::none;
    std::int64_t bytes = 1;  // per stored element
};

struct Filter {
    int id = 0;  // registered id: 1 deflate, 2 shuffle, 3 fletcher32, 32000 LZF
    std::vector<unsigned> values;
};

/// The layout of one volume of a dataset. Axis 0 is the slowest.
struct Layout {
    std::string dataset;
    Storage storage = Storage::library;
    ElementFormat element;
    std::vector<std::int64_t> shape;  // elements along each axis
    std::vector<std::int64_t> chunk;  // elements of a chunk along each axis; the shape if contiguous
    std::vector<std::int64_t> start;  // first element of the volume along each axis; 0 along spatial axes
    std::optional<std::size_t> z;     // empty for a single slice
    std::size_t y = 0, x = 0;
    std::vector<Filter> filters;
    std::vector<std::byte> fill;  // bytes of the element that fills unwritten chunks
    std::int64_t offset = -1;     // contiguous: byte offset of the first element; -1: never written
    Extent extent() const { return {shape[x], shape[y], z ? shape[*z] : 1}; }
    std::int64_t chunk_bytes() const;
    Extent chunk_extent() const { return {chunk[x], chunk[y], z ? chunk[*z] : 1}; }  // voxels of a chunk along each axis
    Extent chunk_counts() const;                                                     // chunks of the volume along each axis
};

/// Position of a chunk in the file, in bytes. Offset -1: never written.
struct ChunkLocation {
    std::int64_t offset = -1, bytes = 0;
    std::uint32_t skipped = 0;  // bit k is set if filter k was not applied to this chunk
    bool is_stored() const { return offset >= 0; }
};

/// Chunks with adjacent numbers. The chunks of a volume are numbered from 0 along x, then along y, then along z.
// 2 x 3 chunks: number 4 is the chunk with index 0 along x and index 2 along y
struct ChunkNumbers {
    std::int64_t first = 0, count = 0;
    bool contains(std::int64_t number) const { return number >= first && number - first < count; }
};

constexpr std::int64_t largest_chunk = std::int64_t{1} << 30;  // bytes, decoded

/// Checks whether the numbers of a layout agree with each other, the volume and the file. A consistent layout cannot lead a reader past an
/// array, or to a chunk larger than largest_chunk.
/// @param extent of the volume; @param file_size in bytes
/// @return whether the layout is consistent
bool is_consistent(const Layout& layout, const Extent& extent, std::int64_t file_size);

}  // namespace voxcc::io::hdf5
