// Checks the options of `voxcc label` and their combinations, before any file is opened.
#pragma once
#include "src/cli/values.h"

namespace voxcc {

/// Parses "auto" or the name of an algorithm. @throw Error invalid_argument, which names the most similar algorithm
std::string parse_algorithm(const Argument& argument);

/// Checks that a table with a sidecar is a file.
/// @param table path of the table, or empty @param option the option that names the table
/// @throw Error invalid_argument
void check_sidecar(Sidecar sidecar, const std::string& table, const std::string& option);

/// Outputs by option.
using NamedPaths = std::vector<std::pair<std::string, std::string>>;

/// Checks that the names of outputs are different. Empty names are left out. @throw Error invalid_argument
void check_different(const NamedPaths& outputs);

/// Checks that all tables have names of tables, and that their names are different. @throw Error invalid_argument, unknown_format
void check_tables(const NamedPaths& tables);

/// Checks the options of intensity images: the columns of all images must have different names. @throw Error invalid_argument
void check_intensity(const IntensityOptions& options);

/// With --bids, the output is the folder of a dataset: sets the names of the label volume and the table in it, with {bids}.
/// @throw Error invalid_argument if an option contradicts --bids
// -o out --bids  ->  -o 'out/{bids}_dseg.nii.gz' --stats 'out/{bids}_dseg.tsv' --sidecar
void name_bids_outputs(LabelOptions& options);

/// Checks combinations of options. @throw Error invalid_argument
void check_label_options(const LabelOptions& options);

}  // namespace voxcc
