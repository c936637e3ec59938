// Reads /proc/self/cgroup, /proc/self/mountinfo and the files of each group.
#include "kernels3d/threads/cgroup_limits.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace voxcc {
namespace {

namespace fs = std::filesystem;

enum class Version { v1, v2 };

/// One line of /proc/self/cgroup.
struct Membership {
    Version version = Version::v1;
    std::vector<std::string> controllers;  // version 2: empty, which means all controllers
    std::string path;
};

/// One line of /proc/self/mountinfo that mounts a hierarchy.
struct Mount {
    Version version = Version::v1;
    std::vector<std::string> options;  // mount options; in version 1 they include the controllers
    std::string group;                 // path of the group whose folder is the mount point
    std::string point;
};

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, at);) parts.push_back(part);
    return parts;
}

bool contains(const std::vector<std::string>& all, std::string_view one) { return std::find(all.begin(), all.end(), one) != all.end(); }

// Decodes the \ooo escapes with which mountinfo writes blanks, tabs, line ends and backslashes.
std::string unescaped(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned code = 0;
        const char* const digits = text.data() + i + 1;
        if (text[i] == '\\' && i + 3 < text.size() && std::from_chars(digits, digits + 3, code, 8).ptr == digits + 3) {
            plain += char(code);
            i += 3;
        } else {
            plain += text[i];
        }
    }
    return plain;
}

std::vector<Membership> memberships(const fs::path& root) {
    std::vector<Membership> all;
    std::ifstream file(root / "proc/self/cgroup");
    for (std::string line; std::getline(file, line);) {
        const std::size_t first = line.find(':'), second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        all.push_back({controllers.empty() ? Version::v2 : Version::v1, split(controllers, ','), line.substr(second + 1)});
    }
    return all;
}

std::vector<Mount> mounts(const fs::path& root) {
    constexpr std::size_t group = 3, point = 4;
    std::vector<Mount> all;
    std::ifstream file(root / "proc/self/mountinfo");
    for (std::string line; std::getline(file, line);) {
        const std::vector<std::string> fields = split(line, ' ');
        const auto dash = std::find(fields.begin(), fields.end(), "-");
        if (fields.size() <= point || fields.end() - dash < 4) continue;
        const std::string& type = dash[1];
        if (type != "cgroup" && type != "cgroup2") continue;
        all.push_back(
            {type == "cgroup" ? Version::v1 : Version::v2, split(dash[3], ','), unescaped(fields[group]), unescaped(fields[point])});
    }
    return all;
}

/// The folders of a group and of the groups above it, from the group up to the mount point.
std::vector<fs::path> folders(const fs::path& root, const Mount& mount, const std::string& group) {
    const fs::path top = root / fs::path(mount.point).relative_path();
    const fs::path below = fs::path(group).lexically_relative(mount.group);
    std::error_code ignored;
    std::vector<fs::path> all;
    const bool is_below = !below.empty() && *below.begin() != ".." && fs::is_directory(top / below, ignored);
    if (is_below && below != ".")
        for (fs::path at = below; !at.empty(); at = at.parent_path()) all.push_back(top / at);
    all.push_back(top);
    return all;
}

/// The content of /proc that describes the groups of this process.
struct Groups {
    fs::path root;
    std::vector<Membership> memberships;
    std::vector<Mount> mounts;
};

/// The folders of the hierarchy that has the controller. If several mounts match, the mount with the most levels is used.
std::vector<fs::path> folders_of(const Groups& groups, Version version, std::string_view controller) {
    std::vector<fs::path> deepest;
    const auto has_it = [&](Version of, const std::vector<std::string>& controllers) {
        return of == version && (version == Version::v2 || contains(controllers, controller));
    };
    for (const Membership& membership : groups.memberships)
        for (const Mount& mount : groups.mounts) {
            if (!has_it(membership.version, membership.controllers) || !has_it(mount.version, mount.options)) continue;
            std::vector<fs::path> found = folders(groups.root, mount, membership.path);
            if (found.size() > deepest.size()) deepest = std::move(found);
        }
    return deepest;
}

