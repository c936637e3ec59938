// A filter of system calls (seccomp) for processes that parse untrusted bytes.
#pragma once
#include <cstdint>

namespace voxcc::io {

/// Whether the process may open files by name, for reading.
enum class OpenCalls : std::uint8_t { refuse, read };

/// Permanently makes all system calls fail with EPERM that are not needed to read descriptors, use memory, and answer over a socket. What
/// is left is listed in tests/sandbox/calls.txt. @return 0, or the errno value of the call that failed
int filter_system_calls(OpenCalls open);

}  // namespace voxcc::io
