// Removal of the rights that a process needs not have to read untrusted bytes.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace voxcc::io {

/// A restriction of a process that reads untrusted bytes.
enum class Restriction : std::uint8_t { written_files, memory, system_calls, files };
inline constexpr Restriction last_restriction = Restriction::files;

/// What was not restricted, as text.
// Restriction::system_calls -> "the kernel accepts no filter of its system calls (seccomp)"
std::string_view missing(Restriction restriction);

/// Permanently makes system calls fail that write, create, rename, remove or lock files, open connections, start programs, change limits
/// or reach other processes. Reading descriptors, using memory and sending over open sockets stay allowed. Files can be opened for
/// reading if `readable` is not empty: only these files and folders if the kernel has Landlock, else all files.
///
/// All restrictions are tried, also after one has failed. Under AddressSanitizer, only the limit on written files applies.
/// @return the restrictions that the kernel refused
std::vector<Restriction> give_up_rights(const std::vector<std::string>& readable);

/// @return whether give_up_rights() tries all restrictions in this build
bool has_restrictions();

/// @return all folders of the system except /proc, /sys and /dev, in which processes and devices can be read
std::vector<std::string> folders_without_processes();

}  // namespace voxcc::io
