// What the control groups (cgroups) of Linux allow this process: containers, jobs of SLURM, services of systemd.
//
// A process is in one group of each hierarchy; groups are folders, and every folder up to the mount point can have a limit:
//
//   /proc/self/cgroup      4:memory:/slurm/job_7/step_0            version 1: one line per hierarchy
//                          0::/system.slice/run.scope              version 2: the only hierarchy of all controllers
//   /proc/self/mountinfo   ... / /sys/fs/cgroup/memory ... - cgroup cgroup rw,memory
//
//   /sys/fs/cgroup/memory/slurm/job_7/step_0    read first
//   /sys/fs/cgroup/memory/slurm/job_7
//   /sys/fs/cgroup/memory/slurm
//   /sys/fs/cgroup/memory                       read last
//
// Where the path does not exist below the mount point (cgroup namespaces), the mount point is the only folder.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>

namespace voxcc {

/// The least over all levels of all hierarchies; nothing where no level has a limit.
struct CgroupLimits {
    /// Bytes that can still be allocated: limit - usage + page cache that the kernel can drop (inactive_file); at least 0. The limit is
    /// memory.max or memory.high (version 2), whichever is less, or memory.limit_in_bytes (version 1).
    std::optional<std::int64_t> memory;
    /// CPU time per time: 2.5 means two and a half CPUs. From cpu.max, or cpu.cfs_quota_us and cpu.cfs_period_us.
    std::optional<double> cpus;
};

/// Files that are missing, unreadable or not understood count as no limit.
/// @param root folder that contains proc/self and the mount points: "/", or a tree that a test has made
CgroupLimits cgroup_limits(const std::filesystem::path& root = "/");

}  // namespace voxcc
