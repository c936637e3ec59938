#include "tests/fuzz/shared_coverage.h"

#include "tests/fuzz/target.h"

#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cstdint>

// The linker defines the ends of the section with the counters.
extern "C" __attribute__((visibility("hidden"))) std::uint8_t __start___sancov_cntrs[], __stop___sancov_cntrs[];

namespace voxcc::fuzz {

void share_coverage_with_children() {
    // Only complete pages: other variables may be on the first and the last page.
    const auto page = std::uintptr_t(::sysconf(_SC_PAGESIZE));
    const auto begin = (std::uintptr_t(__start___sancov_cntrs) + page - 1) / page * page;
    const auto end = std::uintptr_t(__stop___sancov_cntrs) / page * page;
    if (begin < end && ::mmap(reinterpret_cast<void*>(begin), end - begin, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED,
                              -1, 0) == MAP_FAILED)
        fault("cannot share the coverage counters");
    // Otherwise libFuzzer would store the input of the child as a crash.
    ::pthread_atfork(nullptr, nullptr, [] { __sanitizer_set_death_callback(nullptr); });
}

}  // namespace voxcc::fuzz
