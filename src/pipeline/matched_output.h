// The label volume of `voxcc match -o`: B with the numbers of the partners in A.
#pragma once
#include "src/pipeline/matched_objects.h"
#include "src/pipeline/volume_writing.h"

#include <string>
#include <vector>

namespace voxcc {

/// The numbers that the objects of B get, by row: the label of the partner. Objects without a partner get the numbers after the largest
/// label of A, in ascending order of their labels. @param path of A, for messages
/// @throw ProgramError invalid_file if a partner has a label below 1
// A has the labels 3 and 8; in B, 5 is the partner of 8, and 2 and 7 have none  ->  5: 8, 2: 9, 7: 10
std::vector<std::uint64_t> partner_numbers(const MatchedVolumes& volumes, const std::string& path);

/// The label volume of `voxcc match -o`. @param like the grid @param largest number that is written @param noun of a number, for messages
/// @throw Error labels_too_large
io::LabelVolume numbered_volume(const MatchOptions& options, const io::VolumeInfo& like, std::uint64_t largest, const std::string& noun,
                                const WritingContext& context);

/// Writes B with other numbers. The objects are the labels of a file.
/// @param b will be read again @param numbers of its labels, by row
/// @throw Error labels_too_large; changed_file if the labels are not the labels of `volumes`; the exceptions of write_volumes()
void write_with_numbers(io::VolumeReader& b, const MatchedVolumes& volumes, const std::vector<std::uint64_t>& numbers,
                        const MatchOptions& options, const WritingContext& context);

/// Same, if the objects are the components of a labelling of B.
void write_with_numbers(Labelling& components, const io::VolumeInfo& b, const MatchedVolumes& volumes,
                        const std::vector<std::uint64_t>& numbers, const MatchOptions& options, const WritingContext& context);

}  // namespace voxcc
