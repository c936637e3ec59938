// Notes about results that users may not expect.
#pragma once
#include "src/pipeline/pipeline.h"

#include <string>
#include <vector>

namespace voxcc {

enum class ResultNote : std::uint8_t { threads, foreground, joined_labels, nothing_left };

/// A note about a labelled volume, without the name of the input.
struct NoteOnResult {
    ResultNote kind;
    std::string text;
};

/// The notes about a volume: -t is not a threshold; nearly all voxels are foreground, because few are 0; labels that touch are joined; no
/// component is left.
// 310 components of fewer than 50 voxels, --min-size 50  ->  "no component is left: 310 are smaller than --min-size"
std::vector<NoteOnResult> notes_on(const LabelledVolume& volume, const LabelOptions& options);

}  // namespace voxcc
