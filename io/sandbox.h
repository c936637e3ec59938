// The restrictions of the processes that parse untrusted files: what this machine has, and rules for all of them.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace voxcc::io {

/// Whether files are parsed if the kernel refuses a restriction of the process that parses them.
enum class Unsandboxed : std::uint8_t { refuse, allow };

/// Applies to processes that are started later. Must be called before other threads read files. Without a call, files are refused.
void set_unsandboxed(Unsandboxed choice);
Unsandboxed unsandboxed();

/// The most memory, in bytes, of each process that is started later, beyond the memory of this process. A process can use
/// least_process_memory also if `bytes` is smaller. Must be called before other threads read files. Without a call, the size of the
/// file and of its volume limit the memory.
void limit_process_memory(std::int64_t bytes);
std::int64_t most_process_memory();
inline constexpr std::int64_t least_process_memory = std::int64_t{256} << 20;

/// Starts a process and restricts it. @return what is not restricted, as text; empty if nothing is missing
std::vector<std::string> missing_restrictions();

/// What restricts the processes on this machine.
// "seccomp, Landlock 3"; "seccomp"; "none"
std::string sandbox_text();

}  // namespace voxcc::io
