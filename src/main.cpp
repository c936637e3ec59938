// The only place that catches errors and prints them.
#include "io/checked_file.h"
#include "src/cli/cli.h"
#include "src/messages/report.h"
#include "src/pipeline/current_error.h"

#include <fcntl.h>
#include <unistd.h>
#include <csignal>
#include <new>
#include <string_view>

namespace {

using namespace voxcc;

void end_by_signal(int signal) {
    io::make_no_more_files();
    io::remove_temporaries();
    _exit(128 + signal);
}

void handle(int signal, void (*handler)(int)) {
    struct sigaction before {
    }, action{};
    // What the caller ignores (nohup, background jobs) stays ignored.
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) return;
    action.sa_handler = handler;
    sigfillset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
}

void handle_signals() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) handle(signal, end_by_signal);
    // These come back as errors of write(), which are checked.
    for (const int signal : {SIGPIPE, SIGXFSZ}) handle(signal, SIG_IGN);
}

// A closed stdout must not become the number of an output file. Opened for reading, it refuses what is written.
void fill_standard_descriptors() {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(fd, F_GETFD) < 0) (void)!::open("/dev/null", O_RDONLY);
}

int fail(const ErrorMessage& error, LogFormat format) {
    // The reader of a pipe that left (head) knows why the output ends.
    const bool unread = error.exit == ExitCode::io_error && error.subject == "stdout" && stdout_has_no_reader();
    if (!unread) print_error(error, format);
    return int(error.exit);
}

/// The message needs memory, too.
int fail_with_current_error(LogFormat format) {
    try {
        return fail(current_error("voxcc"), format);
    } catch (const std::bad_alloc&) {
        constexpr std::string_view message = "voxcc: error: voxcc: out of memory\n";
        (void)!::write(STDERR_FILENO, message.data(), message.size());
        return int(ExitCode::out_of_memory);
    }
}

}  // namespace

int main(int argc, char** argv) {
    fill_standard_descriptors();
    handle_signals();
    LogFormat format = LogFormat::text;
    try {
        const std::vector<std::string> arguments(argv, argv + argc);
        format = wanted_log_format(arguments);
        const Command command = parse_command_line(arguments);
        format = command.talk.format;
        return command.run();
    } catch (...) {
        return fail_with_current_error(format);
    }
}
