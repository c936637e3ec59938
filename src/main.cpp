// The main program: runs a command, handles signals, and prints the error that ends the command.
#include "io/failed_allocation.h"
#include "io/files/checked_file.h"
#include "io/files/pipe_input.h"
#include "io/sandbox.h"
#include "src/cli/cli.h"
#include "src/messages/report.h"
#include "src/pipeline/current_error.h"
#include "src/pipeline/interruption.h"

#include <fcntl.h>
#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <new>
#include <string_view>

namespace {

using namespace voxcc;

void handle(int signal, void (*handler)(int)) {
    struct sigaction before {
    }, action{};
    // A signal that the caller ignores (nohup, background jobs) stays ignored.
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) return;
    action.sa_handler = handler;
    sigfillset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
}

void handle_signals() {
    // Schedulers send SIGUSR1, SIGUSR2, SIGXCPU or SIGALRM at a limit of time. The default action of all these signals is to end the
    // process.
    for (const int signal :
         {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU, SIGALRM, SIGVTALRM, SIGPROF, SIGPWR, SIGIO, SIGSTKFLT})
        handle(signal, end_by_signal);
    // With these signals ignored, write() returns an error, which is checked.
    for (const int signal : {SIGPIPE, SIGXFSZ}) handle(signal, SIG_IGN);
}

// Opens /dev/null in place of closed standard descriptors. Otherwise an output file could get the descriptor of stdout. The mode is
// read-only, so that writing to stdout is still an error.
void fill_standard_descriptors() {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(fd, F_GETFD) < 0) (void)!::open("/dev/null", O_RDONLY);
}

int fail(const ErrorMessage& error, LogFormat format) {
    // No message if the reader of the pipe has ended on purpose, as `head` does.
    const bool unread = error.exit == ExitCode::io_error && error.subject == "stdout" && stdout_has_no_reader();
    if (!unread) print_error(error, format);
    return int(error.exit);
}

/// Prints "out of memory" without allocating memory. @return the exit code
int fail_without_memory() {
    constexpr std::string_view message = "voxcc: error: voxcc: out of memory; use fewer threads (-t), or set --max-memory\n";
    (void)!::write(STDERR_FILENO, message.data(), message.size());
    return int(ExitCode::out_of_memory);
}

/// Prints the current exception. The message needs memory; if none is left, prints a fixed message. @return the exit code
int fail_with_current_error(LogFormat format) {
    try {
        return fail(current_error("voxcc"), format);
    } catch (const std::bad_alloc&) {
        return fail_without_memory();
    }
}

void end_without_memory() {
    io::make_no_more_files();
    io::remove_temporaries();
    _exit(fail_without_memory());
}

/// Runs before the static objects of the program and of the CUDA runtime are constructed. Their constructors allocate memory, and the CUDA
/// runtime crashes if an allocation fails.
[[gnu::constructor(101)]] void require_memory_to_start() {
    io::end_on_failed_allocation(end_without_memory);
    constexpr std::size_t bytes = 4 << 20;
    void* const memory = ::operator new(bytes, std::nothrow);
    if (memory == nullptr) _exit(fail_without_memory());
    ::operator delete(memory);
}

void warn_if_unsandboxed(const Reporter& reporter) {
    if (io::unsandboxed() == io::Unsandboxed::refuse) return;
    for (const std::string& missing : io::missing_restrictions())
        reporter.warning("--allow-unsandboxed: the process that parses a file is not restricted completely: " + missing);
}

/// @return the exit code
int run(int argc, char** argv) {
    LogFormat format = LogFormat::text;
    try {
        const std::vector<std::string> arguments(argv, argv + argc);
        format = wanted_log_format(arguments);
        const Command command = parse_command_line(arguments);
        format = command.messages.format;
        io::when_spooled([reporter = Reporter(command.messages)](const std::string& path, const std::string& folder) {
            reporter.detail(path + ": is copied to a file in " + folder + ", because it is read more than once");
        });
        warn_if_unsandboxed(Reporter(command.messages));
        return command.run();
    } catch (...) {
        return fail_with_current_error(format);
    }
}

}  // namespace

int main(int argc, char** argv) {
    fill_standard_descriptors();
    handle_signals();
    io::end_on_exit_of_a_library();
    const int code = run(argc, argv);
    io::expect_exit();
#ifdef __SANITIZE_ADDRESS__
    if (code != int(ExitCode::out_of_memory)) return code;  // the sanitizer searches for leaks in an exit handler
#endif
    // Exit handlers of libraries are left out. After an error or a failed allocation they can crash, which would change the exit code. All
    // outputs are closed.
    std::cout.flush();
    std::fflush(nullptr);
    ::_exit(code);
}
