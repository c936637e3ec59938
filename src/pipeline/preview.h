// Writes a picture of the components over the image.
#pragma once
#include <voxcc/label.h>
#include "io/files/checked_file.h"
#include "src/messages/progress.h"

#include <optional>

namespace voxcc::preview {

/// The source of a preview.
struct Source {
    const Painter& painter;              // must be prepared for type u64
    io::VolumeReader& image;             // must be at row 0
    std::optional<std::int64_t> volume;  // number of the volume, if the file holds several
    std::uint64_t components;            // number of components
};

/// Writes the picture that docs/manual/report.md describes. Reads the image once, and the labels row by row.
/// @param file receives a PNG file, and is closed
void write(const Source& source, ProgressBar& progress, io::OutputFile& file);

/// An upper limit of the memory for the picture of a volume and for reading it, in bytes.
std::int64_t memory_bytes(const io::VolumeReader& image);

}  // namespace voxcc::preview
