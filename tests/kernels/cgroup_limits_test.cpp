// Tests the limits of control groups, with trees of files in the format of /proc and /sys/fs/cgroup.
#include "kernels3d/threads/cgroup_limits.h"

#include <voxcc/threads.h>
#include "system_files.h"

#include <doctest/doctest.h>

using namespace voxcc;

namespace {

constexpr const char* v2_mount = "31 23 0:28 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr const char* v1_mounts =
    "22 27 0:21 / /proc rw - proc proc rw\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";
constexpr std::int64_t gib = std::int64_t{1} << 30;
constexpr const char* v1_unlimited = "9223372036854771712";

}  // namespace

TEST_CASE("cgroups: no files, no limits") {
    SystemFiles files;
    CHECK_FALSE(cgroup_limits(files.root()).memory);
    CHECK_FALSE(cgroup_limits(files.root()).cpus);
    CHECK(available_threads(files.root()) >= 1);
}

TEST_CASE("cgroups: version 2, the minimum of all levels") {
    SystemFiles files;
    files.write("proc/self/cgroup", "0::/user.slice/job.scope\n");
    files.write("proc/self/mountinfo", v2_mount);
    const std::string own = "sys/fs/cgroup/user.slice/job.scope/", slice = "sys/fs/cgroup/user.slice/";
    files.write(own + "memory.max", "max\n");
    files.write(own + "cpu.max", "max 100000\n");
    CHECK_FALSE(cgroup_limits(files.root()).memory);
    CHECK_FALSE(cgroup_limits(files.root()).cpus);

    files.write(own + "memory.max", std::to_string(8 * gib));
    files.write(own + "cpu.max", "250000 100000\n");
    CHECK(cgroup_limits(files.root()).memory == 8 * gib);
    CHECK(cgroup_limits(files.root()).cpus == 2.5);

    files.write(slice + "memory.max", std::to_string(4 * gib));
    files.write(slice + "memory.current", std::to_string(3 * gib));
    files.write(slice + "cpu.max", "100000 200000\n");
    CHECK(cgroup_limits(files.root()).memory == gib);
    CHECK(cgroup_limits(files.root()).cpus == 0.5);
    CHECK(available_threads(files.root()) == 1);

    files.write(slice + "memory.stat", "anon 5\ninactive_file " + std::to_string(2 * gib) + "\nactive_file 7\n");
    CHECK(cgroup_limits(files.root()).memory == 3 * gib);
    files.write(own + "memory.high", std::to_string(2 * gib));
    CHECK(cgroup_limits(files.root()).memory == 2 * gib);
    files.write(own + "memory.current", std::to_string(5 * gib));
    CHECK(cgroup_limits(files.root()).memory == 0);
}

TEST_CASE("cgroups: the mount point is a level, at any path") {
    SystemFiles files;
    files.write("proc/self/cgroup", "0::/job\n");
    files.write("proc/self/mountinfo", "31 23 0:28 / /mnt/c\\040groups rw - cgroup2 none rw\n");
    files.write("mnt/c groups/job/memory.max", std::to_string(2 * gib));
    files.write("mnt/c groups/memory.max", std::to_string(gib));
    CHECK(cgroup_limits(files.root()).memory == gib);
}