/// Parses a text that must consist of one number only.
std::optional<std::int64_t> number_of(const std::string& text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// The first three words of a file, or fewer if the file is shorter.
std::vector<std::string> words_of(const fs::path& file) {
    std::ifstream stream(file);
    std::vector<std::string> words;
    for (std::string word; words.size() < 3 && stream >> word;) words.push_back(word);
    return words;
}

/// Reads a file that must contain one number only.
std::optional<std::int64_t> number_in(const fs::path& file) {
    const std::vector<std::string> words = words_of(file);
    return words.size() == 1 ? number_of(words[0]) : std::nullopt;
}

/// Reads a file that must contain one number of bytes. Returns nothing for "max", for a negative number, and for 2^62 and more: version 1
/// writes a number of about 2^63 if there is no limit.
std::optional<std::int64_t> bytes_in(const fs::path& file) {
    constexpr std::int64_t unlimited = std::int64_t{1} << 62;
    const auto bytes = number_in(file);
    return bytes && *bytes >= 0 && *bytes < unlimited ? bytes : std::nullopt;
}

/// Bytes of page cache, in a group and the groups below it, that the kernel drops before memory runs out.
std::int64_t reclaimable(const fs::path& folder, Version version) {
    const std::string_view wanted = version == Version::v2 ? "inactive_file" : "total_inactive_file";
    std::ifstream stream(folder / "memory.stat");
    for (std::string name, value; stream >> name >> value;)
        if (name == wanted) return std::max<std::int64_t>(number_of(value).value_or(0), 0);
    return 0;
}

/// Bytes that a group can still allocate; nothing if the group has no limit.
std::optional<std::int64_t> memory_of(const fs::path& folder, Version version) {
    std::optional<std::int64_t> limit = bytes_in(folder / (version == Version::v2 ? "memory.max" : "memory.limit_in_bytes"));
    if (version == Version::v2)
        if (const auto high = bytes_in(folder / "memory.high")) limit = std::min(limit.value_or(*high), *high);
    if (!limit) return std::nullopt;
    const auto usage = bytes_in(folder / (version == Version::v2 ? "memory.current" : "memory.usage_in_bytes"));
    const std::int64_t used = std::max<std::int64_t>(usage.value_or(0) - reclaimable(folder, version), 0);
    return std::max<std::int64_t>(*limit - used, 0);
}

/// CPU limit of a group in CPUs; nothing if the group has no limit.
std::optional<double> cpus_of(const fs::path& folder, Version version) {
    std::optional<std::int64_t> quota, period;  // microseconds
    if (version == Version::v1) {
        quota = number_in(folder / "cpu.cfs_quota_us");
        period = number_in(folder / "cpu.cfs_period_us");
    } else if (const std::vector<std::string> words = words_of(folder / "cpu.max"); words.size() == 2) {
        quota = number_of(words[0]);
        period = number_of(words[1]);
    }
    if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
    return double(*quota) / double(*period);
}

/// Lowers `least` to `other` if `other` is present and smaller.
template <class T>
void lower(std::optional<T>& least, const std::optional<T>& other) {
    if (other) least = std::min(least.value_or(*other), *other);
}

}  // namespace

CgroupLimits cgroup_limits(const fs::path& root) {
    const Groups groups{root, memberships(root), mounts(root)};
    CgroupLimits least;
    for (const Version version : {Version::v1, Version::v2}) {
        for (const fs::path& folder : folders_of(groups, version, "memory")) lower(least.memory, memory_of(folder, version));
        for (const fs::path& folder : folders_of(groups, version, "cpu")) lower(least.cpus, cpus_of(folder, version));
    }
    return least;
}

}  // namespace voxcc
