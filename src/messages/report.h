// Output of results to stdout and of messages to stderr. All lines except the rows of tables are written here.
#pragma once
#include "src/errors/remedies.h"
#include "src/options/options.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace voxcc {

/// @return the text; if stdout is a terminal, without the characters that control a terminal (printable.h)
std::string as_stdout_shows(std::string_view text);

/// Erases the progress bar, writes as_stdout_shows(text) to stdout and flushes. @throw Error io_error with subject "stdout"
void print_result(std::string_view text);

/// @return whether stdout is a pipe whose reader has closed it (voxcc ... | head)
bool stdout_has_no_reader();

/// @return count and noun with the plural "s" where needed
// 1, "component"  ->  "1 component"; 2, "component"  ->  "2 components"
std::string counted(std::uint64_t count, const std::string& noun);

/// Prints the error line of a failed run or file: "voxcc: error: FILE: cause; remedy", or a JSON object.
void print_error(const ErrorMessage& error, LogFormat format);

/// Prints a line on stderr and erases the progress bar first. Thread-safe.
void print_line(std::string_view line);

/// No line and no bar is printed after this call. Thread-safe.
void end_messages();

/// Erases the bar before the process ends. Async-signal-safe.
void erase_bar_at_end() noexcept;

/// Draws `bar` over the last line of the terminal; "" erases the bar. Thread-safe.
void draw_bar(std::string_view bar);

/// Prints the messages of a run, depending on the verbosity. Thread-safe.
class Reporter {
public:
    explicit Reporter(const MessageOptions& messages) : options_(messages) {}
    void warning(std::string_view message) const { say(1, "warning", message); }  // a finding that the user should check
    void warnings(const std::vector<std::string>& messages) const {
        for (const std::string& message : messages) warning(message);
    }
    void note(std::string_view message) const { say(1, "note", message); }      // an automatic choice
    void detail(std::string_view message) const { say(2, "detail", message); }  // with -v

private:
    void say(int verbosity, const char* level, std::string_view message) const;
    MessageOptions options_;
};

}  // namespace voxcc
