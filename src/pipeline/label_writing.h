// Writes label volumes block by block. Several threads paint and compress blocks at the same time. Compressed
// blocks are appended in order; other blocks are written at their offsets in any order.
#pragma once
#include "src/pipeline/painter.h"
#include "src/pipeline/pipeline.h"

namespace voxcc {

/// The type of the labels: the type of --dtype, or else the smallest type that holds the labels 0..count and that the format supports.
/// @throw Error labels_too_large if the type of --dtype is too small, or if no type of the format is large enough
ScalarType label_type_for(const LabelOptions& options, const std::string& path, std::uint64_t count);

/// Writes a label volume. The file is then complete, but not yet published: context.outputs publishes all outputs together.
void write_label_volume(const io::LabelVolume& volume, const Painter& painter, RunContext& context);

}  // namespace voxcc