TEST_CASE("cgroups: version 1, a hierarchy per controller") {
    SystemFiles files;
    files.write("proc/self/cgroup", "9:name=systemd:/\n4:memory:/slurm/uid_7/job_1/step_0\n1:cpuacct,cpu:/slurm/uid_7\n0::/\n");
    files.write("proc/self/mountinfo", v1_mounts);
    const std::string memory = "sys/fs/cgroup/memory/", job = memory + "slurm/uid_7/job_1/", cpu = "sys/fs/cgroup/cpu,cpuacct/slurm/uid_7/";
    files.write(job + "step_0/memory.limit_in_bytes", v1_unlimited);
    files.write(job + "step_0/memory.usage_in_bytes", std::to_string(gib));
    files.write(memory + "memory.limit_in_bytes", v1_unlimited);
    files.write(cpu + "cpu.cfs_quota_us", "-1\n");
    files.write(cpu + "cpu.cfs_period_us", "100000\n");
    CHECK_FALSE(cgroup_limits(files.root()).memory);
    CHECK_FALSE(cgroup_limits(files.root()).cpus);

    files.write(job + "memory.limit_in_bytes", std::to_string(6 * gib));
    files.write(job + "memory.usage_in_bytes", std::to_string(5 * gib));
    files.write(job + "memory.stat", "inactive_file 5\ntotal_inactive_file " + std::to_string(gib) + "\n");
    files.write(cpu + "cpu.cfs_quota_us", "150000\n");
    CHECK(cgroup_limits(files.root()).memory == 2 * gib);
    CHECK(cgroup_limits(files.root()).cpus == 1.5);
    CHECK(available_threads(files.root()) <= 2);
}

TEST_CASE("cgroups: both versions at once") {
    SystemFiles files;
    files.write("proc/self/cgroup", "4:memory:/job\n0::/other\n");
    files.write("proc/self/mountinfo", std::string(v1_mounts) + "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n");
    files.write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", std::to_string(3 * gib));
    files.write("sys/fs/cgroup/unified/other/cpu.max", "300000 100000");
    CHECK(cgroup_limits(files.root()).memory == 3 * gib);
    CHECK(cgroup_limits(files.root()).cpus == 3);
}

TEST_CASE("cgroups: in a container, the path of the group is not below the mount point") {
    SystemFiles files;
    files.write("sys/fs/cgroup/memory.max", std::to_string(gib));
    files.write("proc/self/mountinfo", v2_mount);
    for (const char* path : {"/docker/0123", "/../../system.slice/x", "/gone (deleted)", "/", ""}) {
        CAPTURE(path);
        files.write("proc/self/cgroup", std::string("0::") + path + "\n");
        CHECK(cgroup_limits(files.root()).memory == gib);
    }
    // The folder of the container is mounted; the path in proc/self/cgroup is relative to the host.
    files.write("proc/self/mountinfo", "31 23 0:28 /docker/0123 /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
    files.write("proc/self/cgroup", "0::/docker/0123/inner\n");
    CHECK(cgroup_limits(files.root()).memory == gib);
    files.write("sys/fs/cgroup/inner/memory.max", "1000");
    CHECK(cgroup_limits(files.root()).memory == 1000);
}

TEST_CASE("cgroups: invalid entries are not limits") {
    SystemFiles files;
    files.write("proc/self/cgroup", "\nnonsense\n:\n::\n0:\n0::/job\n7:memory\n");
    files.write("proc/self/mountinfo", std::string("short line\n - cgroup2\n1 2 3 4 - cgroup2 a b\n\\\\ \\0 \\9 - -\n") + v2_mount);
    const std::string own = "sys/fs/cgroup/job/";
    for (const char* text : {"", "abc", "-5", "1e9", "99999999999999999999999", "12 34", "4k", "\n\n", "0x10"}) {
        CAPTURE(text);
        files.write(own + "memory.max", text);
        files.write(own + "cpu.max", text);
        CHECK_FALSE(cgroup_limits(files.root()).memory);
    }
    for (const char* text : {"", "max", "max max", "0 100000", "100000 0", "100000", "-1 100000", "1 2 3", "a b"}) {
        CAPTURE(text);
        files.write(own + "cpu.max", text);
        CHECK_FALSE(cgroup_limits(files.root()).cpus);
    }
    files.write(own + "memory.max", std::to_string(gib));
    files.write(own + "memory.current", "?");
    files.write(own + "memory.stat", "inactive_file\ninactive_file x\n");
    CHECK(cgroup_limits(files.root()).memory == gib);
    files.write(own + "memory.max/file", "");  // makes a folder in place of the file
    CHECK_FALSE(cgroup_limits(files.root()).memory);
}
