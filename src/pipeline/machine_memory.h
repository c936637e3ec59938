// How much memory a run can have.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>

namespace voxcc {

/// Bytes that a run can allocate: what the machine gives without swapping (MemAvailable of /proc/meminfo), or what the cgroups of this
/// process still allow (see cgroup_limits()), whichever is less. Nothing where the system does not say.
/// @param root folder that contains proc and sys
std::optional<std::int64_t> memory_below(const std::filesystem::path& root);

/// The same for the machine itself, as it was at the first call: volumes that are processed at the same time must not count what the
/// others have taken.
std::optional<std::int64_t> machine_memory();

}  // namespace voxcc
