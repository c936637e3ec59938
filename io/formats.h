// The entry points of every format, for the dispatch in open.cpp and create.cpp; src calls io.h only.
#pragma once
#include "io/io.h"

#include <initializer_list>
#include <string_view>

namespace voxcc::io {

// open_X: a reader of one 3D volume. @throw Error usage where options must choose one (--volume, --dataset) and do not.
// describe_X: the same knowledge without a choice; reads headers only. `extent` is that of one volume, `volumes` their number.
// files_of_X: the files that would be read and `path`, which may be listed twice. @throw Error if the header cannot be read
std::unique_ptr<VolumeReader> open_nifti(const std::string& path, const OpenOptions& options);
VolumeInfo describe_nifti(const std::string& path, const OpenOptions& options);
std::vector<std::string> files_of_nifti(const std::string& path, const OpenOptions& options);

std::unique_ptr<VolumeReader> open_tiff(const std::string& path, const OpenOptions& options);
VolumeInfo describe_tiff(const std::string& path, const OpenOptions& options);

std::unique_ptr<VolumeReader> open_hdf5(const std::string& path, const OpenOptions& options);
VolumeInfo describe_hdf5(const std::string& path, const OpenOptions& options);
std::vector<std::string> files_of_hdf5(const std::string& path, const OpenOptions& options);

/// NRRD, MetaImage and whatever else ITK knows; also a folder that holds a DICOM series.
std::unique_ptr<VolumeReader> open_itk(const std::string& path, const OpenOptions& options);
VolumeInfo describe_itk(const std::string& path, const OpenOptions& options);
std::vector<std::string> files_of_itk(const std::string& path, const OpenOptions& options);

/// Numbered 2D images: a folder, or a template such as "s%04d.tif".
std::unique_ptr<VolumeReader> open_slices(const std::string& path, const OpenOptions& options);
VolumeInfo describe_slices(const std::string& path, const OpenOptions& options);
std::vector<std::string> files_of_slices(const std::string& path, const OpenOptions& options);

// create_X: create_label_volume has checked that the format can carry the type.
std::unique_ptr<LabelWriter> create_nifti(const LabelVolume& volume, OutputFiles& outputs);
std::unique_ptr<LabelWriter> create_tiff(const LabelVolume& volume, OutputFiles& outputs);
std::unique_ptr<LabelWriter> create_hdf5(const LabelVolume& volume, OutputFiles& outputs);
std::unique_ptr<LabelWriter> create_nrrd(const LabelVolume& volume, OutputFiles& outputs);
std::unique_ptr<LabelWriter> create_metaimage(const LabelVolume& volume, OutputFiles& outputs);
std::unique_ptr<LabelWriter> create_slices(const LabelVolume& volume, OutputFiles& outputs);

// Files beside `path` that these writers make, or would replace.
std::string metaimage_data_path(const std::string& path, int compress);  // of a .mhd; of a .mha it is `path`
std::vector<std::string> existing_label_slices(const std::string& path);

/// Rows that these writers take at once. NIfTI, NRRD and MetaImage: such as make a MiB.
std::int64_t plain_rows_per_block(const LabelVolume& volume);
std::int64_t tiff_rows_per_block(const LabelVolume& volume);  // a file of pages, a folder of slices
std::int64_t hdf5_rows_per_block(const LabelVolume& volume);

/// Whether the name ends in one of `extensions` (lower case, with the dot: ".nii.gz"), in whatever case it is written.
bool has_extension(const std::string& path, std::initializer_list<std::string_view> extensions);

/// The name before `extension` (which it has), so that "a.img" and "a.hdr" meet.
std::string without_extension(const std::string& path, std::string_view extension);

/// Whether the name is a printf-like template of numbered files: exactly one conversion, %d with optional zero padding ("%04d").
bool is_slice_template(const std::string& path);

}  // namespace voxcc::io
