// Writes a picture of the labels.
#pragma once
#include "io/checked_file.h"
#include "src/pipeline/painter.h"

namespace voxcc {

/// Writes three projections side by side: along z, y and x. Each pixel shows the largest label on its line. Every label has a colour;
/// background is black.
/// @param painter must be prepared for type u64
/// @param extent extent of the stored volume
/// @param file receives a PNG file, and is closed
void write_preview(const Painter& painter, const Extent& extent, io::OutputFile& file);

}  // namespace voxcc
