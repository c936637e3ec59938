// Headers of NIfTI-1 (348 bytes) and NIfTI-2 (540 bytes), in either byte order: the bytes, and what they mean.
#pragma once
#include "io/io.h"

#include <bit>

namespace voxcc::io {

class PlainOrGzipFile;

/// The fields that voxcc reads or writes, plus all others that change when the byte order does.
enum class NiftiField {
    sizeof_hdr,
    extents,
    session_error,
    dim,
    intent_p,
    intent_code,
    datatype,
    bitpix,
    slice_start,
    slice_end,
    slice_code,
    pixdim,
    vox_offset,
    scl_slope,
    scl_inter,
    cal_max,
    cal_min,
    slice_duration,
    toffset,
    glmax,
    glmin,
    xyzt_units,
    qform_code,
    sform_code,
    quatern,
    qoffset,
    srow_x,
    srow_y,
    srow_z
};

/// Fields of text.
enum class NiftiText { descrip, intent_name };

enum class NiftiVersion { one = 1, two = 2 };

struct NiftiExtension {
    std::int32_t code = 0;
    std::vector<std::byte> content;  // a multiple of 16 bytes, less 8
};

/// A header as stored, and access to its fields by name. Copied by the writer, so that nothing in it is lost.
struct NiftiHeader : NativeHeader {
    NiftiVersion version = NiftiVersion::one;
    std::endian byte_order = std::endian::little;
    std::vector<std::byte> bytes;
    std::vector<NiftiExtension> extensions;

    /// A header of zeros with its size and the magic of a single file, in little-endian order.
    static NiftiHeader blank(NiftiVersion version);
    std::int64_t integer(NiftiField field, int index = 0) const;
    double real(NiftiField field, int index = 0) const;
    /// The value must fit the field, which is the caller's business.
    void put(NiftiField field, int index, std::int64_t value);
    void put_real(NiftiField field, int index, double value);
    /// Text that is longer than the field is truncated; a shorter text is followed by zero bytes.
    void put_text(NiftiText field, std::string_view text);
    /// "n+1", "ni1", "n+2", "ni2" or what stands there.
    std::string magic() const;
    void put_single_file_magic();
    bool is_pair() const { return magic().starts_with("ni"); }
    /// Where voxels start at the earliest: after header, extension flag and extensions.
    std::int64_t end_of_extensions() const;
    /// Header, extension flag, extensions: everything before the voxels.
    std::vector<std::byte> serialise() const;
    /// Changes every field to little-endian order.
    void make_little_endian();
};

/// Whether the first bytes of a file have the magic of NIfTI.
bool has_nifti_magic(std::span<const std::byte> start);
constexpr std::size_t nifti_magic_end = 348;  // bytes that has_nifti_magic wants to see

/// Reads a header with its extensions. @throw Error bad_data if it is not NIfTI (Analyze 7.5 neither) or an extension leaves its bounds
NiftiHeader read_nifti_header(PlainOrGzipFile& file);

/// How voxels of a datatype code are stored.
struct NiftiType {
    int code;
    ScalarType type;  // as read
    int bytes;        // a stored voxel
    std::string_view name;
};
/// @throw Error bad_data for codes of more than one number a voxel (RGB, complex), of bits, and unknown ones
const NiftiType& nifti_type(std::int64_t code, const std::string& path);

/// The datatype code of a type.
int nifti_code(ScalarType type);

/// What a header says, checked as far as it goes without a look at the file of the voxels.
struct NiftiContent {
    VolumeInfo info;  // without native
    NiftiType type;
    std::int64_t offset = 0;  // of the first voxel, in the file that holds the voxels
    std::int64_t bytes = 0;   // of all volumes together
};
/// @throw Error bad_data
NiftiContent interpret(const NiftiHeader& header, const std::string& path);

/// sform, else qform, else pixdim, in mm; `rank` is dim[0]. What is not usable is left out and noted in `warnings`.
Geometry nifti_geometry(const NiftiHeader& header, int rank, std::vector<std::string>& warnings);

/// Writes `geometry` into a blank header.
void put_geometry(NiftiHeader& header, const Geometry& geometry);

}  // namespace voxcc::io
