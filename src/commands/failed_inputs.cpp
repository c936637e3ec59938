#include "src/commands/failed_inputs.h"

#include "src/messages/printable.h"
#include "src/messages/report.h"
#include "src/messages/text_file.h"
#include "src/pipeline/input_list.h"

namespace voxcc {

FailedInputs::FailedInputs(std::string path, io::Overwrite overwrite, const std::shared_ptr<const io::FileSet>& read)
    : path_(std::move(path)), outputs_(overwrite, read) {}

void FailedInputs::check() const {
    if (!path_.empty()) outputs_.check(path_);
}

std::vector<std::string> FailedInputs::write(std::size_t inputs, const std::vector<std::string>& columns) {
    if (path_.empty()) return {};
    std::vector<std::string> warnings;
    std::string text = "# " + std::to_string(count()) + " of " + counted(inputs, "input") + " are not complete\n";
    if (!columns.empty()) text += line_of_cells(columns);
    for (const auto& [input, error] : failures_) {
        text += "# " + one_line(error) + "\n";
        if (!columns.empty()) text += line_of_cells(texts_of(input.cells, columns));
        else if (const auto line = line_of_list(input.name)) text += *line + "\n";
        else warnings.push_back(input.name + ": is not in " + path_ + ", because a line of a list cannot contain this name");
    }
    write_text(path_, text, outputs_);
    for (const std::string& warning : outputs_.publish()) warnings.push_back(warning);
    return warnings;
}

std::optional<std::string> line_of_list(const std::string& name) {
    if (name.find('\n') != std::string::npos || name.find_last_not_of(" \t\r") + 1 != name.size()) return std::nullopt;
    return name.starts_with('#') || name == "input" ? "./" + name : name;
}

}  // namespace voxcc
