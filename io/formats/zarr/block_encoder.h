// Encoding of a block for a Zarr output: of its chunks, and of the files that hold them.
#pragma once
#include "io/formats/zarr/output_layout.h"
#include "io/joined_chunks.h"

namespace voxcc::io::zarr {

/// Encodes a block. A chunk whose bytes are all 0 is not stored, and a file without chunks has no bytes.
/// @param raw voxels of the rows of the block, in host byte order, of layout.extent.nx columns
/// @return one piece per file, in the order of layout.units_of(block)
/// @throw Error out_of_memory
EncodedBlock encode_block(const ArrayForm& form, const ArrayLayout& layout, std::int64_t block, std::span<const std::byte> raw);

/// Puts a block together from chunks that are encoded. @return as encode_block() @throw the exceptions of `chunks`
EncodedBlock join_block(const ArrayForm& form, const ArrayLayout& layout, std::int64_t block, const AppendChunk& chunks);

}  // namespace voxcc::io::zarr
