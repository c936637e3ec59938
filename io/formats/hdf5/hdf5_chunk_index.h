// The index of the chunks of a dataset in files of HDF5 1.8 and older: a B-tree of version 1, which has no checksum.
//
// The library finds a chunk by a search in the tree. It does not notice a damaged coordinate: the search finds nothing, and the chunk
// becomes fill values. So the nodes are checked as the library reads them.
//
//   node  "TREE" 1 level entries, addresses of two siblings, then key 0, child 0, key 1, child 1, ..., key n
//   key   bytes of the chunk, skipped filters, first element along each axis, 0 (the axis of the bytes of an element)
#pragma once
#include "io/formats/hdf5/hdf5_dataset.h"

namespace voxcc::io::hdf5 {

/// Checks the index of a chunked dataset, which must not have been used before. Files with another kind of index pass: these have
/// checksums. All stored chunks must
/// - begin at a multiple of the chunk size, inside the dataset, each at another position,
/// - be found by a search of the library,
/// - have bytes of the file for themselves, and their checksum if the dataset has checksums.
/// @throw Error about the content
void check_chunk_index(const File& file, const StoredDataset& dataset);

}  // namespace voxcc::io::hdf5
