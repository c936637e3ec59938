// Names of temporary files, which tell to which process a file belongs, and the removal of files whose process was killed.
//
//     .voxcc-PLACE-PID-SERIAL-NAME      PLACE: 16 hexadecimal digits for the machine since its start and the namespace of process ids
#pragma once
#include <string>
#include <string_view>

namespace voxcc::io {

/// @return a path in the folder of `target` that this process has not used before. The name ends as the name of `target`, because libraries
/// need the extension. It has at most NAME_MAX bytes: a long name loses its start.
std::string temporary_path(const std::string& target);

/// @return whether a file or folder with this name is hidden by voxcc: a temporary name, or a journal
bool is_hidden_name(std::string_view name);

/// Removes the temporary files and folders of Zarr of processes of this machine that have ended. Does nothing on later calls for the same
/// folder, and while the folder has a journal. Errors are ignored. Thread-safe.
void remove_stale_temporaries(const std::string& folder) noexcept;

}  // namespace voxcc::io
