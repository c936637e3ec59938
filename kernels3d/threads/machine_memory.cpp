#include <voxcc/threads.h>

#include "kernels3d/threads/cgroup_limits.h"

#include <unistd.h>
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

/// Bytes of the program and its libraries that this process has mapped into memory.
std::int64_t mapped_program(const std::filesystem::path& root) {
    std::ifstream numbers(root / "proc/self/statm");
    std::int64_t all = 0, resident = 0, of_files = 0;  // pages
    constexpr std::int64_t most = std::int64_t{1} << 40;
    if (!(numbers >> all >> resident >> of_files) || of_files < 0 || of_files > most) return 0;
    return of_files * sysconf(_SC_PAGESIZE);
}

/// Bytes that the control groups allow for data. The kernel can charge the pages of the program to the group at any time, and a process
/// that has no room for these pages reads them from disk again and again, or is killed.
std::optional<std::int64_t> allowed_for_data(const std::filesystem::path& root) {
    const auto allowed = cgroup_limits(root).memory;
    if (!allowed) return std::nullopt;
    return std::max<std::int64_t>(*allowed - mapped_program(root), 0);
}

}  // namespace

std::optional<std::int64_t> memory_below(const std::filesystem::path& root) {
    const auto free = available(root), allowed = allowed_for_data(root);
    if (!free || !allowed) return free ? free : allowed;
    return std::min(*free, *allowed);
}

std::optional<std::int64_t> machine_memory() {
    static const std::optional<std::int64_t> at_first = memory_below("/");
    return at_first;
}

}  // namespace voxcc
