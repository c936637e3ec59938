// Names of numbered slices: which files of a folder, or of a template such as "dir/s%04d.tif", are the slices of one volume.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace voxcc::io {

/// A template "prefix%0Wd suffix" taken apart.
struct SliceTemplate {
    std::string folder;  // "." if the template names none
    std::string prefix, suffix;
    int width = 0;                                // digits at least, filled up with zeros
    std::string name(std::int64_t number) const;  // with the folder
};

/// @throw Error usage if `path` is no template (is_slice_template in formats.h)
SliceTemplate parse_slice_template(const std::string& path);

struct NumberedFile {
    std::int64_t number = 0;
    std::string path;
};

/// Files that a template fits, in no order, numbers unchecked; may be none. @throw Error no_input if there is no such folder
std::vector<NumberedFile> files_of_template(const std::string& path);

/// Every image of a folder, sorted by name: what find_slices() chooses from. @throw Error no_input if there is no such folder
std::vector<std::string> images_in_folder(const std::string& folder);

/// The slices that a folder or template stands for, by number. Numbers follow each other, starting anywhere.
/// @throw Error no_input (none there), bad_data (numbers missing or twice, several series: all are named)
std::vector<NumberedFile> find_slices(const std::string& path);

}  // namespace voxcc::io
