// The files of a Zarr folder, which outputs may replace. It needs no library.
#pragma once
#include <array>
#include <functional>
#include <string>
#include <string_view>

namespace voxcc::io {

inline constexpr std::array metadata_names{"zarr.json", ".zgroup", ".zarray", ".zattrs"};

/// @return whether a file with this name holds the metadata of an array or a group
bool is_metadata_name(std::string_view name);

/// Looks for the first entry of a folder that Zarr does not have: a file that is neither metadata nor a chunk, or a symbolic link.
/// @return its path; the path of the folder if it has entries but no metadata; "" if the folder is a Zarr folder, or empty
/// @throw Error no_permission, io_error
// "a.zarr" with "a.zarr/notes.txt"  ->  "a.zarr/notes.txt"
std::string first_foreign_entry(const std::string& folder);

/// Calls `use` with the path of each file of a folder and of the folders in it, in any order. Symbolic links are not followed.
/// @throw Error no_permission, io_error
void for_each_file(const std::string& folder, const std::function<void(const std::string& path)>& use);

/// Removes metadata and chunks from a folder and the folders in it, and the folders that are empty then. Other files stay, and symbolic
/// links are not followed. Errors are ignored.
void remove_zarr_tree(const std::string& folder) noexcept;

}  // namespace voxcc::io
