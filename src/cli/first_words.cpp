#include "src/cli/first_words.h"

#include "io/format_names.h"
#include "src/errors/program_error.h"
#include "src/pipeline/naming.h"
#include "src/pipeline/selector.h"

#include <algorithm>
#include <filesystem>

namespace voxcc::cli {
namespace {

bool exists(const std::string& path) {
    std::error_code error;
    return std::filesystem::exists(path, error);
}

}  // namespace

std::vector<std::string> with_checked_first_words(std::vector<std::string> arguments, const std::vector<std::string>& commands) {
    if (arguments.size() < 2) return arguments;
    const std::string& first = arguments[1];
    const bool is_command = std::ranges::find(commands, first) != commands.end();
    if (!is_command && !first.starts_with('-') && (exists(first) || io::has_volume_extension(divide_input(first).path)))
        throw ProgramError(ErrorKind::invalid_argument, first, "is a file name, not a command", "write 'voxcc label " + first + "'");
    if (is_command && arguments.size() == 3 && arguments[2] == "help" && !exists("help")) arguments[2] = "--help";
    return arguments;
}

}  // namespace voxcc::cli
