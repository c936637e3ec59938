// Shortens the limit of voxcc on the processor time of child processes from 10 s to 1 s, so that libhdf5, which loops without end on some
// files, does not take all the time of a fuzz target. The linker directs calls of prlimit() here (-Wl,--wrap=prlimit).
#include <sys/resource.h>
#include <algorithm>
#include <ctime>

// Whole seconds of processor time that the process has used, rounded up.
static rlim_t used_seconds(pid_t process) {
    clockid_t clock{};
    timespec used{};
    if (::clock_getcpuclockid(process, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return 0;
    return rlim_t(used.tv_sec) + 1;
}

extern "C" int __real_prlimit(pid_t process, __rlimit_resource resource, const rlimit* value, rlimit* old);
extern "C" int __wrap_prlimit(pid_t process, __rlimit_resource resource, const rlimit* value, rlimit* old) {
    rlimit limited = *value;
    constexpr rlim_t most_seconds = 1;
    if (resource == RLIMIT_CPU) limited.rlim_cur = std::min(limited.rlim_cur, used_seconds(process) + most_seconds);
    return __real_prlimit(process, resource, &limited, old);
}
