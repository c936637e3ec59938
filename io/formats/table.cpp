// The table of formats: one row per format.
#include "io/format.h"
#include "io/formats/biorad/biorad.h"
#include "io/formats/bmp/bmp.h"
#include "io/formats/dicom/dicom.h"
#include "io/formats/dicom/dicom_folder.h"
#include "io/formats/gipl/gipl.h"
#include "io/formats/gipl/gipl_header.h"
#include "io/formats/hdf5/hdf5.h"
#include "io/formats/hdf5/is_hdf5.h"
#include "io/formats/itk/itk_format.h"
#include "io/formats/itk/itk_reader.h"
#include "io/formats/jpeg/jpeg.h"
#include "io/formats/jpeg2000/is_jpeg2000.h"
#include "io/formats/jpeg2000/jpeg2000.h"
#include "io/formats/metaimage/metaimage.h"
#include "io/formats/mgh/mgh.h"
#include "io/formats/mgh/mgh_header.h"
#include "io/formats/mrc/mrc.h"
#include "io/formats/mrc/mrc_header.h"
#include "io/formats/nifti/nifti.h"
#include "io/formats/nifti/nifti_header.h"
#include "io/formats/npy/npy.h"
#include "io/formats/npy/npy_header.h"
#include "io/formats/npz/npz.h"
#include "io/formats/nrrd/nrrd.h"
#include "io/formats/png/png.h"
#include "io/formats/slices/slices.h"
#include "io/formats/tiff/tiff.h"
#include "io/formats/vtk/vtk.h"
#include "io/formats/vtk/vtk_header.h"
#include "io/formats/zarr/is_zarr.h"
#include "io/formats/zarr/zarr.h"
#include "io/optional_libraries.h"
#include "io/shared_by_formats.h"

