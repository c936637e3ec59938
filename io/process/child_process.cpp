#include "io/process/child_process.h"

#include "io/failed_allocation.h"
#include "io/files/checked_file.h"
#include "io/process/sandbox.h"
#include "io/sandbox.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <new>

namespace voxcc::io {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool maps_terabytes = true;  // AddressSanitizer maps its shadow memory on demand
#else
constexpr bool maps_terabytes = false;
#endif
constexpr int status_without_memory = 2;  // exit status of a child that ran out of memory
constexpr int status_unrestricted = 16;   // of a child that could not be restricted; plus a bit per restriction
static_assert(1 << int(last_restriction) < status_unrestricted);
constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;

// Bytes of address space that are mapped. Finds the smallest limit under which a further page can be mapped, which needs no /proc.
rlim_t mapped_bytes() {
    rlimit before{};
    if (maps_terabytes || ::getrlimit(RLIMIT_AS, &before) != 0) return 0;
    const auto page = rlim_t(::sysconf(_SC_PAGESIZE));
    constexpr rlim_t all_addresses = rlim_t{1} << 47;
    rlim_t too_low = 0, enough = std::min(before.rlim_cur, all_addresses);
    while (enough - too_low > page) {
        const rlimit tried{too_low + (enough - too_low) / 2, before.rlim_max};
        ::setrlimit(RLIMIT_AS, &tried);
        void* const mapped = ::mmap(nullptr, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (mapped == MAP_FAILED) {
            too_low = tried.rlim_cur;
            continue;
        }
        ::munmap(mapped, page);
        enough = tried.rlim_cur;
    }
    ::setrlimit(RLIMIT_AS, &before);
    return enough;
}

// The limit of this process on a resource with another current value, which is not above the present one (ulimit).
rlimit lowered(__rlimit_resource resource, rlim_t value) {
    rlimit limit{};
    if (::getrlimit(resource, &limit) == 0) limit.rlim_cur = std::min(limit.rlim_cur, value);
    return limit;
}

rlimit memory_limit(rlim_t mapped, const ChildLimits& limits) {
    return lowered(RLIMIT_AS, mapped + rlim_t(std::min(limits.memory, most_process_memory())));
}

// Restores the default signal actions. Ignored signals stay ignored (nohup), except the signal of the limit on processor time. The
// handlers of the parent remove its files, and so must not run in the child.
void reset_signals() {
    for (int signal = 1; signal < NSIG; ++signal) {
        struct sigaction action {};
        const bool is_ignored = ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
        if (!is_ignored || signal == SIGXCPU) std::signal(signal, SIG_DFL);
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

// Removes all rights that the child does not need. Ends it if one of them stays, unless the program allows this.
// @return the bytes of its address space that are mapped
rlim_t restrict_child(const ChildLimits& limits, const std::vector<std::string>& readable) {
    const rlimit nothing{0, 0};
    ::setrlimit(RLIMIT_CORE, &nothing);
    const rlim_t mapped = mapped_bytes();
    const rlimit memory = memory_limit(mapped, limits);
    const bool is_limited = maps_terabytes || (mapped > 0 && ::setrlimit(RLIMIT_AS, &memory) == 0);
    std::vector<Restriction> refused = give_up_rights(readable);
    if (!is_limited) refused.push_back(Restriction::memory);
    if (refused.empty() || unsandboxed() == Unsandboxed::allow) return mapped;
    int status = status_unrestricted;
    for (const Restriction restriction : refused) status |= 1 << int(restriction);
    ::_exit(status);
}

// noexcept: an exception must not reach the code of the parent, which the child would then continue.
[[noreturn]] void run_child(const ChildLimits& limits, int fd, const ChildInputs& inputs, const ChildProcess::Serve& serve) noexcept {
    reset_signals();
    end_on_failed_allocation(end_without_memory);
    close_all_but(fd, inputs.descriptor);
    const rlim_t mapped = restrict_child(limits, inputs.readable);
    Channel channel(fd);
    try {
        channel.put(std::int64_t(mapped));
        try {
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

// @return whether a limit (ulimit -v) leaves less memory than the libraries can need. They crash if an allocation fails.
bool is_short_of_memory(std::int64_t mapped) {
    constexpr rlim_t ample = rlim_t{256} << 20;
    rlimit memory{};
    return ::getrlimit(RLIMIT_AS, &memory) == 0 && memory.rlim_cur != RLIM_INFINITY && memory.rlim_cur < rlim_t(mapped) + ample;
}

// @param status of a child that could not be restricted
std::string texts_of(int status) {
    std::string text;
    for (int i = 0; i <= int(last_restriction); ++i)
        if ((status & 1 << i) != 0) text += (text.empty() ? "" : ", and ") + std::string(missing(Restriction(i)));
    return text;
}

}  // namespace

ChildProcess::ChildProcess(const std::string& path, const ChildLimits& limits, const ChildInputs& inputs, const Serve& serve)
    : path_(path), limits_(limits) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        throw system_error(path, "connect to a process for", errno, Access::read);
    child_ = ::fork();
    if (child_ == 0) run_child(limits, ends[1], inputs, serve);
    const int error = errno;
    ::close(ends[1]);
    if (child_ < 0) {
        ::close(ends[0]);
        if (error == EAGAIN)
            throw Error(ErrorKind::process_limit, path, "cannot start a process to read it: the limit of processes is reached");
        throw system_error(path, "start a process for", error, Access::read);
    }
    fd_ = ends[0];
    constexpr timeval wait{1, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    channel_ = Channel(fd_, [this] { require_progress(); });
}

ChildProcess::~ChildProcess() {
    ::close(fd_);
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

void ChildProcess::allow(std::int64_t memory, int processor_seconds) {
    limits_.memory = memory;
    limits_.processor_seconds = processor_seconds;
}

std::int64_t ChildProcess::used_nanoseconds() const {
    clockid_t clock{};
    timespec used{};
    if (::clock_getcpuclockid(child_, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return 0;
    return used.tv_sec * nanoseconds_per_second + used.tv_nsec;
}

// The kernel ends the child after its time (SIGXCPU), also if this process has ended. A child that blocks the signal is ended by
// require_progress().
void ChildProcess::begin_request() {
    used_before_ = used_when_waiting_ = used_nanoseconds();
    idle_ = 0;
    const auto seconds = rlim_t(used_before_ / nanoseconds_per_second + 1) + rlim_t(limits_.processor_seconds);
    const rlimit time = lowered(RLIMIT_CPU, seconds);
    ::prlimit(child_, RLIMIT_CPU, &time, nullptr);
    if (mapped_ < 0) mapped_ = channel_.get<std::int64_t>();
    if (maps_terabytes) return;
    const rlimit memory = memory_limit(rlim_t(mapped_), limits_);
    ::prlimit(child_, RLIMIT_AS, &memory, nullptr);
}

// Called each second without an answer. A hostile file can make the child send less than it announces, or nothing. Both processes would
// then wait for each other.
void ChildProcess::require_progress() {
    const std::int64_t used = used_nanoseconds();
    if (used - used_before_ > limits_.processor_seconds * nanoseconds_per_second) {
        ::kill(child_, SIGKILL);
        throw_slow();
    }
    idle_ = used == used_when_waiting_ ? idle_ + 1 : 0;
    used_when_waiting_ = used;
    if (idle_ >= limits_.idle_seconds)
        throw Error(ErrorKind::io_error, path_, "the process that reads it was idle for " + std::to_string(limits_.idle_seconds) + " s");
}

void ChildProcess::throw_slow() const {
    throw Error(ErrorKind::corrupt_file, path_,
                "its structure was not understood within " + std::to_string(limits_.processor_seconds) + " s of processor time");
}

void ChildProcess::throw_cause_of_death() {
    int status = 0;
    if (child_ > 0)
        while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
        }
    child_ = 0;
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    if (code == status_without_memory)
        throw Error(ErrorKind::out_of_memory, path_,
                    "reading it needs more memory than is allowed; the file may be corrupt, or allow more memory");
    if (code >= status_unrestricted && code < 2 * status_unrestricted)
        throw Error(ErrorKind::internal, path_, "the process that parses it cannot be restricted: " + texts_of(code), "unsandboxed");
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (signal == SIGKILL)
        throw Error(ErrorKind::out_of_memory, path_, "the process that read it was killed; most likely memory ran out; allow more");
    if (signal == SIGXCPU) throw_slow();
    if (is_short_of_memory(mapped_))
        throw Error(ErrorKind::out_of_memory, path_,
                    "the library that reads this format crashed, most likely because memory ran out; allow more memory (ulimit -v)");
    throw LibraryCrash(ErrorKind::corrupt_file, path_, "the library that reads this format crashed on it");
}

Error ChildProcess::nonsense() const {
    return {ErrorKind::corrupt_file, path_, "the process that reads this format sent an invalid answer"};
}

}  // namespace voxcc::io
