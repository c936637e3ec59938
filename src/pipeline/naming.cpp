#include "src/pipeline/naming.h"

#include "io/files/checked_file.h"
#include "io/files/pipe_input.h"
#include "io/format_names.h"
#include "src/errors/program_error.h"
#include "src/options/test_volume_options.h"
#include "src/pipeline/bids.h"
#include "src/pipeline/selector.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <sstream>

namespace voxcc {
namespace {

/// @throw Error invalid_file for more than 256 MB, which is not a list of names; io_error
std::string text_of_stdin() {
    constexpr std::size_t most_bytes = 256'000'000;
    std::string text;
    std::array<char, 65536> buffer;
    while (std::cin.read(buffer.data(), buffer.size()) || std::cin.gcount() > 0) {
        text.append(buffer.data(), std::size_t(std::cin.gcount()));
        if (text.size() > most_bytes)
            throw ProgramError(ErrorKind::invalid_file, "-", "has more than 256 MB", "write one file name per line to stdin");
    }
    if (std::cin.bad()) throw ProgramError(ErrorKind::io_error, "-", "cannot be read");
    return text;
}

}  // namespace

std::vector<std::string> all_inputs(const std::vector<std::string>& inputs, const std::string& list) {
    std::vector<std::string> all = inputs;
    if (!list.empty()) {
        std::string text = io::is_stdin(list) ? text_of_stdin() : io::InputFile(list).text();
        if (constexpr std::string_view mark = "\xef\xbb\xbf"; text.starts_with(mark)) text.erase(0, mark.size());  // byte order mark
        if (text.find('\0') != std::string::npos)
            throw ProgramError(ErrorKind::invalid_file, list, "is not a text file", "write one file name per line");
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) {
            if (line.ends_with('\r')) line.pop_back();
            if (!line.empty()) all.push_back(line);
        }
    }
    if (io::is_stdin(list) && std::ranges::any_of(all, [](const std::string& input) { return io::is_stdin(divide_input(input).path); }))
        throw ProgramError(ErrorKind::invalid_argument, "-", "is an input, but the list of inputs is read from stdin",
                           "write the list to a file, and give its name");
    if (all.empty())
        throw ProgramError(ErrorKind::invalid_argument, list, "the list contains no file name", "write one file name per line");
    return all;
}

std::string file_of_list(const std::string& list) { return io::is_stdin(list) ? std::string() : list; }

std::string stem_of(const std::string& input) {
    if (io::is_stdin(input)) return "stdin";
    if (is_generated(input)) return name_of_selector(input);
    if (const SelectedFile file = divide_input(input); !file.selector.empty()) return stem_of(file.path) + name_of_selector(file.selector);
    const auto leads_elsewhere = [](const std::string& name) { return name.empty() || name == "." || name == ".."; };
    std::filesystem::path path(input);
    if (!path.has_filename()) path = path.parent_path();
    if (leads_elsewhere(path.filename().string())) path = std::filesystem::absolute(path / "").lexically_normal().parent_path();
    const std::string file = path.filename().string();
    std::string name = io::without_volume_extension(file);
    const std::size_t percent = name.find('%'), d = name.find('d', percent);
    if (percent != std::string::npos && d != std::string::npos) name.erase(percent, d - percent + 1);
    if (!leads_elsewhere(name)) return name;
    return file.empty() ? "root" : "_" + file;
}

bool names_each_input(const std::string& path) {
    return path.find("{stem}") != std::string::npos || path.find("{bids}") != std::string::npos;
}

bool is_common_output(const std::string& path, const LabelOptions& options) {
    const bool has_several_inputs = options.inputs.size() > 1 || !options.list.empty();
    return has_several_inputs && !names_each_input(path);
}

std::string expand(const std::string& path, const std::string& input, std::optional<std::int64_t> volume) {
    std::string out;
    const std::string stem = stem_of(input), number = volume ? std::to_string(*volume) : "";
    for (std::size_t at = 0; at < path.size();) {
        const std::string_view rest = std::string_view(path).substr(at);
        const auto replace = [&](std::string_view name, const std::string& by) {
            if (!rest.starts_with(name)) return false;
            out += by;
            at += name.size();
            return true;
        };
        if (rest.starts_with("{bids}")) replace("{bids}", bids_stem(input));
        else if (!replace("{stem}", stem) && !(volume && replace("{volume}", number))) out += path[at++];
    }
    return out;
}

}  // namespace voxcc
