#include "src/messages/report.h"

#include "io/files/checked_file.h"
#include "io/files/transfer.h"
#include "src/messages/printable.h"
#include "src/messages/terminal.h"

#include <poll.h>
#include <unistd.h>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>

namespace voxcc {
namespace {

std::mutex stderr_mutex;
std::atomic<bool> bar_stands = false;  // is changed only under stderr_mutex
bool ended = false;                    // by end_messages(); guarded by stderr_mutex

std::string json_line(const nlohmann::ordered_json& object) {
    // Replaces invalid bytes, because a path need not be UTF-8. On a terminal, other characters than ASCII are escaped.
    return object.dump(-1, ' ', ::isatty(STDERR_FILENO), nlohmann::ordered_json::error_handler_t::replace);
}

/// The level of a message, in its colour if stderr shows colours: errors red and bold, warnings yellow, others without colour.
std::string shown_level(std::string_view level) {
    const std::string name(level);
    if (!stderr_shows_colours()) return name;
    if (level == "error") return "\033[1;31m" + name + "\033[0m";
    if (level == "warning") return "\033[33m" + name + "\033[0m";
    return name;
}

/// Prints one message as text: "voxcc: LEVEL: MESSAGE".
void print_message(std::string_view level, std::string_view message) {
    const std::string line = ::isatty(STDERR_FILENO) ? printable(message, LineEnds::none) : one_line(message);
    print_line("voxcc: " + shown_level(level) + ": " + line);
}

}  // namespace

std::string counted(std::uint64_t count, const std::string& noun) { return std::to_string(count) + " " + noun + (count == 1 ? "" : "s"); }

std::string as_stdout_shows(std::string_view text) { return ::isatty(STDOUT_FILENO) ? printable(text, LineEnds::kept) : std::string(text); }

void print_result(std::string_view text) {
    draw_bar("");  // stdout and stderr can be the same terminal
    const std::string shown = as_stdout_shows(text);
    if (const int error = io::write_all(STDOUT_FILENO, std::as_bytes(std::span(shown))))
        throw io::system_error("stdout", "write", error, io::Access::write);
}

bool stdout_has_no_reader() {
    pollfd out{STDOUT_FILENO, POLLOUT, 0};
    return ::poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

void print_line(std::string_view line) {
    const std::lock_guard lock(stderr_mutex);
    if (ended) return;
    std::fprintf(stderr, "%s%.*s\n", bar_stands ? "\r\033[K" : "", int(line.size()), line.data());
    bar_stands = false;
}

void draw_bar(std::string_view bar) {
    const std::lock_guard lock(stderr_mutex);
    if (ended) return;
    if (bar_stands || !bar.empty()) std::fprintf(stderr, "\r\033[K%.*s", int(bar.size()), bar.data());
    bar_stands = !bar.empty();
}

void end_messages() {
    draw_bar("");
    const std::lock_guard lock(stderr_mutex);
    ended = true;
}

void erase_bar_at_end() noexcept {
    constexpr std::string_view erase = "\r\033[K";
    if (bar_stands) (void)!::write(STDERR_FILENO, erase.data(), erase.size());
}

void print_error(const ErrorMessage& error, LogFormat format) {
    if (format == LogFormat::text) {
        print_message("error", error.text());
        return;
    }
    print_line(json_line({{"level", "error"},
                          {"message", error.text()},
                          {"file", error.subject},
                          {"cause", error.cause},
                          {"remedy", error.remedy},
                          {"exit", int(error.exit)}}));
}

void Reporter::say(int verbosity, const char* level, std::string_view message) const {
    if (options_.verbosity < verbosity) return;
    if (options_.format == LogFormat::json) print_line(json_line({{"level", level}, {"message", message}}));
    else print_message(level, message);
}

}  // namespace voxcc
