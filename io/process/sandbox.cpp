#include "io/process/sandbox.h"

#include "io/process/landlock.h"
#include "io/process/system_call_filter.h"

#include <sys/resource.h>
#include <algorithm>
#include <filesystem>

namespace voxcc::io {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool is_restricted = false;  // AddressSanitizer opens and writes files
#else
constexpr bool is_restricted = true;
#endif

}  // namespace

std::string_view missing(Restriction restriction) {
    switch (restriction) {
        case Restriction::written_files: return "the size of files that it writes cannot be limited";
        case Restriction::memory: return "its memory cannot be limited";
        case Restriction::system_calls: return "the kernel accepts no filter of its system calls (seccomp)";
        case Restriction::files: return "the kernel does not restrict the files that it opens (Landlock)";
    }
    return {};
}

std::vector<Restriction> give_up_rights(const std::vector<std::string>& readable) {
    std::vector<Restriction> refused;
    const rlimit nothing{0, 0};
    if (::setrlimit(RLIMIT_FSIZE, &nothing) != 0) refused.push_back(Restriction::written_files);
    if (!is_restricted) return refused;
    if (landlock_version() > 0 && restrict_files(readable) != 0) refused.push_back(Restriction::files);
    if (filter_system_calls(readable.empty() ? OpenCalls::refuse : OpenCalls::read) != 0) refused.push_back(Restriction::system_calls);
    return refused;
}

bool has_restrictions() { return is_restricted; }

std::vector<std::string> folders_without_processes() {
    std::vector<std::string> folders{"/dev/shm"};
    std::error_code none;
    for (auto entry = std::filesystem::directory_iterator("/", none); !none && entry != end(entry); entry.increment(none)) {
        const std::string& path = entry->path().native();
        if (path != "/proc" && path != "/sys" && path != "/dev") folders.push_back(path);
    }
    return folders;
}

}  // namespace voxcc::io
