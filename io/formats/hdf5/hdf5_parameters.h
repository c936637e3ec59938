// Parameters of chunk filters, in the dataset and in its chunks. The library trusts them: a wrong parameter gives other voxels, or reads
// bytes after the end of a chunk.
#pragma once
#include "io/formats/hdf5/hdf5_dataset.h"

namespace voxcc::io::hdf5 {

/// Checks the parameters of all filters of a chunked dataset against the type of its elements and the size of its chunks.
/// @throw Error about the content
void check_filter_parameters(const File& file, const StoredDataset& dataset);

/// @return whether a filter of the dataset has parameters in each chunk: scale-offset, szip
bool has_trusting_filter(const StoredDataset& dataset);

/// Checks the parameters in one chunk, which may be missing, of a dataset for which has_trusting_filter() is true.
/// @param first element of the chunk along each axis. @throw Error about the content
void check_stored_parameters(const File& file, const StoredDataset& dataset, const std::vector<hsize_t>& first);

}  // namespace voxcc::io::hdf5
