// How much memory a run can have.
#pragma once
#include <cstdint>
#include <optional>

namespace voxcc {

/// Bytes that the machine can give without swapping (MemAvailable), or that the cgroup of this process may hold, where that is less; as
/// it was when first asked, so that volumes in flight do not count what the others take. Nothing where the system does not say.
std::optional<std::int64_t> machine_memory();

}  // namespace voxcc
