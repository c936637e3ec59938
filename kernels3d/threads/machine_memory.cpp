#include <voxcc/machine.h>

#include "kernels3d/threads/cgroup_limits.h"

#include <algorithm>
#include <fstream>
#include <string>

namespace voxcc {
namespace {

std::optional<std::int64_t> available(const std::filesystem::path& root) {
    std::ifstream lines(root / "proc/meminfo");
    std::string name, unit;
    for (std::int64_t kib = 0; lines >> name >> kib; std::getline(lines, unit))
        if (name == "MemAvailable:" && kib >= 0 && kib < std::int64_t{1} << 52) return kib << 10;
    return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> memory_below(const std::filesystem::path& root) {
    const auto free = available(root), allowed = cgroup_limits(root).memory;
    if (!free || !allowed) return free ? free : allowed;
    return std::min(*free, *allowed);
}

std::optional<std::int64_t> machine_memory() {
    static const std::optional<std::int64_t> at_first = memory_below("/");
    return at_first;
}

}  // namespace voxcc
