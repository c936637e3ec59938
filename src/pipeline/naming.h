// The names of the inputs and outputs of a batch.
#pragma once
#include "src/options/options.h"

namespace voxcc {

/// The inputs of the command line, then the inputs in the file `list`, one per line. Empty lines are left out.
/// @param list path of the file; - for stdin; empty: no list
/// @throw Error invalid_argument without inputs; the exceptions of io::InputFile if the list cannot be read
std::vector<std::string> all_inputs(const std::vector<std::string>& inputs, const std::string& list);

/// The path of a list if it is a file. Empty for stdin.
std::string file_of_list(const std::string& list);

/// The name of an input without folders, known extensions and the number of a template.
/// It is never empty, "." or "..", and never contains "/", so that {stem} in the name of an output does not lead to another folder.
// "a/b.nii.gz" -> "b", "-" -> "stdin", "b.nii[3]" -> "b_3", "s%04d.tif" -> "s", "folder/" -> "folder", "a/.." -> the name of the current
// folder, "...nii" -> "_...nii"
std::string stem_of(const std::string& input);

/// @return whether the name of an output contains {stem} or {bids}, so that each input has its own file
bool names_each_input(const std::string& path);

/// @return whether a run writes one file `path` for all its inputs together: it has several inputs, and names_each_input() is false
bool is_common_output(const std::string& path, const LabelOptions& options);

/// Replaces {stem} by the stem of the input, {bids} by bids_stem(), and {volume} by the number of the volume if there is one.
/// @throw Error invalid_argument if the path contains {bids}, and the input does not have a name of BIDS
// "out/{stem}_{volume}.nii", "a/b.nii.gz", 3 -> "out/b_3.nii"
std::string expand(const std::string& path, const std::string& input, std::optional<std::int64_t> volume);

}  // namespace voxcc
