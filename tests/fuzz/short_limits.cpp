// Shortens the limit of voxcc on the processor time of child processes from 10 s to 1 s, so that libhdf5, which loops without end on some
// files, does not take all the time of a fuzz target. The linker directs calls of setitimer() here (-Wl,--wrap=setitimer).
#include <sys/time.h>
#include <algorithm>

extern "C" int __real_setitimer(int which, const itimerval* value, itimerval* old);
extern "C" int __wrap_setitimer(int which, const itimerval* value, itimerval* old) {
    itimerval limited = *value;
    constexpr time_t most_seconds = 1;
    if (which == ITIMER_PROF) limited.it_value.tv_sec = std::min(limited.it_value.tv_sec, most_seconds);
    return __real_setitimer(which, &limited, old);
}
