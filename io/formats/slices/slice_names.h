// Names of numbered slices: the files of a folder, or of a template such as "dir/s%04d.tif", that form one volume.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace voxcc::io {

/// The parts of a template.
// "dir/s%04d.tif"  ->  folder "dir", prefix "s", suffix ".tif", width 4
struct SliceTemplate {
    std::string folder;  // "." if the template has no folder
    std::string prefix, suffix;
    int width = 0;                                // minimum digits, padded with zeros
    std::string name(std::int64_t number) const;  // path of a slice, with the folder
};

/// Parses a template. @throw Error unknown_format if `path` is not a template (is_slice_template)
SliceTemplate parse_slice_template(const std::string& path);

struct NumberedFile {
    std::int64_t number = 0;
    std::string path;
};

/// Lists the existing files of a template, unsorted; numbers are not checked. @throw Error missing_file if the folder does not exist
std::vector<NumberedFile> files_of_template(const std::string& path);

/// Lists all images of a folder, sorted by name: the candidates of find_slices(). @throw Error missing_file if the folder does not exist
std::vector<std::string> images_in_folder(const std::string& folder);

/// Finds the slices of a folder or template, sorted by number. Numbers must be consecutive and may start anywhere.
/// @throw Error missing_part (no slice), about the content (missing or duplicate numbers, or several series, which are listed)
std::vector<NumberedFile> find_slices(const std::string& path);

}  // namespace voxcc::io
