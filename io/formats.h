// The functions of every format, for the dispatch in open.cpp and create.cpp. Code in src must use io.h only.
#pragma once
#include "io/io.h"

#include <initializer_list>
#include <string_view>

namespace voxcc::io {

// open_X opens a reader of one 3D volume.
//   @throw Error several_volumes, several_datasets if the file holds several of them and the options choose none
// describe_X reads headers only, and does not need a choice. `extent` is the extent of one volume, `volumes` their number.
// files_of_X lists `path` and all files that would be read; duplicates are allowed.
//   @throw Error if the header cannot be read
std::unique_ptr<VolumeReader> open_nifti(const std::string& path, const OpenOptions& options);
VolumeInfo describe_nifti(const std::string& path, const OpenOptions& options);
std::vector<std::string> files_of_nifti(const std::string& path, const OpenOptions& options);

std::unique_ptr<VolumeReader> open_tiff(const std::string& path, const OpenOptions& options);
VolumeInfo describe_tiff(const std::string& path, const OpenOptions& options);
std::vector<std::string> files_of_tiff(const std::string& path, const OpenOptions& options);

std::unique_ptr<VolumeReader> open_hdf5(const std::string& path, const OpenOptions& options);
VolumeInfo describe_hdf5(const std::string& path, const OpenOptions& options);
std::vector<std::string> files_of_hdf5(const std::string& path, const OpenOptions& options);

std::unique_ptr<VolumeReader> open_npy(const std::string& path, const OpenOptions& options);
VolumeInfo describe_npy(const std::string& path, const OpenOptions& options);

std::unique_ptr<VolumeReader> open_npz(const std::string& path, const OpenOptions& options);
VolumeInfo describe_npz(const std::string& path, const OpenOptions& options);

std::unique_ptr<VolumeReader> open_zarr(const std::string& path, const OpenOptions& options);
VolumeInfo describe_zarr(const std::string& path, const OpenOptions& options);
std::vector<std::string> files_of_zarr(const std::string& path, const OpenOptions& options);
std::vector<std::string> verify_zarr(const std::string& path, const OpenOptions& options);

std::unique_ptr<VolumeReader> open_jpeg2000(const std::string& path, const OpenOptions& options);
VolumeInfo describe_jpeg2000(const std::string& path, const OpenOptions& options);

std::unique_ptr<VolumeReader> open_mgh(const std::string& path, const OpenOptions& options);
VolumeInfo describe_mgh(const std::string& path, const OpenOptions& options);

std::unique_ptr<VolumeReader> open_vtk(const std::string& path, const OpenOptions& options);
VolumeInfo describe_vtk(const std::string& path, const OpenOptions& options);

std::unique_ptr<VolumeReader> open_mrc(const std::string& path, const OpenOptions& options);
VolumeInfo describe_mrc(const std::string& path, const OpenOptions& options);

std::unique_ptr<VolumeReader> open_gipl(const std::string& path, const OpenOptions& options);
VolumeInfo describe_gipl(const std::string& path, const OpenOptions& options);

/// Files without a header; options.raw must be set.
std::unique_ptr<VolumeReader> open_raw(const std::string& path, const OpenOptions& options);
VolumeInfo describe_raw(const std::string& path, const OpenOptions& options);

/// DICOM files, and folders that hold a DICOM series.
std::unique_ptr<VolumeReader> open_dicom(const std::string& path, const OpenOptions& options);
VolumeInfo describe_dicom(const std::string& path, const OpenOptions& options);
std::vector<std::string> files_of_dicom(const std::string& path, const OpenOptions& options);

/// NRRD and MetaImage, and the formats that ITK reads.
std::unique_ptr<VolumeReader> open_itk(const std::string& path, const OpenOptions& options);
VolumeInfo describe_itk(const std::string& path, const OpenOptions& options);
std::vector<std::string> files_of_itk(const std::string& path, const OpenOptions& options);

/// Numbered 2D images: a folder, or a template such as "s%04d.tif".
std::unique_ptr<VolumeReader> open_slices(const std::string& path, const OpenOptions& options);
VolumeInfo describe_slices(const std::string& path, const OpenOptions& options);
std::vector<std::string> files_of_slices(const std::string& path, const OpenOptions& options);

// create_X opens a label writer. create_label_volume() has already checked that the format supports the label type.
std::unique_ptr<LabelWriter> create_nifti(const LabelVolume& volume, OutputFiles& outputs);
std::unique_ptr<LabelWriter> create_tiff(const LabelVolume& volume, OutputFiles& outputs);
std::unique_ptr<LabelWriter> create_hdf5(const LabelVolume& volume, OutputFiles& outputs);
std::unique_ptr<LabelWriter> create_nrrd(const LabelVolume& volume, OutputFiles& outputs);
std::unique_ptr<LabelWriter> create_metaimage(const LabelVolume& volume, OutputFiles& outputs);
std::unique_ptr<LabelWriter> create_mgh(const LabelVolume& volume, OutputFiles& outputs);
std::unique_ptr<LabelWriter> create_npz(const LabelVolume& volume, OutputFiles& outputs);
std::unique_ptr<LabelWriter> create_npy(const LabelVolume& volume, OutputFiles& outputs);
std::unique_ptr<LabelWriter> create_zarr(const LabelVolume& volume, OutputFiles& outputs);
std::unique_ptr<LabelWriter> create_slices(const LabelVolume& volume, OutputFiles& outputs);

// Files that the writers of MetaImage and slices create or would replace.
std::string metaimage_data_path(const std::string& path, int compress);  // the .raw or .zraw file of a .mhd; `path` itself for a .mha
std::vector<std::string> existing_label_slices(const std::string& path, Content content);

/// Checks the length of the name of a folder that create_slices() creates. @throw Error cannot_create
void check_slice_folder(const std::string& path);
/// Checks the names of `count` slices, and that the folder has no others. Does nothing if the folder does not exist.
/// @throw Error as OutputFiles::check()
void check_label_slices(const std::string& path, std::int64_t count, const OutputFiles& outputs, Content content);

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

/// The warning for bytes that a file has after its last used byte. @param last what they follow
// 160, "the voxels"  ->  "160 bytes after the voxels are ignored"
std::string ignored_bytes(std::int64_t bytes, const std::string& last);

/// Rows per block of each writer. NIfTI, NRRD, MetaImage and NumPy: about 1 MiB of labels. Zarr: chunks
/// of complete slices, with at most 8 Mi voxels or one slice.
std::int64_t plain_rows_per_block(const LabelVolume& volume);
std::int64_t tiff_rows_per_block(const LabelVolume& volume);  // multi-page files and folders of slices
std::int64_t hdf5_rows_per_block(const LabelVolume& volume);
std::int64_t zarr_rows_per_block(const LabelVolume& volume);

/// Checks the folder of a Zarr output, and the image of labels. @throw Error as OutputFiles::check_zarr_folder(), about the image
void check_zarr_output(const std::string& path, const OutputFiles& outputs);

/// @return the types of labels in HDF5 files, smallest first. @throw Error unknown_format in a build without HDF5
std::vector<ScalarType> hdf5_label_types(const std::string& path);

/// @return whether the name ends in one of `extensions`, ignoring the case of the name; `extensions` must be in lower case (".nii.gz")
bool has_extension(const std::string& path, std::initializer_list<std::string_view> extensions);

/// @return whether the name ends in .ome.tif or .ome.tiff; such a file is written with OME-XML
bool is_ome_name(const std::string& path);

/// @return `path` without `extension`, with which it must end
// path = "a.img", extension = ".img"  ->  "a"
std::string without_extension(const std::string& path, std::string_view extension);

/// @return whether the name contains exactly one conversion %d, with optional zero padding ("s%04d.tif"), and no other '%'
bool is_slice_template(const std::string& path);

}  // namespace voxcc::io