namespace voxcc::io {
namespace {

using enum ScalarType;
using namespace std::string_view_literals;

std::vector<ScalarType> unsigned_types(const std::string&) { return {u8, u16, u32, u64}; }
// The types of Analyze, which every NIfTI reader supports. 64-bit integers are excluded: many programs convert them to double.
std::vector<ScalarType> analyze_types(const std::string&) { return {u8, i16, i32}; }

// NIfTI-1 states the scaling in float32.
bool fits_float32(const Scaling& scaling) {
    const auto is_float = [](double number) { return double(float(number)) == number; };
    return is_float(scaling.slope) && is_float(scaling.intercept);
}

bool is_dicom_path(const UnknownPath& path) { return path.kind == PathKind::folder && is_dicom_folder(path.path); }
bool is_slices_path(const UnknownPath& path) { return path.kind == PathKind::folder || path.kind == PathKind::template_of_slices; }
bool is_slices_output(const std::string& path) { return path.ends_with('/') || is_slice_template(path); }

bool is_dicom_file(const UnknownFile& file) { return file.is_plain() && is_dicom(file.start); }
bool is_npy(const UnknownFile& file) { return file.starts_with(npy_magic); }
// The magic number of NIfTI-1 is at byte 344, where other formats have data.
bool is_nifti(const UnknownFile& file) { return has_nifti_magic(file.start) && !is_npy(file) && !is_dicom_file(file); }

bool is_tiff(const UnknownFile& file) {
    return file.is_plain() &&
           (file.starts_with("II*\0"sv) || file.starts_with("MM\0*"sv) || file.starts_with("II+\0"sv) || file.starts_with("MM\0+"sv));
}

/// How the files of a format are read that only ITK reads.
template <const ItkOnly& format>
Reading by_itk_only(bool (*is_content)(const UnknownFile& file)) {
    return {.is_content = is_content,
            .recognition = Recognition::after_name,
            .open = [](const std::string& path, const OpenOptions& options) { return open_with_itk(path, format, options); },
            .describe = [](const std::string& path, const OpenOptions& options) { return describe_with_itk(path, format, options); },
            .wrong_start = WrongStart::unknown};
}

std::vector<Format> make_rows() {
    return {
        {.name = "NIfTI",
         .extensions = {".nii", ".hdr", ".img"},
         .compressions = {".gz", ".zst"},
         .read = {.is_content = is_nifti,
                  .open = open_nifti,
                  .describe = describe_nifti,
                  .files = files_of_nifti,
                  .by_itk = ItkFormat::nifti,
                  .pipes = Pipes::read},
         .write = Writing{.extensions = {".nii.gz", ".nii"},
                          .create = create_nifti,
                          .rows_per_block = plain_rows_per_block,
                          .types = analyze_types,
                          .more_types = {u16, u32},
                          .stores_scaling = fits_float32}},
        // Before TIFF, because the preamble of a DICOM file can be the header of a TIFF.
        {.name = "DICOM",
         .extensions = {".dcm"},
         .read = {.is_path = is_dicom_path,
                  .is_content = is_dicom_file,
                  .open = open_dicom,
                  .describe = describe_dicom,
                  .files = files_of_dicom,
                  .by_itk = ItkFormat::dicom,
                  .wrong_start = WrongStart::unknown}},
        {.name = "TIFF",
         .extensions = {".tif", ".tiff", ".ome.tif", ".ome.tiff", ".companion.ome"},
         .read = {.is_content = is_tiff, .open = open_tiff, .describe = describe_tiff, .files = files_of_tiff, .by_itk = ItkFormat::tiff},
         .write = Writing{.extensions = {".tif", ".tiff"},
                          .create = create_tiff,
                          .rows_per_block = tiff_rows_per_block,
                          .types = tiff_label_types,
                          .colours = ColourTables::stored,
                          .stores_values = stores_tiff_values},
         .slice_extensions = {".tif", ".tiff"}},
        {.name = "HDF5",
         .extensions = {".h5", ".hdf5"},
         .read = {.is_content = [](const UnknownFile& file) { return file.is_plain() && is_hdf5(file.file); },
                  .open = open_hdf5,
                  .describe = describe_hdf5,
                  .files = files_of_hdf5,
                  .by_itk = ItkFormat::hdf5},
         .write =
             Writing{
                 .extensions = {".h5", ".hdf5"}, .create = create_hdf5, .rows_per_block = hdf5_rows_per_block, .types = hdf5_label_types},
         .is_in_build = has_hdf5},
        {.name = "Zarr",
         .extensions = {".zarr", ".ome.zarr", ".zarr.zip", ".ome.zarr.zip", ".ozx"},
         .read = {.is_path = [](const UnknownPath& path) { return path.kind != PathKind::pipe && is_zarr(path.path); },
                  .open = open_zarr,
                  .describe = describe_zarr,
                  .files = files_of_zarr,
                  .verify = verify_zarr},
         .write = Writing{.extensions = {".zarr"},
                          .takes = is_zarr_output,
                          .create = create_zarr,
                          .rows_per_block = zarr_rows_per_block,
                          .types = unsigned_types,
                          .more_types = {i16, i32},
                          .files = files_of_zarr_output,
                          .check = check_zarr_output},
         .is_in_build = has_zarr},
        {.name = "NRRD",
         .extensions = {".nrrd", ".nhdr"},
         .read = {.is_content = [](const UnknownFile& file) { return file.is_plain() && file.starts_with(nrrd_magic); },
                  .open = open_nrrd,
                  .describe = describe_nrrd,
                  .files = files_of_nrrd,
                  .by_itk = ItkFormat::nrrd,
                  .wrong_start = WrongStart::unknown,
                  .pipes = Pipes::read},
         .write = Writing{.extensions = {".nrrd"}, .create = create_nrrd, .rows_per_block = plain_rows_per_block, .types = unsigned_types}},
        {.name = "MetaImage",
         .extensions = {".mha", ".mhd"},
         .read = {.is_content = [](const UnknownFile& file) { return file.is_plain() && is_metaimage(file.start); },
                  .recognition = Recognition::after_name,
                  .open = open_metaimage,
                  .describe = describe_metaimage,
                  .files = files_of_metaimage,
                  .by_itk = ItkFormat::metaimage,
                  .wrong_start = WrongStart::unknown},
         .write = Writing{.extensions = {".mha", ".mhd"},
                          .create = create_metaimage,
                          .rows_per_block = plain_rows_per_block,
                          .types = unsigned_types,
                          .stores_scaling = [](const Scaling&) { return true; },
                          .files = files_of_metaimage_output}},
        {.name = "NumPy",
         .extensions = {".npy"},
         .read = {.is_content = is_npy, .open = open_npy, .describe = describe_npy, .pipes = Pipes::read},
         .write = Writing{.extensions = {".npy"}, .create = create_npy, .rows_per_block = plain_rows_per_block, .types = unsigned_types}},
        {.name = "NumPy archive",
         .extensions = {".npz"},
         .read = {.is_content =
                      [](const UnknownFile& file) {
                          return file.is_plain() && file.starts_with("PK\3\4") && has_extension(file.file.path(), {".npz"});
                      },
                  .open = open_npz,
                  .describe = describe_npz},
         .write = Writing{.extensions = {".npz"}, .create = create_npz, .rows_per_block = plain_rows_per_block, .types = unsigned_types}},
        {.name = "VTK",
         .extensions = {".vtk"},
         .read = {.is_content = [](const UnknownFile& file) { return has_vtk_magic(file.start); },
                  .open = open_vtk,
                  .describe = describe_vtk,
                  .by_itk = ItkFormat::vtk,
                  .wrong_start = WrongStart::unknown}},
        {.name = "GIPL",
         .extensions = {".gipl"},
         .compressions = {".gz"},
         .read = {.is_content = [](const UnknownFile& file) { return has_gipl_magic(file.start); },
                  .open = open_gipl,
                  .describe = describe_gipl,
                  .by_itk = ItkFormat::gipl}},
        {.name = "MRC",
         .extensions = {".mrc", ".mrcs", ".ccp4"},
         .compressions = {".gz", ".zst"},
         .ambiguous_extensions = {".map", ".st", ".rec", ".ali"},
         .read = {.is_content = [](const UnknownFile& file) { return is_mrc(file.start, file.file.longest_content(), file.file.path()); },
                  .open = open_mrc,
                  .describe = describe_mrc,
                  .by_itk = ItkFormat::mrc}},
        // After the formats with longer magic numbers.
        {.name = "FreeSurfer",
         .extensions = {".mgh", ".mgz", ".mgh.gz"},
         .read = {.is_content = [](const UnknownFile& file) { return has_mgh_header(file.start); },
                  .open = open_mgh,
                  .describe = describe_mgh,
                  .pipes = Pipes::read},
         .write = Writing{.extensions = {".mgh", ".mgz", ".mgh.gz"},
                          .create = create_mgh,
                          .rows_per_block = plain_rows_per_block,
                          .types = analyze_types,
                          .more_types = {u16},
                          .stores_values = stores_mgh_values}},
        {.name = "JPEG 2000",
         .extensions = {".jp2", ".j2k", ".jpx", ".jph"},
         .read = {.is_content = [](const UnknownFile& file) { return file.is_plain() && is_jpeg2000(file.start); },
                  .open = open_jpeg2000,
                  .describe = describe_jpeg2000,
                  .wrong_start = WrongStart::unknown},
         .slice_extensions = {".jp2", ".j2k", ".jpx", ".jph"},
         .is_in_build = has_jpeg2000},
        {.name = "numbered slices",
         .extensions = {},
         .read = {.is_path = is_slices_path, .open = open_slices, .describe = describe_slices, .files = files_of_slices},
         .write = Writing{.extensions = {},
                          .takes = is_slices_output,
                          .create = create_slices,
                          .rows_per_block = tiff_rows_per_block,
                          .types = tiff_label_types,
                          .volumes = VolumesOfOutput::one,
                          .colours = ColourTables::stored,
                          .stores_values = stores_tiff_values,
                          .files = existing_label_slices,
                          .check = check_slices_output,
                          .check_extent = check_label_slices}},
        {.name = "BioRad", .extensions = {".pic"}, .read = by_itk_only<biorad_by_itk>(is_biorad), .is_in_build = has_itk},
        {.name = "PNG",
         .extensions = {".png"},
         .read = by_itk_only<png_by_itk>(is_png),
         .slice_extensions = {".png"},
         .is_in_build = has_itk},
        {.name = "JPEG", .extensions = {".jpg", ".jpeg"}, .read = by_itk_only<jpeg_by_itk>(is_jpeg), .is_in_build = has_itk},
        {.name = "BMP", .extensions = {".bmp"}, .read = by_itk_only<bmp_by_itk>(is_bmp), .is_in_build = has_itk},
    };
}

}  // namespace

std::span<const Format> formats() {
    static const std::vector<Format> rows = make_rows();
    return rows;
}

}  // namespace voxcc::io
