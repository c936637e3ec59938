// The streamed engine: a volume that is read, not held. It is cut along z into slabs, and the block-run engine labels one at a time.
//
//   first pass   each slab on its own: numbers, sums, what touches the next slab     slab_source.h, touching.h
//   number       1..K of the volume, by first voxel in raster order                  seams.h
//   paint        a slab is read and labelled again when its rows are asked for       held_slab.h
//
// Labels and sums are those of the volume labelled in one piece. Memory: as engine.h for one slab, a slice of u32 (two where the volume
// wraps around in z), and of all slabs the sums of their components (104 bytes each, 152 in volumes that need wide moments) and the pairs
// that touch.
#pragma once
#include <voxcc/labelling.h>

namespace voxcc::block_runs {

/// As label(), in slabs of so many slices, the last of which may have fewer. Painting reads the source again from row 0 on, once for each
/// time that all rows are painted in nearly ascending order: rows of one slab are painted at once by several threads, those of another
/// slab wait until no thread is in the one before.
/// @param source at row 0; it and what it reads from outlive the labelling, and rewind() of those that are read in order works
/// @param slices at least 1
/// @param subject what errors name: the file
/// @throw as label(); Error bad_data (when painting) if the source is not what it was
std::unique_ptr<Labelling> label_streamed(const Request& request, RowSource& source, ThreadPool& pool, std::int64_t slices,
                                          std::string subject);

}  // namespace voxcc::block_runs
