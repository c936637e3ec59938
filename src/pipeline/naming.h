// Which files a batch reads, and what its outputs are called.
#pragma once
#include "src/cli/options.h"

namespace voxcc {

/// The inputs of the command line, then those of --list, one a line (empty lines are left out).
/// @throw Error missing_file; invalid_argument if there is none
std::vector<std::string> all_inputs(const LabelOptions& options);

/// A name without folders and known extensions (.nii.gz, ...): "a/b.nii.gz" -> "b", "s%04d.tif" -> "s", "folder/" -> "folder".
std::string stem_of(const std::string& input);

/// Replaces {stem} and {volume} in a path.
std::string expand(const std::string& path, const std::string& input, std::optional<std::int64_t> volume);

}  // namespace voxcc
