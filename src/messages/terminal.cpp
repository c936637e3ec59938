#include "src/messages/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>
#include <cstdlib>
#include <string_view>

namespace voxcc {
namespace {

std::string_view variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

}  // namespace

bool stderr_obeys_codes() {
    const std::string_view terminal = variable("TERM");
    return ::isatty(STDERR_FILENO) && !terminal.empty() && terminal != "dumb";
}

std::size_t stderr_columns() {
    winsize size{};
    return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

bool stderr_shows_colours() { return stderr_obeys_codes() && variable("NO_COLOR").empty(); }

}  // namespace voxcc
