// What this machine can give to a run: memory and threads.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>

namespace voxcc {

/// Bytes that a run can allocate: what the machine gives without swapping (MemAvailable of /proc/meminfo), or what the cgroups of this
/// process still allow, whichever is less. Nothing where the system does not say.
/// @param root folder that contains proc and sys
std::optional<std::int64_t> memory_below(const std::filesystem::path& root);

/// The same for the machine itself, as it was at the first call: volumes that are processed at the same time must not count what the
/// others have taken.
std::optional<std::int64_t> machine_memory();

/// Threads worth starting: the CPUs that the affinity mask allows, limited by the CPU quota of the cgroups; at least 1.
/// @param root folder that contains proc and sys
int available_threads(const std::filesystem::path& root = "/");

}  // namespace voxcc
