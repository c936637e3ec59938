// Recognition of the format of a file: by content first, then by name.
#include "io/decoded_file.h"
#include "io/dicom/dicom_folder.h"
#include "io/formats.h"
#include "io/gipl/gipl_header.h"
#include "io/hdf5/hdf5_lock.h"
#include "io/itk/compared_reader.h"
#include "io/jpeg2000/is_jpeg2000.h"
#include "io/mgh/mgh_header.h"
#include "io/mrc/mrc_header.h"
#include "io/nifti/nifti_header.h"
#include "io/npy/npy_header.h"
#include "io/orientation.h"
#include "io/pipe_input.h"
#include "io/vtk/vtk_header.h"
#include "io/zarr/is_zarr.h"

#include <algorithm>
#include <filesystem>

namespace voxcc::io {
namespace {

struct Format {
    std::unique_ptr<VolumeReader> (*open)(const std::string&, const OpenOptions&);
    VolumeInfo (*describe)(const std::string&, const OpenOptions&);
    std::vector<std::string> (*files)(const std::string&, const OpenOptions&);
    std::optional<ItkFormat> by_itk{};  // how ITK reads it; empty for formats whose own functions obey OpenOptions::reader
    std::vector<std::string> (*verify)(const std::string&,
                                       const OpenOptions&) = nullptr;  // see verify_metadata(); null: nothing to compare
};

std::vector<std::string> only_itself(const std::string& path, const OpenOptions&) { return {path}; }

constexpr Format nifti{open_nifti, describe_nifti, files_of_nifti, ItkFormat::nifti};
constexpr Format tiff{open_tiff, describe_tiff, files_of_tiff, ItkFormat::tiff};
constexpr Format hdf5{open_hdf5, describe_hdf5, files_of_hdf5, ItkFormat::hdf5};
constexpr Format npy{open_npy, describe_npy, only_itself};
constexpr Format npz{open_npz, describe_npz, only_itself};
constexpr Format zarr{open_zarr, describe_zarr, files_of_zarr, {}, verify_zarr};
constexpr Format jpeg2000{open_jpeg2000, describe_jpeg2000, only_itself};
constexpr Format mgh{open_mgh, describe_mgh, only_itself};
constexpr Format vtk{open_vtk, describe_vtk, only_itself, ItkFormat::vtk};
constexpr Format mrc{open_mrc, describe_mrc, only_itself, ItkFormat::mrc};
constexpr Format gipl{open_gipl, describe_gipl, only_itself, ItkFormat::gipl};
constexpr Format dicom{open_dicom, describe_dicom, files_of_dicom, ItkFormat::dicom};
constexpr Format raw{open_raw, describe_raw, only_itself};
constexpr Format slices{open_slices, describe_slices, files_of_slices};
constexpr Format itk{open_itk, describe_itk, files_of_itk};

bool starts_with(std::span<const std::byte> bytes, std::string_view magic) {
    return bytes.size() >= magic.size() &&
           std::equal(magic.begin(), magic.end(), bytes.begin(), [](char c, std::byte b) { return std::byte(c) == b; });
}

bool is_tiff(std::span<const std::byte> start) {
    using namespace std::string_view_literals;
    return starts_with(start, "II*\0"sv) || starts_with(start, "MM\0*"sv) || starts_with(start, "II+\0"sv) || starts_with(start, "MM\0+"sv);
}

// HDF5 can start after a user block of 512, 1024, 2048, ... bytes.
bool is_hdf5(DecodedFile& file) {
    std::array<std::byte, 8> signature{};
    for (std::int64_t offset = 0; offset + 8 <= file.stored_bytes(); offset = offset == 0 ? 512 : 2 * offset) {
        file.read(offset, signature);
        if (starts_with(signature, "\x89HDF\r\n\x1a\n")) return true;
    }
    return false;
}

/// The formats whose voxels can be read in the order of their bytes.
Format recognise_in_pipe(const std::string& path) {
    DecodedFile file(path, Pipes::read);
    std::vector<std::byte> start(nifti_magic_end);
    start.resize(file.read_some(0, start));
    if (starts_with(start, npy_magic)) return npy;
    if (has_nifti_magic(start)) return nifti;
    if (!file.is_compressed() && starts_with(start, "NRRD000")) return itk;
    if (has_mgh_header(start)) return mgh;
    throw Error(ErrorKind::unsupported_file, path,
                "is a pipe, and its bytes are not NIfTI, NRRD, NumPy or FreeSurfer; write the data to a file, and give its name");
}

Format recognise(const std::string& path, const OpenOptions& options) {
    if (options.raw) return raw;
    if (pipe_identity(path)) return recognise_in_pipe(path);
    if (is_zarr(path)) return zarr;
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) return is_dicom_folder(path) ? dicom : slices;
    if (is_slice_template(path) && !std::filesystem::exists(path, ignored)) return slices;

