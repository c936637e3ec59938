// Outputs that are one text.
#pragma once
#include "io/files/checked_file.h"
#include "src/messages/report.h"

#include <string>
#include <string_view>

namespace voxcc {

/// Writes a text to a new file of a run, or to stdout. @param path - for stdout @throw the exceptions of io::OutputFiles::create()
inline void write_text(const std::string& path, std::string_view text, io::OutputFiles& outputs) {
    if (path == "-") return print_result(text);
    io::OutputFile& file = outputs.create(path);
    file.write(text);
    file.close();
}

}  // namespace voxcc
