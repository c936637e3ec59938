// Publication: complete files and folders get the names of their targets, all of them or none.
#pragma once
#include <string>
#include <vector>

namespace voxcc::io {

enum class Overwrite { refuse, allow };

/// A complete, synced and closed file, or a complete folder of Zarr, and its target in the same folder.
struct Unpublished {
    std::string temporary, target;
    Overwrite overwrite = Overwrite::refuse;  // refuse: the target must not exist
};

/// Renames all files and folders to their targets and syncs the folders of the targets. On an error, all targets get their earlier content
/// or are absent again. A signal is handled after the last step. While several files are published, the journal of each folder lists them
/// (io/files/journal.h), and other publications of several files wait. At the end, the temporary names do not exist, also after an error.
///
/// An earlier content is kept until the last step by an exchange of names, or by a hard link where the file system cannot exchange names.
/// If it supports neither, a target that was replaced before the error keeps its new content, and its journal stays. A folder that is
/// replaced is renamed before, where names cannot be exchanged. Of a folder that was replaced, only the files of Zarr are removed.
/// @throw Error exists if a target exists with Overwrite::refuse, no_permission, io_error
void publish_together(const std::vector<Unpublished>& files);

}  // namespace voxcc::io
