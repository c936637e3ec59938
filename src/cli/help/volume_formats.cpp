// The table of formats in docs/format-table.md.
#include "io/format.h"
#include "io/format_names.h"
#include "src/cli/help/formats.h"

#include <algorithm>

namespace voxcc::cli {
namespace {

/// The words, each in the form of code; empty if there are none.
// {".nii", ".hdr"} -> "`.nii` `.hdr`"
std::string as_code(const std::vector<std::string_view>& words) {
    std::string text;
    for (const std::string_view word : words) text += (text.empty() ? "`" : " `") + std::string(word) + "`";
    return text;
}

std::string cell(const std::string& text) { return text.empty() ? " |" : " " + text + " |"; }

std::string extensions_of(const io::Format& format) {
    std::vector<std::string_view> all = io::short_extensions(format);
    all.insert(all.end(), format.ambiguous_extensions.begin(), format.ambiguous_extensions.end());
    return as_code(all);
}

/// The types of labels; in brackets the types that need --dtype. OME-TIFF has fewer.
std::string types_of(const io::Writing& write) {
    std::string text, more;
    for (const ScalarType type : write.types("")) text += (text.empty() ? "" : " ") + std::string(name_of(type));
    for (const ScalarType type : write.more_types) more += (more.empty() ? "" : " ") + std::string(name_of(type));
    return text + (more.empty() ? "" : " (" + more + ")");
}

std::string row_of(const io::Format& format) {
    const std::string slices = as_code(format.slice_extensions);
    const bool writes_names = format.write && !format.write->extensions.empty();
    return "|" + cell(std::string(format.name)) + cell(extensions_of(format)) + cell(as_code(format.compressions)) +
           cell(format.read.pipes == io::Pipes::read ? "yes" : "") + cell(slices.empty() ? "" : "yes") +
           cell(writes_names ? as_code(format.write->extensions) : "") + cell(format.write ? types_of(*format.write) : "") + "\n";
}

}  // namespace

std::string markdown_of_volume_formats() {
    std::string text = "| format | extensions | also with | pipes | slices | outputs | types of labels |\n|---|---|---|---|---|---|---|\n";
    for (const io::Format& format : io::formats()) text += row_of(format);
    return text;
}

}  // namespace voxcc::cli
