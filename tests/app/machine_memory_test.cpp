// Memory available to a run: the minimum of the available memory of the machine and the unused memory of its control groups.
#include <voxcc/threads.h>

#include "system_files.h"

#include <doctest/doctest.h>
#include <unistd.h>

using namespace voxcc;

TEST_CASE("memory: the minimum of the machine and the control group, without the pages of the program") {
    SystemFiles files;
    CHECK_FALSE(memory_below(files.root()));
    files.write("proc/meminfo", "MemTotal:       16000 kB\nMemFree:         1000 kB\nMemAvailable:    8000 kB\nBuffers:            5 kB\n");
    CHECK(memory_below(files.root()) == 8000 * 1024);
    files.write("proc/self/cgroup", "0::/job\n");
    files.write("proc/self/mountinfo", "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    files.write("sys/fs/cgroup/job/memory.max", "9000000");
    CHECK(memory_below(files.root()) == 8000 * 1024);
    files.write("sys/fs/cgroup/job/memory.current", "8000000");
    CHECK(memory_below(files.root()) == 1000000);
    files.write("proc/meminfo", "garbage");
    CHECK(memory_below(files.root()) == 1000000);
    files.write("proc/self/statm", "5000 300 100 20 0 90 0\n");
    CHECK(memory_below(files.root()) == 1000000 - 100 * sysconf(_SC_PAGESIZE));
    files.write("proc/self/statm", "5000 300 " + std::to_string(std::int64_t{1} << 30) + " 20 0 90 0\n");
    CHECK(memory_below(files.root()) == 0);
    files.write("proc/self/statm", "5000 300 -1 20 0 90 0\n");
    CHECK(memory_below(files.root()) == 1000000);
}
