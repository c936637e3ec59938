// Writes the volumes of a run block by block, in one pass over the labels. Several threads paint, convert and compress blocks at the same
// time. Compressed blocks are appended in order; other blocks are written at their offsets in any order.
//
// A streamed labelling has one slab in memory. So the volumes are written slab by slab: first all blocks, of all volumes, that end in the
// slab. Blocks of different volumes have different rows, so the slab can have rows that a later block needs. Their labels are kept.
//
//   rows of the slab         |==========================|
//   blocks of a volume     |-------|-------|-------|-----+-|
//   blocks of another    |-------------|-------------|---+---------|
//   kept for later                                    |==|
#pragma once
#include <voxcc/label.h>
#include "io/joined_chunks.h"
#include "src/pipeline/label_conversion.h"
#include "src/pipeline/pipeline.h"
#include "src/pipeline/turnstile.h"

namespace voxcc {

/// The type of the labels: the type of --dtype, or else the smallest type that holds the labels 0..count and that the format supports.
/// @throw Error labels_too_large if the type of --dtype is too small, or if no type of the format is large enough
ScalarType label_type_for(const LabelOptions& options, const std::string& path, std::uint64_t count);

/// A file while it is written, of one volume or of several. Volumes may be written side by side.
struct SeriesFile {
    SeriesFile(const io::LabelVolume& file, io::OutputFiles& outputs)
        : description(file), writer(io::create_label_volume(description, outputs)) {}
    const io::LabelVolume description;
    const std::unique_ptr<io::LabelWriter> writer;
    Turnstile turnstile;  // of the blocks of all volumes
};

/// Labels that are compressed already. A file whose chunks have the same form is put together from them.
struct StoredChunks {
    io::ChunkForm form;
    io::AppendChunk append;  // thread-safe
};

/// A volume of a run.
struct VolumeToWrite {
    io::LabelVolume file;
    std::unique_ptr<LabelConversion> conversion;  // null: the voxels are the labels, as they are painted
    SeriesFile* series = nullptr;                 // the file, if it holds several volumes; null: a file of its own
    std::optional<StoredChunks> chunks = {};      // of the labels that are painted
};

/// The number of voxels of each label; entry 0 is 0.
std::vector<std::uint64_t> sizes_of(const LabelledComponents& components, const Selection& selection);

/// The largest numbers of volumes, from which the types of their files follow.
struct LargestNumbers {
    std::uint64_t label = 0, size = 0;  // size: voxels of a component
    void add(const LabelledComponents& components, const Selection& selection);
};

/// The description of a file with one volume.
/// @param like must outlive the result
/// @throw the exceptions of label_type_for(), io::smallest_size_type() and stored_values()
io::LabelVolume description_of(io::Content content, const std::string& path, const io::VolumeInfo& like, const LargestNumbers& largest,
                               const LabelOptions& options);

/// The type in which labels are painted: the type of the label volume, or the smallest type that holds the labels.
/// @param count number of labels
ScalarType painted_type(const WrittenVolumes& written, std::uint64_t count);

/// Whether the volumes of a streamed labelling must be written slab by slab. The blocks of one volume alone follow each other without
/// gaps, so the labelling loads each slab once.
bool needs_whole_slabs(const LabelOptions& options);

/// Where the labels of write_volumes() come from.
struct LabelsToWrite {
    const Painter* painter;      // null: no labels are painted; all volumes must have conversions that need none
    std::int64_t rows_per_slab;  // of a streamed labelling with needs_whole_slabs(); else the number of rows of the volume
    std::int64_t place = 0;      // of the volume in files that hold several volumes, from 0 on
};

/// The parts of a run that write_volumes() uses.
struct WritingContext {
    ThreadPool& pool;
    io::OutputFiles& outputs;
    ProgressBar& progress;
};

/// Writes the volumes. Files of one volume are then complete, but not yet published: context.outputs publishes all outputs together.
/// @param volumes without a conversion, the type must be the type of the painter
void write_volumes(const std::vector<VolumeToWrite>& volumes, const LabelsToWrite& labels, const WritingContext& context);

/// Memory of write_volumes() for the volumes of the options, in bytes.
/// @param rows_per_slab of a streamed labelling; 0: in one piece
std::int64_t volume_writing_bytes(const LabelOptions& options, const io::VolumeReader& image, int threads, std::int64_t rows_per_slab);

}  // namespace voxcc
