#include "src/pipeline/input_list.h"

#include "io/files/checked_file.h"
#include "io/files/pipe_input.h"
#include "io/table_reader.h"
#include "src/errors/program_error.h"
#include "src/messages/report.h"
#include "src/options/path_options.h"
#include "src/pipeline/naming.h"
#include "src/pipeline/selector.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <sstream>

namespace voxcc {
namespace {

constexpr const char* input_column = "input";
constexpr const char* intensity_column = "intensity";

/// @param list path of the stream, for messages
/// @throw Error invalid_file for more than 256 MB, which is not a list of names; io_error
std::string text_of_stream(std::istream& stream, const std::string& list) {
    constexpr std::size_t most_bytes = 256'000'000;
    std::string text;
    std::array<char, 65536> buffer;
    while (stream.read(buffer.data(), buffer.size()) || stream.gcount() > 0) {
        text.append(buffer.data(), std::size_t(stream.gcount()));
        if (text.size() > most_bytes)
            throw ProgramError(ErrorKind::invalid_file, list, "has more than 256 MB", "write one file name per line");
    }
    if (stream.bad()) throw ProgramError(ErrorKind::io_error, list, "cannot be read");
    return text;
}

std::string text_of_file(const std::string& list) {
    if (io::is_stdin(list)) return text_of_stream(std::cin, list);
    if (!io::pipe_identity(list)) return io::InputFile(list).text();
    std::ifstream pipe(list, std::ios::binary);
    if (!pipe) throw ProgramError(ErrorKind::io_error, list, "cannot be opened");
    return text_of_stream(pipe, list);
}

/// The text of a list, without a byte order mark.
std::string text_of_list(const std::string& list) {
    std::string text = text_of_file(list);
    if (constexpr std::string_view mark = "\xef\xbb\xbf"; text.starts_with(mark)) text.erase(0, mark.size());
    return text;
}

/// The names in a list. One name per line: blanks at the end of a line, empty lines and lines that begin with # are left out. Or each name
/// ends with a zero byte, as `find -print0` writes them.
// "a.nii \r\n# done\nb.nii" -> {"a.nii", "b.nii"}
std::vector<std::string> names_in(const std::string& text, const std::string& list) {
    std::vector<std::string> names;
    const bool by_zero = text.find('\0') != std::string::npos;
    if (by_zero && (!text.ends_with('\0') || text.find('\n') != std::string::npos))
        throw ProgramError(ErrorKind::invalid_file, list, "is not a list of names",
                           "write one file name per line, or names that end with a zero byte");
    std::istringstream parts(text);
    for (std::string name; std::getline(parts, name, by_zero ? '\0' : '\n');) {
        if (!by_zero) {
            name.erase(name.find_last_not_of(" \t\r") + 1);
            if (name.starts_with('#')) continue;
        }
        if (!name.empty()) names.push_back(name);
    }
    return names;
}

/// Checks the inputs of a run. @throw Error invalid_argument without inputs, and if stdin is both an input and the list
void check_inputs(const std::vector<std::string>& inputs, const std::string& list) {
    if (io::is_stdin(list) && std::ranges::any_of(inputs, [](const std::string& input) { return io::is_stdin(divide_input(input).path); }))
        throw ProgramError(ErrorKind::invalid_argument, "-", "is an input, but the list of inputs is read from stdin",
                           "write the list to a file, and give its name");
    if (inputs.empty())
        throw ProgramError(ErrorKind::invalid_argument, list, "the list contains no file name", "write one file name per line");
}

bool is_blank(const std::string& text) { return text.find_first_not_of(" \t\r") == std::string::npos; }

/// The first line of a list that is neither blank nor a comment.
std::string first_line(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        line.erase(std::min(line.find('\r'), line.size()));
        if (!is_blank(line) && !line.starts_with('#')) return line;
    }
    return {};
}

/// What separates the cells of a list with columns; empty for a list of names. A file that really has the name `input` wins over a header
/// without further columns.
// "input;mask\na.nii;m.nii" -> ';'; "a,b.nii\nc.nii" -> nothing
std::optional<char> separator_in(const std::string& text) {
    if (text.find('\0') != std::string::npos) return std::nullopt;
    const std::string header = first_line(text);
    const std::string name = input_column, quoted = '"' + name + '"';
    std::error_code unknown;
    if (header == name && std::filesystem::exists(name, unknown)) return std::nullopt;
    for (const char separator : {'\t', ';', ','}) {
        std::istringstream cells(header);
        for (std::string cell; std::getline(cells, cell, separator);)
            if (cell == name || cell == quoted) return separator;
    }
    return std::nullopt;
}

/// Whether a column has the name of an option, so that it states files.
bool is_option_column(std::string_view name) {
    return name == intensity_column || std::ranges::find(path_options, name, &PathOption::name) != path_options.end();
}

[[noreturn]] void refuse_list(const std::string& list, const std::string& cause, const std::string& remedy) {
    throw ProgramError(ErrorKind::invalid_file, list, cause, remedy);
}

/// Refuses " Mask" and "mask_output", which otherwise would be columns without an effect on the labelling.
void check_spelling(const std::string& column, const std::string& list) {
    std::string name;
    for (const char c : column)
        if (!std::isspace(static_cast<unsigned char>(c))) name += c == '_' ? '-' : char(std::tolower(static_cast<unsigned char>(c)));
    if (name != column && (name == input_column || is_option_column(name)))
        refuse_list(list, "has the column '" + column + "', which is not the name of an option",
                    "write it as " + name + ", or give it a name that differs more");
}

void check_columns(const std::vector<std::string>& columns, const std::string& list) {
    for (auto column = columns.begin(); column != columns.end(); ++column) {
        if (is_blank(*column)) refuse_list(list, "has a column without a name", "name each column in the header");
        if (std::find(columns.begin(), column, *column) != column)
            refuse_list(list, "has two columns with the name '" + *column + "'", "give each column another name");
        if (is_word_of_input(*column))
            refuse_list(list,
                        "has the column '" + *column + "', but {" + *column + "} in the name of a file stands for a part of the input",
                        "give the column another name");
        check_spelling(*column, list);
    }
}

/// Checks a cell that names a file.
void check_file_cell(const ListedCell& cell, const std::string& line, const std::string& list) {
    if (is_blank(cell.text)) refuse_list(list, line + " has no " + cell.column, "fill the cell in the column '" + cell.column + "'");
    if (cell.column == input_column) return;
    if (cell.text == "-") refuse_list(list, line + " has the " + cell.column + " '-', which is not a file", "name a file");
    if (has_words(cell.text))
        refuse_list(list, line + " has the " + cell.column + " '" + cell.text + "' with a word in braces, but a cell is a complete name",
                    "write the name, or remove the column and give the option --" + cell.column);
}

/// The inputs in the rows of a list with columns. @param rows the first one is the header
std::vector<BatchInput> inputs_in(const std::vector<io::TextRow>& rows, const std::string& list) {
    const std::vector<std::string>& columns = rows.front().cells;
    check_columns(columns, list);
    std::vector<BatchInput> inputs;
    for (auto row = rows.begin() + 1; row != rows.end(); ++row) {
        const std::string line = "line " + std::to_string(row->line);
        if (row->cells.size() != columns.size())
            refuse_list(list,
                        line + " has " + counted(row->cells.size(), "cell") + ", but the header has " + std::to_string(columns.size()),
                        "write one cell per column, and put a name with a separator in quotes");
        BatchInput input;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            input.cells.push_back({columns[i], row->cells[i]});
            if (columns[i] == input_column || is_option_column(columns[i])) check_file_cell(input.cells.back(), line, list);
        }
        input.name = *find_text(input.cells, input_column);
        inputs.push_back(std::move(input));
    }
    return inputs;
}

