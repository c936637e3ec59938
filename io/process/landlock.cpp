#include "io/process/landlock.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdint>

namespace voxcc::io {
namespace {

// The interface of the kernel. The headers of older systems lack it, or parts of it. The numbers are equal on all architectures.
constexpr long create_ruleset = 444, add_rule = 445, restrict_self = 446;
constexpr unsigned version_question = 1;
constexpr int rule_beneath_path = 1;
struct Ruleset {
    std::uint64_t files = 0;    // rights about files; all of them are refused unless a rule grants them
    std::uint64_t network = 0;  // from version 4 on
    std::uint64_t scoped = 0;   // from version 6 on
};
struct [[gnu::packed]] PathRule {
    std::uint64_t granted;
    std::int32_t descriptor;
};
constexpr std::uint64_t read_file = 1U << 2U, read_folder = 1U << 3U;
constexpr std::uint64_t bind_and_connect = 3, sockets_and_signals = 3;

// The kernel refuses rights that it does not have.
Ruleset ruleset_of(int version) {
    constexpr int rights_by_version[]{13, 14, 15, 15, 16};  // the first rights, in the order of the bits
    const int rights = rights_by_version[std::min(version, 5) - 1];
    return {(std::uint64_t{1} << unsigned(rights)) - 1, version >= 4 ? bind_and_connect : 0, version >= 6 ? sockets_and_signals : 0};
}

void allow_reading(int ruleset, const std::string& path) {
    const int opened = ::open(path.c_str(), O_PATH | O_CLOEXEC);
    if (opened < 0) return;
    struct stat st {};
    if (::fstat(opened, &st) == 0) {
        const PathRule rule{S_ISDIR(st.st_mode) ? read_file | read_folder : read_file, opened};
        ::syscall(add_rule, ruleset, rule_beneath_path, &rule, 0);  // without the rule, the file cannot be opened
    }
    ::close(opened);
}

}  // namespace

int landlock_version() { return int(std::max(0L, ::syscall(create_ruleset, nullptr, std::size_t{0}, version_question))); }

int restrict_files(const std::vector<std::string>& readable) {
    const Ruleset rules = ruleset_of(landlock_version());
    const auto ruleset = int(::syscall(create_ruleset, &rules, sizeof rules, 0));
    if (ruleset < 0) return errno;
    for (const std::string& path : readable) allow_reading(ruleset, path);
    int error = ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ? errno : 0;
    if (error == 0 && ::syscall(restrict_self, ruleset, 0) != 0) error = errno;
    ::close(ruleset);
    return error;
}

}  // namespace voxcc::io