    DecodedFile file(path);
    std::vector<std::byte> start(mrc_header_bytes);  // the longest start that a format needs
    start.resize(file.read_some(0, start));
    if (!file.is_compressed() && is_dicom(start)) return dicom;  // first, because its preamble can be the header of a TIFF
    if (starts_with(start, npy_magic)) return npy;
    if (has_nifti_magic(start)) return nifti;
    if (!file.is_compressed()) {
        if (is_tiff(start)) return tiff;
        if (is_hdf5(file)) return hdf5;
        if (starts_with(start, "PK\3\4") && has_extension(path, {".npz"})) return npz;
        if (starts_with(start, "NRRD000")) return itk;
        if (is_jpeg2000(start)) return jpeg2000;
    }
    if (has_vtk_magic(start)) return vtk;
    if (has_gipl_magic(start)) return gipl;
    if (is_mrc(start, file.longest_content(), path)) return mrc;
    if (has_mgh_header(start)) return mgh;
    // The name only selects the reader that reports the error: a file without a magic number is never accepted by its name alone.
    if (has_extension(path, {".gipl", ".gipl.gz"})) return gipl;
    if (has_mrc_name(path)) return mrc;
    if (has_extension(path, {".nii", ".nii.gz", ".nii.zst", ".hdr", ".hdr.gz", ".img.gz"})) return nifti;
    if (has_extension(path, {".tif", ".tiff", ".companion.ome"})) return tiff;
    if (has_extension(path, {".h5", ".hdf5"})) return hdf5;
    if (has_extension(path, {".npy"})) return npy;
    if (has_extension(path, {".npz"})) return npz;
    if (has_extension(path, {".mgh", ".mgz", ".mgh.gz"})) return mgh;
    if (has_extension(path, {".img"})) return nifti;  // the magic number is in the .hdr
    return itk;
}

// ITK uses the HDF5 library of this process in its child process. The lock ensures that no call is active during the fork.
std::optional<hdf5::Lock> lock_for(ItkFormat format) {
    if (format == ItkFormat::hdf5) return std::make_optional<hdf5::Lock>();
    return std::nullopt;
}

void refuse_itk_for_pipe(const std::string& path) {
    if (pipe_identity(path)) throw Error(ErrorKind::unsupported_by_reader, path, "ITK does not read from a pipe", "voxcc");
}

/// Completes the description by a reader: the size of the voxels that the caller states, or the findings about the size in the file.
void complete(VolumeInfo& info, const OpenOptions& options) {
    if (options.size) {
        info.geometry = with_size(std::move(info.geometry), *options.size);
        info.native.reset();  // it states another size, so a writer must not copy it
        return;
    }
    info.geometry = without_default_size(std::move(info.geometry));
    for (const std::string& note : info.geometry.notes) info.warnings.push_back(note);
}

std::unique_ptr<VolumeReader> open_by_format(const std::string& path, const OpenOptions& options) {
    const Format format = recognise(path, options);
    if (options.reader != ReaderChoice::itk || !format.by_itk) return format.open(path, options);
    refuse_itk_for_pipe(path);
    const auto lock = lock_for(*format.by_itk);
    return open_compared(path, *format.by_itk, options, [&](const OpenOptions& of_own) { return format.open(path, of_own); });
}

VolumeInfo describe_by_format(const std::string& path, const OpenOptions& options) {
    const Format format = recognise(path, options);
    if (options.reader != ReaderChoice::itk || !format.by_itk) return format.describe(path, options);
    refuse_itk_for_pipe(path);
    const auto lock = lock_for(*format.by_itk);
    return describe_compared(path, *format.by_itk, options, [&](const OpenOptions& of_own) { return format.describe(path, of_own); });
}

}  // namespace

bool is_volume_path(const std::string& path) {
    std::error_code unknown;
    return is_stdin(path) || std::filesystem::exists(path, unknown) || (is_slice_template(path) && !path.ends_with(']'));
}

std::unique_ptr<VolumeReader> open_volume(const std::string& name, const OpenOptions& options) {
    auto reader = open_by_format(path_to_open(name), options);
    complete(reader->info_, options);
    return reader;
}

VolumeInfo describe_volume(const std::string& name, const OpenOptions& options) {
    VolumeInfo info = describe_by_format(path_to_open(name), options);
    complete(info, options);
    return info;
}

std::vector<std::string> verify_metadata(const std::string& name, const OpenOptions& options) {
    const std::string& path = path_to_open(name);
    if (pipe_identity(path)) return {};
    const Format format = recognise(path, options);
    return format.verify ? format.verify(path, options) : std::vector<std::string>();
}

std::vector<std::string> files_of_volume(const std::string& name, const OpenOptions& options) {
    const std::string& path = path_to_open(name);
    std::vector<std::string> files{path};
    if (pipe_identity(path)) return files;
    try {
        files = recognise(path, options).files(path, options);
    } catch (const Error&) {
        return files;  // open_volume() reports the error
    }
    std::ranges::sort(files);
    files.erase(std::unique(files.begin(), files.end()), files.end());
    return files;
}

}  // namespace voxcc::io
