// The streamed engine, for volumes that are not held in memory. It cuts the volume along z into stream slabs. The block-run engine labels
// one slab at a time.
//
//   first pass   each slab on its own: numbers, sums, contacts with the slab before     slab_source.h, touching.h
//   number       1..K in the volume, by first voxel in raster order                     gpu_slabs/numbers.h
//   paint        reads and labels a slab again when its rows are painted                held_slab.h
//
// Labels and sums are identical to the labels and sums of the volume labelled in one piece.
//
// Memory: as voxcc/labelling.h for one slab, and two slices of u32 (three if the volume wraps around in z). For all slabs: the touching
// pairs, and the sums of their components. Sums take 104 bytes per component, or 160 bytes in volumes that need wide moments.
#pragma once
#include <voxcc/labelling.h>

namespace voxcc::block_runs {

/// Same as label(), in slabs of `slices` slices; the last slab may have fewer. Painting all rows in nearly ascending order reads the
/// source once more. A source that is read in order is rewound to row 0 first. Several threads may paint rows of one slab at the same
/// time. A thread that needs another slab waits until no thread is in the slab before.
/// @param source must be at row 0. It must outlive the labelling. If it is read in order, rewind() must work
/// @param slices number of slices per slab, at least 1
/// @param subject file name for error messages
/// @throw the exceptions of label(); Error out_of_memory if a slab has more than 2^32 - 1 components; Error bad_data, when painting, if
///     the source has changed since the first pass
std::unique_ptr<Labelling> label_streamed(const Request& request, RowSource& source, ThreadPool& pool, std::int64_t slices,
                                          std::string subject);

}  // namespace voxcc::block_runs
