// Results go to stdout, talk to stderr: every line of both that is not a table's passes here.
#pragma once
#include "src/cli/options.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace voxcc {

/// Writes to stdout and flushes. @throw Error io_error with subject "stdout"
void print_result(std::string_view text);

/// Whether stdout is a pipe that nobody reads any more (voxcc ... | head).
bool stdout_has_no_reader();

/// "1 component", "2 components"
std::string counted(std::uint64_t count, const std::string& noun);

/// The one line that a failed run or file gets: "voxcc: error: FILE: cause; remedy".
void print_error(const Error& error, LogFormat format);

/// A line on stderr; a progress bar that stands there is wiped away first. Thread-safe.
void print_talk(std::string_view line);

/// Draws `bar` over the last line of the terminal behind stderr; "" wipes it away. Thread-safe.
void draw_bar(std::string_view bar);

/// What a run has to say besides its results; thread-safe.
class Reporter {
public:
    explicit Reporter(const Talk& talk) : talk_(talk) {}
    void warning(std::string_view message) const { say(1, "warning", message); }  // something the user should look at
    void note(std::string_view message) const { say(1, "note", message); }        // a choice that was made for the user
    void detail(std::string_view message) const { say(2, "detail", message); }    // with -v

private:
    void say(int verbosity, const char* level, std::string_view message) const;
    Talk talk_;
};

}  // namespace voxcc
