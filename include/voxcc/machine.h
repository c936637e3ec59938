// Memory and threads that a run can use on this machine (Linux). Thread-safe.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>

namespace voxcc {

/// Bytes that a run can allocate: the smaller of MemAvailable in /proc/meminfo and the memory that the cgroups of this process still allow
/// besides the pages of the program (the third number of /proc/self/statm).
/// Nothing if the system states neither.
/// @param root folder that contains proc and sys: "/", or a folder that a test has made
// MemAvailable 8 GiB, cgroup limit 2 GiB of which 0.5 GiB is used, program of 10 MiB -> 1526 MiB
std::optional<std::int64_t> memory_below(const std::filesystem::path& root);

/// memory_below("/") at the time of the first call. Later calls return the same value, so that volumes that are processed at the same time
/// do not subtract the memory of each other.
std::optional<std::int64_t> machine_memory();

/// The number of threads to start, at least 1: the smaller of the number of CPUs in the affinity mask and the CPU quota of the cgroups,
/// rounded up.
/// @param root as for memory_below()
// 8 CPUs, quota 2.5 CPUs -> 3
int available_threads(const std::filesystem::path& root = "/");

}  // namespace voxcc
