// The list of inputs of --list: a file with one name per line, or a table with one row per input, as a spreadsheet saves it.
#pragma once
#include "src/options/options.h"

#include <string>
#include <vector>

namespace voxcc {

/// The inputs of the command line, then the names in the file `list`, one per line. Empty lines, comments (#) and blanks at the end of a
/// line are left out. The names may also end with zero bytes.
/// @param list path of the file; - for stdin; empty: no list
/// @throw Error invalid_argument without inputs; the exceptions of io::InputFile if the list cannot be read
std::vector<std::string> all_inputs(const std::vector<std::string>& inputs, const std::string& list);

/// Adds the inputs in the list of a run. Does nothing without a list. The list has columns if its first line has a cell `input`. Commas,
/// semicolons or tabs separate the cells. A column with the name of an option of path_options, or `intensity`, states the file of each
/// input: the option gets the value '{COLUMN}', unless it has a value with words in braces.
/// @throw Error as all_inputs(); invalid_argument if an option and a column both name the files, or if the command line has inputs, too;
/// invalid_file for a wrong header, a row with another number of cells, and an empty cell in the column of an option
// header "input,mask,group", row "a.nii,m.nii,control" -> mask "{mask}", inputs {{"a.nii", {..., {"mask", "m.nii"}, ...}}}
void add_list(LabelOptions& options);

/// The path of a list if it is a file. Empty for stdin and pipes.
std::string file_of_list(const std::string& list);

/// The columns of the list that are not options: columns of the tables.
// {"input", "mask", "group"} -> {"group"}
std::vector<std::string> further_columns(const LabelOptions& options);

/// A line of a list, which add_list() reads.
// {"a.nii", "two, three"} -> "a.nii,\"two, three\"\n"
std::string line_of_cells(const std::vector<std::string>& cells);

}  // namespace voxcc
