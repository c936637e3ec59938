#include "io/formats/nrrd/nrrd_text.h"

#include <algorithm>
#include <span>
#include <string_view>

namespace voxcc::io {
namespace {

constexpr std::int64_t longest_header = std::int64_t{1} << 24;

/// The first bytes of a file, which contain its header. They end after an empty line, at the end of the file, or at the longest header.
std::string start_with_header(const InputFile& file) {
    constexpr std::size_t piece = std::size_t{1} << 14, longest_end = 3;
    std::string text;
    std::size_t before = 0;
    const auto has_end = [&] {  // in the last piece, or from its predecessor into it
        const std::size_t from = before - std::min(before, longest_end - 1);
        return text.find("\n\n", from) != text.npos || text.find("\n\r\n", from) != text.npos;
    };
    while (std::int64_t(text.size()) < longest_header && !has_end()) {
        before = text.size();
        text.resize(before + piece);
        text.resize(before + file.read_some(std::int64_t(before), std::as_writable_bytes(std::span(text).subspan(before))));
        if (text.size() < before + piece) break;
    }
    return text;
}

}  // namespace

NrrdText read_nrrd_text(const InputFile& file) {
    const std::string text = start_with_header(file);
    NrrdText header;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = trim(std::string_view(text).substr(at, end - at));
        at = std::min(end + 1, text.size());
        header.end = std::int64_t(at);
        if (line.empty()) return header;
        if (data_file_of(header.fields).starts_with("LIST")) {
            header.listed.emplace_back(line);
            continue;
        }
        const std::size_t colon = line.find(':');
        if (line[0] == '#' || colon == line.npos || line.substr(colon).starts_with(":=")) continue;
        header.fields[lower_case(trim(line.substr(0, colon)))] = trim(line.substr(colon + 1));
    }
    if (std::int64_t(text.size()) >= longest_header) throw Error(ErrorKind::invalid_file, file.path(), "its header has no end");
    return header;
}

std::string data_file_of(const Fields& fields) {
    const std::string* name = find_field(fields, {"data file", "datafile"});
    return name ? *name : "";
}

}  // namespace voxcc::io
