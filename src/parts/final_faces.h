// The final numbers on the faces of parts.
#pragma once
#include <voxcc/parts.h>
#include "src/parts/part_files.h"

namespace voxcc::parts {

/// Checks that the state of a part is the one that was merged. @throw ProgramError changed_file
void require_merged_state(StateFiles& states, const std::string& merged_folder, std::int64_t part, const MergedFile& merged);

/// The final numbers of components of a part, by number in the state - 1.
/// @throw ProgramError corrupt_file if there is a number above the last component; the exceptions of open_part_file()
std::vector<std::uint64_t> final_numbers(const Plan& plan, const PartNumbers& numbers, std::span<const std::uint32_t> row_counts,
                                         const std::string& folder, std::int64_t part, const MergedFile& merged);

/// Reads the final numbers on a face of a part from its state and its numbers. See FinalFace.
/// @throw ProgramError as the functions above
std::vector<std::uint64_t> final_face(const Plan& plan, const std::string& state_folder, const std::string& merged_folder,
                                      const MergedFile& merged, std::int64_t part, int face);

}  // namespace voxcc::parts
