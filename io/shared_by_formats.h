// What the readers and writers of several formats share: the choice of a volume, texts, and names of files. Code in src must not use it.
#pragma once
#include "io/io.h"

#include <initializer_list>
#include <string_view>

namespace voxcc::io {

/// @return the numbers of the volumes of a file, for the choices() of errors; empty for one volume
// 3  ->  "0..2"
std::string volume_numbers(std::int64_t volumes);

/// Checks the choice of a volume. @param details of the volumes, which follow their number in the error; may be empty
/// @return options.volume, or 0 for the only volume. @throw Error several_volumes, no_such_volume
// 3 volumes, no choice, ": 3 time points"  ->  Error "holds 3 volumes: 3 time points"
std::int64_t chosen_volume(const VolumeInfo& info, const OpenOptions& options, const std::string& details = "");

/// The name of a content inside files: the dataset of an HDF5 file, the image of an OME-TIFF.
// Content::labels -> "labels"
std::string name_of(Content content);

/// @return the axis with the names of its channels, which can have any number and length. All names are left out if their number is not the
/// number of channels, or if all are empty. A name of more than 256 bytes becomes empty, so that it cannot be chosen.
// {"C", 2}, {"DAPI", "CD45"}  ->  {"C", 2, {"DAPI", "CD45"}, ""}; {"C", 2}, {"DAPI"}  ->  {"C", 2, {}, "states 1 name for 2 channels"}
VolumeAxis with_names(VolumeAxis axis, std::vector<std::string> names);

/// The warning for bytes that a file has after its last used byte. @param last what they follow
// 160, "the voxels"  ->  "160 bytes after the voxels are ignored"
std::string ignored_bytes(std::int64_t bytes, const std::string& last);

/// Rows per block of the writers of NIfTI, NRRD, MetaImage, NumPy and FreeSurfer: about 1 MiB of labels.
std::int64_t plain_rows_per_block(const LabelVolume& volume);

/// @return whether the name ends in one of `extensions`, ignoring the case of the name; `extensions` must be in lower case (".nii.gz")
bool has_extension(const std::string& path, std::initializer_list<std::string_view> extensions);

/// @return whether the name ends in .ome.tif or .ome.tiff; such a file is written with OME-XML
bool is_ome_name(const std::string& path);

/// @return `path` without `extension`, with which it must end
// path = "a.img", extension = ".img"  ->  "a"
std::string without_extension(const std::string& path, std::string_view extension);

}  // namespace voxcc::io
