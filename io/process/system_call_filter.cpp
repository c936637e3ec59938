#include "io/process/system_call_filter.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <cerrno>
#include <cstddef>
#include <initializer_list>
#include <vector>

namespace voxcc::io {

#if defined(__x86_64__)
#define VOXCC_AUDIT_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define VOXCC_AUDIT_ARCH AUDIT_ARCH_AARCH64
#endif

#if defined(VOXCC_AUDIT_ARCH)

namespace {

constexpr auto allow = SECCOMP_RET_ALLOW;
constexpr auto refuse = SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA);
constexpr auto absent = SECCOMP_RET_ERRNO | (ENOSYS & SECCOMP_RET_DATA);  // as if the kernel lacked the call
constexpr std::uint32_t writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;

// System calls for reading, memory, waiting, exit, and questions about this process.
constexpr int harmless[] {
    SYS_read, SYS_pread64, SYS_readv, SYS_preadv, SYS_lseek, SYS_close, SYS_fstat, SYS_newfstatat, SYS_dup, SYS_recvfrom, SYS_munmap,
        SYS_mremap, SYS_madvise, SYS_brk, SYS_futex, SYS_set_robust_list, SYS_rseq, SYS_sched_yield, SYS_sched_getaffinity, SYS_getpid,
        SYS_gettid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_uname, SYS_sysinfo, SYS_getrandom, SYS_clock_gettime,
        SYS_clock_getres, SYS_gettimeofday, SYS_times, SYS_getrusage, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_exit,
        SYS_exit_group,
#if defined(__x86_64__)
        SYS_time, SYS_arch_prctl, SYS_getrlimit,
#endif
};

// Questions about files by name.
constexpr int about_names[] {
    SYS_statx, SYS_faccessat, SYS_readlinkat, SYS_getdents64, SYS_getcwd,
#if defined(__x86_64__)
        SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_getdents,
#endif
};

// A seccomp filter: a program that judges each system call by its number and arguments.
class Filter {
public:
    Filter() {
        load(offsetof(seccomp_data, arch));
        skip_if_equal(VOXCC_AUDIT_ARCH, 1), answer(refuse);
        load(offsetof(seccomp_data, nr));
    }
    void allow_call(int number) {
        for_call(number, 1);
        answer(allow);
    }
    /// Allows the call if no bit of `mask` is set in its argument. @param argument 0-based
    void allow_call_without(int number, int argument, std::uint32_t mask) { judge(number, argument, mask, refuse, allow); }
    /// Allows the call if a bit of `mask` is set in its argument. @param argument 0-based
    void allow_call_with(int number, int argument, std::uint32_t mask) { judge(number, argument, mask, allow, refuse); }
    /// Allows the call if all 64 bits of these arguments are 0: no address, process 0. @param arguments 0-based
    void allow_call_with_zeros(int number, std::initializer_list<int> arguments) {
        constexpr std::uint8_t per_argument = 6;
        for_call(number, std::uint8_t(arguments.size() * per_argument + 1));
        for (const int argument : arguments)
            for (const std::size_t half : {0, 4}) {
                load(offset_of(argument) + std::uint32_t(half));
                skip_if_equal(0, 1);
                answer(refuse);
            }
        answer(allow);
    }
    /// Allows the call if the argument has one of these values. @param argument 0-based
    void allow_call_for(int number, int argument, std::initializer_list<std::uint32_t> values) {
        for_call(number, std::uint8_t(2 * values.size() + 2));
        load(offset_of(argument));
        for (const std::uint32_t value : values) {
            skip_unless_equal(value, 1);
            answer(allow);
        }
        answer(refuse);
    }
    /// Makes the call fail as if the kernel lacked it, so that the C library uses an older call.
    void deny_existence(int number) {
        for_call(number, 1);
        answer(absent);
    }
    int install() {
        answer(refuse);
        const sock_fprog program{static_cast<unsigned short>(program_.size()), program_.data()};
        if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
        return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0 ? errno : 0;
    }

private:
    static std::uint32_t offset_of(int argument) { return std::uint32_t(offsetof(seccomp_data, args) + 8 * std::size_t(argument)); }
    void load(std::uint32_t offset) { program_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)); }
    void answer(std::uint32_t verdict) { program_.push_back(BPF_STMT(BPF_RET | BPF_K, verdict)); }
    void judge(int number, int argument, std::uint32_t mask, std::uint32_t if_set, std::uint32_t if_clear) {
        for_call(number, 4);
        load(offset_of(argument));
        program_.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, mask, 0, 1));
        answer(if_set);
        answer(if_clear);
    }
    void skip_if_equal(std::uint32_t value, std::uint8_t steps) {
        program_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, steps, 0));
    }
    void skip_unless_equal(std::uint32_t value, std::uint8_t steps) {
        program_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, steps));
    }
    // Runs the next `steps` instructions for this call only; else skips them.
    void for_call(int number, std::uint8_t steps) { skip_unless_equal(std::uint32_t(number), steps); }
    std::vector<sock_filter> program_;
};

}  // namespace

int filter_system_calls(OpenCalls open) {
    Filter filter;
    for (const int number : harmless) filter.allow_call(number);
    if (open == OpenCalls::read) {
        for (const int number : about_names) filter.allow_call(number);
        filter.allow_call_without(SYS_openat, 2, writing);
#if defined(__x86_64__)
        filter.allow_call_without(SYS_open, 1, writing);
#endif
    }
    // Other commands change the file for other processes, or let the kernel send signals to them.
    filter.allow_call_for(SYS_fcntl, 1, {F_GETFD, F_SETFD, F_GETFL, F_DUPFD, F_DUPFD_CLOEXEC});
    filter.allow_call_with_zeros(SYS_sendto, {4});        // no address: the other end of the socket
    filter.allow_call_with_zeros(SYS_prlimit64, {0, 2});  // questions about the limits of the calling process
    filter.allow_call_without(SYS_mmap, 2, PROT_EXEC);
    filter.allow_call_without(SYS_mprotect, 2, PROT_EXEC);
    filter.allow_call_with(SYS_clone, 0, CLONE_THREAD);  // allows threads (GDCM starts some) but not processes
    filter.deny_existence(SYS_clone3);                   // its flags are in memory, which a filter cannot read
    return filter.install();
}

#else

int filter_system_calls(OpenCalls) { return ENOSYS; }

#endif

}  // namespace voxcc::io
