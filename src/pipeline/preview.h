// Draws a picture of the components of a volume: projections over the input, or outlines in three planes of another image.
#pragma once
#include <voxcc/label.h>
#include "io/files/checked_file.h"
#include "src/messages/progress.h"
#include "src/pipeline/largest_components.h"
#include "src/pipeline/preview/packed_picture.h"

#include <optional>

namespace voxcc::preview {

/// The source of a picture.
struct Source {
    const Painter& painter;                // must be prepared for type u64
    const io::VolumeInfo& info;            // of the volume
    io::VolumeReader& image;               // is drawn in grey; must have the extent of the volume, and must be at row 0
    std::optional<std::int64_t> volume;    // number of the volume, if the file holds several
    std::uint64_t components;              // number of components
    std::optional<LargestComponents> cut;  // planes through the first of them, and numbers for all; empty: projections
};

/// The number of components that have a number in the picture of planes.
inline constexpr std::size_t numbered_components = 10;

/// Writes the picture that docs/manual/preview.md describes. Reads the image once, and the labels row by row.
/// @param file receives a PNG file, and is closed
void write(const Source& source, ProgressBar& progress, io::OutputFile& file);

/// Draws the views of this picture at the size of a tile of a sheet, without the text beside them.
PackedPicture draw_tile(const Source& source, ProgressBar& progress);

/// An upper limit of the memory for the picture of a volume and for reading it, in bytes.
/// @param background the image under the outlines; null: the picture shows projections of `image`
std::int64_t memory_bytes(const io::VolumeReader& image, const io::VolumeReader* background);

}  // namespace voxcc::preview
