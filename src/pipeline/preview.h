// A picture of the labels for a quick look at a batch.
#pragma once
#include "io/checked_file.h"
#include "src/pipeline/painter.h"

namespace voxcc {

/// Three maximum projections side by side (along z, y and x), every label in a colour hashed from its number, background black.
/// @param painter of type u64
/// @param file becomes a PNG and is closed
void write_preview(const Painter& painter, const Extent& extent, io::OutputFile& file);

}  // namespace voxcc
