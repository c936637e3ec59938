#include "io/process/sandbox.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace voxcc::io {
namespace {

#if defined(__x86_64__)
#define VOXCC_AUDIT_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define VOXCC_AUDIT_ARCH AUDIT_ARCH_AARCH64
#endif

#if defined(VOXCC_AUDIT_ARCH) && !defined(__SANITIZE_ADDRESS__)

constexpr auto allow = SECCOMP_RET_ALLOW;
constexpr auto refuse = SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA);
constexpr std::uint32_t writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;

// System calls for reading, memory, time, waiting and exit. `open` and similar calls exist on some architectures only and are handled
// below.
constexpr int harmless[] {
    SYS_read, SYS_pread64, SYS_readv, SYS_preadv, SYS_lseek, SYS_close, SYS_fstat, SYS_statx, SYS_faccessat, SYS_readlinkat, SYS_getdents64,
        SYS_getcwd, SYS_fcntl, SYS_flock, SYS_dup, SYS_sendto, SYS_recvfrom, SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise,
        SYS_brk, SYS_futex, SYS_set_robust_list, SYS_rseq, SYS_sched_yield, SYS_sched_getaffinity, SYS_getpid, SYS_gettid, SYS_getuid,
        SYS_geteuid, SYS_getgid, SYS_getegid, SYS_uname, SYS_sysinfo, SYS_getrandom, SYS_clock_gettime, SYS_clock_getres, SYS_gettimeofday,
        SYS_times, SYS_getrusage, SYS_setitimer, SYS_getitimer, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack,
        SYS_exit, SYS_exit_group,
#if defined(__x86_64__)
        SYS_stat, SYS_lstat, SYS_newfstatat, SYS_access, SYS_readlink, SYS_getdents, SYS_time, SYS_arch_prctl, SYS_getrlimit,
#else
        SYS_newfstatat,
#endif
};

// A seccomp filter: a program that judges each system call by its number and arguments.
class Filter {
public:
    Filter() {
        load(offsetof(seccomp_data, arch));
        on_equal(VOXCC_AUDIT_ARCH, 1), answer(refuse);
        load(offsetof(seccomp_data, nr));
    }
    void allow_call(int number) {
        if_call(number, 1);
        answer(allow);
    }
    /// Allows the call if no bit of `mask` is set in its argument. @param argument 0-based
    void allow_call_without(int number, int argument, std::uint32_t mask) { judge(number, argument, mask, refuse, allow); }
    /// Allows the call if a bit of `mask` is set in its argument. @param argument 0-based
    void allow_call_with(int number, int argument, std::uint32_t mask) { judge(number, argument, mask, allow, refuse); }
    /// Makes the call fail as if the kernel lacked it, so that the C library uses an older call.
    void deny_existence(int number) {
        if_call(number, 1);
        answer(SECCOMP_RET_ERRNO | (ENOSYS & SECCOMP_RET_DATA));
    }
    void install() {
        answer(refuse);
        const sock_fprog program{static_cast<unsigned short>(program_.size()), program_.data()};
        if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    }

private:
    void load(std::uint32_t offset) { program_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset)); }
    void answer(std::uint32_t verdict) { program_.push_back(BPF_STMT(BPF_RET | BPF_K, verdict)); }
    void judge(int number, int argument, std::uint32_t mask, std::uint32_t if_set, std::uint32_t if_clear) {
        if_call(number, 4);
        load(std::uint32_t(offsetof(seccomp_data, args) + 8 * std::size_t(argument)));
        program_.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, mask, 0, 1));
        answer(if_set);
        answer(if_clear);
    }
    // Skips `steps` instructions if the loaded word equals `value`.
    void on_equal(std::uint32_t value, std::uint8_t steps) { program_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, steps, 0)); }
    // Runs the next `steps` instructions for this call only; else skips them.
    void if_call(int number, std::uint8_t steps) {
        program_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, std::uint32_t(number), 0, steps));
    }
    std::vector<sock_filter> program_;
};

void filter_system_calls() {
    Filter filter;
    for (const int number : harmless) filter.allow_call(number);
    filter.allow_call_without(SYS_openat, 2, writing);
#if defined(__x86_64__)
    filter.allow_call_without(SYS_open, 1, writing);
#endif
    filter.allow_call_without(SYS_prlimit64, 0, ~std::uint32_t{0});  // process 0: the calling process
    filter.allow_call_with(SYS_clone, 0, CLONE_THREAD);              // allows threads (GDCM starts some) but not processes
    filter.deny_existence(SYS_clone3);                               // its flags are in memory, which a filter cannot read
    filter.install();
}

#else
void filter_system_calls() {}
#endif

}  // namespace

void give_up_rights() {
    const rlimit nothing{0, 0};
    ::setrlimit(RLIMIT_FSIZE, &nothing);
    filter_system_calls();
}

}  // namespace voxcc::io
