// The block-run engine: labels and measures a volume on CPU threads. It is our own design, and the default algorithm.
//
//   pack     packs voxels into bits and finds run starts; later phases do not read the input   simd/pack.cpp, engine/cpu/index.h
//   unite    connects touching runs by union-find                                              engine/cpu/unite.h
//   number   numbers components 1..K by first voxel in raster order; one label per run         engine/cpu/number.h
//   measure  computes the integer sums of each component from runs                             engine/cpu/measure.h
//   paint    writes the label of the run to each foreground voxel                              simd/paint.cpp
//
// Memory for N voxels: N/8 bytes of bits, 12 bytes per 64 columns of a block-row, and 8 bytes per run (16 bytes with Rule::equal_values).
// Sums take 32 bytes per small component and 136 bytes per large component (measure/compact_sums.h). Volumes of about 2^32 voxels and more
// use 64-bit run ids: 16 bytes per 64 columns, and 8 bytes more per run.
#pragma once
#include <voxcc/label.h>

namespace voxcc::block_runs {

/// What an engine labels: the question for a volume, and the members of Execution that engines need.
struct Request : Question {
    Extent extent;  // in voxels; each axis must be in [1, 2^32)
    Results results = Results::labels_and_sums;
    Isa isa = default_isa();                                                              // must be supported by the processor
    enum class IdWidth : std::uint8_t { automatic, wide } id_width = IdWidth::automatic;  // wide: always 64-bit run ids, for tests
    MemoryLimit* memory = nullptr;
    int volumes_per_device = 1;

    Request() = default;
    Request(const Question& question, const Extent& of_volume) : Question(question), extent(of_volume) {}
};

/// Labels a volume on CPU threads.
/// @param source must be at row 0 if it is read in order. Is not used after the function returns
/// @param pool must outlive the labelling
/// @throw the exceptions of the source; Error out_of_memory, for the limit of the request MemoryLimitReached; invalid_extent if an axis has
///     less than 1 or more than 2^32 - 1 voxels; unsupported_by_algorithm for Rule::colour, which this engine does not support.
///     Rule::gradient: rows that are read in order are united on one thread
std::unique_ptr<Labelling> label(const Request& request, RowSource& source, ThreadPool& pool);

/// Same as label(), in slabs of `slices` slices; the last slab may have fewer. Only one slab is in memory: see the function label() of
/// voxcc/label.h.
/// @param source must outlive the labelling. If it is read in order, it must be at row 0, and rewind() must work
/// @param pool its size is the number of threads; the labelling starts its own
/// @param slices number of slices per slab, at least 1
/// @param subject file name for error messages
/// @throw the exceptions of label(); Error out_of_memory if a slab has more than 2^32 - 1 components. paint() throws Error changed_file if
///     the source has changed since the first pass
std::unique_ptr<Labelling> label_streamed(const Request& request, RowSource& source, ThreadPool& pool, std::int64_t slices,
                                          std::string subject);

}  // namespace voxcc::block_runs
