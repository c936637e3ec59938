// The table of formats in docs/reference/formats.md. A build without a library leaves out the formats that need it.
#include "io/format.h"
#include "io/format_names.h"
#include "src/cli/help/formats.h"
#include "src/cli/help/wrap.h"

namespace voxcc::cli {
namespace {

std::string format_cell(const std::string& text) { return text.empty() ? " |" : " " + text + " |"; }

std::string extensions_of(const io::Format& format) {
    std::vector<std::string_view> all = io::short_extensions(format);
    all.insert(all.end(), format.ambiguous_extensions.begin(), format.ambiguous_extensions.end());
    return as_code(all, " ");
}

/// The types of labels; in brackets the types that need --dtype. OME-TIFF has fewer.
std::string types_of(const io::Writing& write) {
    std::string text, more;
    for (const ScalarType type : write.types("")) text += (text.empty() ? "" : " ") + std::string(name_of(type));
    for (const ScalarType type : write.more_types) more += (more.empty() ? "" : " ") + std::string(name_of(type));
    return text + (more.empty() ? "" : " (" + more + ")");
}

std::string row_of(const io::Format& format) {
    return "|" + format_cell(std::string(format.name)) + format_cell(extensions_of(format)) +
           format_cell(as_code(format.compressions, " ")) + format_cell(format.read.pipes == io::Pipes::read ? "yes" : "") +
           format_cell(format.slice_extensions.empty() ? "" : "yes") +
           format_cell(format.write ? as_code(format.write->extensions, " ") : "") +
           format_cell(format.write ? types_of(*format.write) : "") + "\n";
}

}  // namespace

std::string markdown_of_volume_formats() {
    std::string text = "| format | extensions | also with | pipes | slices | outputs | types of labels |\n|---|---|---|---|---|---|---|\n";
    for (const io::Format& format : io::formats())
        if (format.is_available()) text += row_of(format);
    return text;
}

}  // namespace voxcc::cli
