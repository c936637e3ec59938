// Memory and CPU limits that Linux control groups (cgroups) set for this process. Containers, SLURM jobs and systemd services use them.
//
// A process is in one group of each hierarchy. Groups are folders. Every folder up to the mount point can have a limit:
//
//   /proc/self/cgroup      4:memory:/slurm/job_7/step_0            version 1: one line per hierarchy
//                          0::/system.slice/run.scope              version 2: one hierarchy for all controllers
//   /proc/self/mountinfo   ... / /sys/fs/cgroup/memory ... - cgroup cgroup rw,memory
//
//   /sys/fs/cgroup/memory/slurm/job_7/step_0    read first
//   /sys/fs/cgroup/memory/slurm/job_7
//   /sys/fs/cgroup/memory/slurm
//   /sys/fs/cgroup/memory                       read last
//
// In a cgroup namespace the path may not exist below the mount point. Then only the folder of the mount point is read.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>

namespace voxcc {

/// The lowest limits over all levels of all hierarchies. A member is empty if no level sets a limit.
struct CgroupLimits {
    /// Bytes that can still be allocated: limit - usage + page cache that the kernel can drop (inactive_file); at least 0. The limit is
    /// the smaller of memory.max and memory.high (version 2), or memory.limit_in_bytes (version 1).
    std::optional<std::int64_t> memory;
    /// CPU time per wall-clock time: 2.5 means two and a half CPUs. Read from cpu.max (version 2), or cpu.cfs_quota_us and
    /// cpu.cfs_period_us (version 1).
    std::optional<double> cpus;
};

/// Reads the limits. A file that is missing, unreadable or malformed counts as no limit.
/// @param root folder that contains proc/self and the mount points: "/", or a tree that a test has made
CgroupLimits cgroup_limits(const std::filesystem::path& root = "/");

}  // namespace voxcc