/// Decides between a column and the value of an option. @return whether the column states the files
bool takes_column(const std::string& name, const std::vector<std::string>& values) {
    if (std::ranges::all_of(values, has_words)) return values.empty();
    throw ProgramError(ErrorKind::invalid_argument, "--" + name, "is given, but the list also has a column '" + name + "'",
                       "use one of them, or write the value with words in braces");
}

/// Sets the options that columns of the list state.
void set_options(LabelOptions& o) {
    const auto has_column = [&](std::string_view name) { return std::ranges::find(o.list_columns, name) != o.list_columns.end(); };
    for (const PathOption& option : path_options) {
        const std::string name(option.name);
        std::string& path = option.path(o);
        if (!has_column(name)) continue;
        if (takes_column(name, path.empty() ? std::vector<std::string>() : std::vector{path})) path = "{" + name + "}";
    }
    std::vector<std::string> images;
    for (const IntensityImage& image : o.intensity.images) images.push_back(image.path);
    const std::string name = intensity_column;
    if (has_column(name) && takes_column(name, images)) o.intensity.images.push_back({"", "{" + name + "}"});
}

// "a, \"b\"" -> "\"a, \"\"b\"\"\""
std::string quoted_cell(const std::string& cell) {
    if (cell.find_first_of(",;\t\"\r\n") == std::string::npos && !cell.starts_with('#')) return cell;
    std::string text = "\"";
    for (const char c : cell) text += c == '"' ? "\"\"" : std::string(1, c);
    return text + '"';
}

}  // namespace

std::vector<std::string> all_inputs(const std::vector<std::string>& inputs, const std::string& list) {
    std::vector<std::string> all = inputs;
    if (!list.empty()) std::ranges::copy(names_in(text_of_list(list), list), std::back_inserter(all));
    check_inputs(all, list);
    return all;
}

void add_list(LabelOptions& options) {
    const std::string& list = options.list;
    if (list.empty()) return;
    const std::string text = text_of_list(list);
    if (const auto separator = separator_in(text)) {
        if (!options.inputs.empty())
            throw ProgramError(ErrorKind::invalid_argument, options.inputs.front().name,
                               "is an input on the command line, but the list of inputs has columns", "add a row to the list");
        const std::vector<io::TextRow> rows = io::rows_of_list(list, text, *separator);
        options.inputs = inputs_in(rows, list);
        options.list_columns = rows.front().cells;
        set_options(options);
    } else {
        for (const std::string& name : names_in(text, list)) options.inputs.push_back({name});
    }
    check_inputs(input_names(options.inputs), list);
}

std::string file_of_list(const std::string& list) { return io::is_stdin(list) || io::pipe_identity(list) ? std::string() : list; }

std::vector<std::string> further_columns(const LabelOptions& options) {
    std::vector<std::string> columns;
    std::ranges::copy_if(options.list_columns, std::back_inserter(columns),
                         [](const std::string& name) { return name != input_column && !is_option_column(name); });
    return columns;
}

std::string line_of_cells(const std::vector<std::string>& cells) {
    std::string line;
    for (const std::string& cell : cells) line += quoted_cell(cell) + (&cell == &cells.back() ? "\n" : ",");
    return line;
}

}  // namespace voxcc
