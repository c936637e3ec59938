#include "src/machine_memory.h"

#include <algorithm>
#include <fstream>
#include <string>

namespace voxcc {
namespace {

std::optional<std::int64_t> available() {
    std::ifstream lines("/proc/meminfo");
    std::string name, unit;
    for (std::int64_t kib = 0; lines >> name >> kib; std::getline(lines, unit))
        if (name == "MemAvailable:") return kib << 10;
    return std::nullopt;
}

std::optional<std::int64_t> measured() {
    std::optional<std::int64_t> least = available();
    // cgroup v2, and v1; "max", or a number that no machine has, is no limit.
    for (const char* path : {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
        std::ifstream file(path);
        std::int64_t limit = 0;
        if (file >> limit && limit > 0) least = std::min(least.value_or(limit), limit);
    }
    return least;
}

}  // namespace

std::optional<std::int64_t> machine_memory() {
    static const std::optional<std::int64_t> at_first = measured();
    return at_first;
}

}  // namespace voxcc
