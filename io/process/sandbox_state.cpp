#include "io/process/landlock.h"
#include "io/process/sandbox.h"
#include "io/sandbox.h"

#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <limits>

namespace voxcc::io {
namespace {

std::atomic<Unsandboxed> choice_of_program{Unsandboxed::refuse};
std::atomic<std::int64_t> memory_of_program{std::numeric_limits<std::int64_t>::max()};

// Restrictions cannot be undone, so a process of its own tries them.
std::vector<Restriction> refused_restrictions() {
    const pid_t child = ::fork();
    if (child == 0) {
        int bits = 0;
        for (const Restriction restriction : give_up_rights({})) bits |= 1 << int(restriction);
        ::_exit(bits);
    }
    int status = 0;
    while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    const bool is_answer = child > 0 && WIFEXITED(status);
    std::vector<Restriction> refused;
    for (int i = 0; i <= int(last_restriction); ++i)
        if (!is_answer || (WEXITSTATUS(status) & 1 << i) != 0) refused.push_back(Restriction(i));
    return refused;
}

}  // namespace

void set_unsandboxed(Unsandboxed choice) { choice_of_program = choice; }
Unsandboxed unsandboxed() { return choice_of_program; }

void limit_process_memory(std::int64_t bytes) { memory_of_program = std::max(bytes, least_process_memory); }
std::int64_t most_process_memory() { return memory_of_program; }

std::vector<std::string> missing_restrictions() {
    std::vector<std::string> texts;
    for (const Restriction restriction : refused_restrictions()) texts.emplace_back(missing(restriction));
    return texts;
}

std::string sandbox_text() {
    if (!has_restrictions()) return "none in a build with AddressSanitizer";
    const std::vector<Restriction> refused = refused_restrictions();
    const auto has = [&](Restriction restriction) { return std::ranges::find(refused, restriction) == refused.end(); };
    std::string text;
    if (has(Restriction::system_calls)) text = "seccomp";
    if (landlock_version() > 0 && has(Restriction::files))
        text += (text.empty() ? "" : ", ") + std::string("Landlock ") + std::to_string(landlock_version());
    return text.empty() ? "none" : text;
}

}  // namespace voxcc::io
