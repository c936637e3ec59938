// Parts whose final numbers are known, labelled again from their states.
#pragma once
#include <voxcc/parts.h>
#include "src/parts/part_files.h"

namespace voxcc::parts {

/// Labels what the plan labels in a part: its foreground, or its background.
LabelledPart label_voxels(const Plan& plan, std::int64_t part, const VolumeBits& foreground, ThreadPool& pool);

/// A part that is labelled again.
struct NumberedPart {
    VolumeBits voxels;  // of the foreground
    PartNumbers numbers;
    std::vector<std::uint64_t> known;  // final numbers, by number in the state - 1
    LabelledPart labelled;
};
/// @throw ProgramError changed_file if the state has changed since the merge; corrupt_file if the state contradicts its voxels; the
/// exceptions of open_part_file() and of label_voxels()
NumberedPart number_part(const Plan& plan, const Folders& folders, std::int64_t part, const MergedFile& merged, ThreadPool& pool);

/// The foreground of a part with its holes filled, without values.
/// @param background see background_plan() @param mask see VolumeBits @throw as number_part()
VolumeBits filled_voxels(const Plan& background, const Folders& folders, std::int64_t part, std::vector<std::uint64_t> mask,
                         ThreadPool& pool);

}  // namespace voxcc::parts
