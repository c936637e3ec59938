// Painting straight into the writer's blocks: a block is painted, compressed and appended by whichever thread is free.
#pragma once
#include "src/pipeline/painter.h"
#include "src/pipeline/pipeline.h"

namespace voxcc {

/// The type asked for, or the smallest that holds the labels 0..count and the format can carry.
/// @throw Error invalid_file if the type asked for is too small
ScalarType label_type_for(const LabelOptions& options, const std::string& path, std::uint64_t count);

/// Writes all rows; the file is complete, and published with the other outputs.
void write_label_volume(const io::LabelVolume& volume, const Painter& painter, Surroundings& around);

}  // namespace voxcc
