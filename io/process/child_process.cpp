#include "io/process/child_process.h"

#include "io/checked_file.h"
#include "io/failed_allocation.h"
#include "io/process/sandbox.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <new>

namespace voxcc::io {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool maps_terabytes = true;  // AddressSanitizer maps its shadow memory on demand
#else
constexpr bool maps_terabytes = false;
#endif
constexpr std::int64_t most_memory = std::int64_t{6} << 30;
constexpr int status_without_memory = 2;  // exit status of a child that ran out of memory

std::int64_t mapped_bytes() {
    std::ifstream statm("/proc/self/statm");
    std::int64_t pages = 0;
    return statm >> pages ? pages * ::sysconf(_SC_PAGESIZE) : 0;
}

// Limits memory beyond the mapped bytes; keeps lower existing limits (ulimit -v).
void limit_memory(std::int64_t bytes) {
    const std::int64_t mapped = mapped_bytes();
    rlimit memory{};
    if (mapped == 0 || maps_terabytes || ::getrlimit(RLIMIT_AS, &memory) != 0) return;
    memory.rlim_cur = std::min(memory.rlim_cur, rlim_t(mapped + bytes));
    memory.rlim_max = std::min(memory.rlim_max, rlim_t(mapped + std::max(bytes, most_memory)));
    ::setrlimit(RLIMIT_AS, &memory);
}

// @return whether a limit (ulimit -v) leaves less memory than the libraries can need. They crash if an allocation fails.
bool is_short_of_memory() {
    constexpr std::int64_t ample = std::int64_t{256} << 20;
    rlimit memory{};
    return ::getrlimit(RLIMIT_AS, &memory) == 0 && memory.rlim_cur != RLIM_INFINITY && memory.rlim_cur < rlim_t(mapped_bytes() + ample);
}

// Restores the default signal actions. Ignored signals stay ignored (nohup). The handlers of the parent remove its files, and so must not
// run in the child.
void reset_signals() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGABRT, SIGSEGV, SIGBUS, SIGALRM, SIGPROF}) {
        struct sigaction action {};
        if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) std::signal(signal, SIG_DFL);
    }
    sigset_t none;
    sigemptyset(&none);
    ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

// Closes all descriptors except the two, so that outputs of the parent and channels to other children do not stay open. Standard input,
// output and error become /dev/null.
void close_all_but(int fd, int kept) {
    const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nowhere >= 0)
        for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, standard);
    std::array<int, 2> open{std::min(fd, kept), std::max(fd, kept)};
    unsigned next = STDERR_FILENO + 1;
    for (const int descriptor : open) {
        if (descriptor < int(next)) continue;
        if (unsigned(descriptor) > next) ::close_range(next, unsigned(descriptor) - 1, 0);
        next = unsigned(descriptor) + 1;
    }
    ::close_range(next, ~0u, 0);
}

// Ends the child. An answer that needed memory could be incomplete, so the parent learns the cause from the exit status.
[[noreturn]] void end_without_memory() { ::_exit(status_without_memory); }

// noexcept: an exception must not reach the code of the parent, which the child would then continue.
[[noreturn]] void run_child(const ChildLimits& limits, int fd, int kept, const ChildProcess::Serve& serve) noexcept {
    reset_signals();
    end_on_failed_allocation(end_without_memory);
    close_all_but(fd, kept);
    const rlimit nothing{0, 0};
    ::setrlimit(RLIMIT_CORE, &nothing);
    limit_memory(limits.memory);
    give_up_rights();
    Channel channel(fd);
    try {
        try {
            limit_processor_time(limits.processor_seconds);
            forget_failed_allocations();
            serve(channel);
        } catch (const Error& error) {
            if (allocation_failed()) end_without_memory();  // libraries blame the file
            put_error(channel, error);
        }
        channel.flush();
    } catch (const Channel::Closed&) {  // the parent does not need further answers
    } catch (const std::bad_alloc&) {
        end_without_memory();
    } catch (...) {
        ::_exit(EXIT_FAILURE);
    }
    ::_exit(EXIT_SUCCESS);
}

}  // namespace

ChildProcess::ChildProcess(const std::string& path, const ChildLimits& limits, int kept_descriptor, const Serve& serve)
    : path_(path), limits_(limits) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        throw system_error(path, "connect to a process for", errno, Access::read);
    child_ = ::fork();
    if (child_ == 0) run_child(limits, ends[1], kept_descriptor, serve);
    const int error = errno;
    ::close(ends[1]);
    if (child_ < 0) {
        ::close(ends[0]);
        if (error == EAGAIN)
            throw Error(ErrorKind::process_limit, path, "cannot start a process to read it: the limit of processes is reached");
        throw system_error(path, "start a process for", error, Access::read);
    }
    fd_ = ends[0];
    const timeval idle{limits.idle_seconds, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &idle, sizeof idle);
    channel_ = Channel(fd_, [this] { require_progress(); });
}

ChildProcess::~ChildProcess() {
    ::close(fd_);
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

// A hostile file can make the child send less than it announces, or nothing. Both processes would then wait for each other.
void ChildProcess::require_progress() {
    clockid_t clock{};
    timespec used{};
    if (::clock_getcpuclockid(child_, &clock) != 0 || ::clock_gettime(clock, &used) != 0) used = {};
    constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;
    const std::int64_t nanoseconds = used.tv_sec * nanoseconds_per_second + used.tv_nsec;
    if (nanoseconds == used_nanoseconds_)
        throw Error(ErrorKind::io_error, path_, "the process that reads it was idle for " + std::to_string(limits_.idle_seconds) + " s");
    used_nanoseconds_ = nanoseconds;
}

void ChildProcess::throw_cause_of_death() {
    int status = 0;
    if (child_ > 0)
        while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
        }
    child_ = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == status_without_memory)
        throw Error(ErrorKind::out_of_memory, path_,
                    "reading it needs more memory than is allowed; the file may be corrupt, or allow more memory");
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (signal == SIGKILL)
        throw Error(ErrorKind::out_of_memory, path_, "the process that read it was killed; most likely memory ran out; allow more");
    if (signal == SIGPROF)
        throw Error(ErrorKind::corrupt_file, path_,
                    "its structure was not understood within " + std::to_string(limits_.processor_seconds) + " s of processor time");
    if (is_short_of_memory())
        throw Error(ErrorKind::out_of_memory, path_,
                    "the library that reads this format crashed, most likely because memory ran out; allow more memory (ulimit -v)");
    throw LibraryCrash(ErrorKind::corrupt_file, path_, "the library that reads this format crashed on it");
}

Error ChildProcess::nonsense() const {
    return {ErrorKind::corrupt_file, path_, "the process that reads this format sent an invalid answer"};
}

void limit_processor_time(int seconds) {
    const itimerval timer{{0, 0}, {seconds, 0}};
    ::setitimer(ITIMER_PROF, &timer, nullptr);  // the kernel sends SIGPROF, which ends the process
}

void allow_memory(std::int64_t bytes) {
    const std::int64_t mapped = mapped_bytes();
    rlimit memory{};
    if (maps_terabytes || mapped == 0 || ::getrlimit(RLIMIT_AS, &memory) != 0) return;
    memory.rlim_cur = std::min(memory.rlim_max, std::max(memory.rlim_cur, rlim_t(mapped + bytes)));
    ::setrlimit(RLIMIT_AS, &memory);
}

}  // namespace voxcc::io
