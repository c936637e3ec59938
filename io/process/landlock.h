// Landlock: the kernel lets a process open only the files and folders that it names before.
#pragma once
#include <string>
#include <vector>

namespace voxcc::io {

/// @return the version of Landlock in this kernel; 0 if the kernel has none, or has switched it off
int landlock_version();

/// Permanently refuses to this process all files and folders but these, which it may read. Names that do not exist are left out. Newer
/// versions of Landlock also refuse connections, and signals to other processes. landlock_version() must not be 0.
/// @return 0, or the errno value of the call that failed
int restrict_files(const std::vector<std::string>& readable);

}  // namespace voxcc::io
