// Headers of NIfTI-1 (348 bytes) and NIfTI-2 (540 bytes) in either byte order: access to the fields and their interpretation.
#pragma once
#include "io/io.h"

#include <bit>

namespace voxcc::io {

class DecodedFile;

/// The fields that voxcc reads or writes, and all other fields whose bytes depend on the byte order.
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

/// Text fields.
enum class NiftiText { descrip, intent_name };

enum class NiftiVersion { one = 1, two = 2 };

struct NiftiExtension {
    std::int32_t code = 0;
    std::vector<std::byte> content;  // 16 n - 8 bytes
};

/// The stored bytes of a header, with access to its fields. The writer copies it, so that no field is lost. Concurrent reads are safe.
struct NiftiHeader : NativeHeader {
    NiftiVersion version = NiftiVersion::one;
    std::endian byte_order = std::endian::little;
    std::vector<std::byte> bytes;
    std::vector<NiftiExtension> extensions;
    std::vector<std::string> warnings = {};  // of the reader

    /// @return a little-endian header of zeros, except for its size and the magic of a single file
    static NiftiHeader blank(NiftiVersion version);
    std::int64_t integer(NiftiField field, int index = 0) const;
    double real(NiftiField field, int index = 0) const;
    /// Writes an integer field. The value must fit the field. @throw Error internal if the field is not an integer field
    void put(NiftiField field, int index, std::int64_t value);
    void put_real(NiftiField field, int index, double value);
    /// Writes a text field: truncates a long text and fills the rest of the field with zero bytes.
    void put_text(NiftiText field, std::string_view text);
    /// @return a text field up to its first zero byte
    std::string text(NiftiText field) const;
    /// @return the first three bytes of the magic: "n+1", "ni1", "n+2", "ni2"
    std::string magic() const;
    void put_single_file_magic();
    bool is_pair() const { return magic().starts_with("ni"); }
    /// @return byte offset of the end of header, extension flag and extensions: the smallest valid vox_offset
    std::int64_t end_of_extensions() const;
    /// @return header, extension flag and extensions: all bytes before the voxels
    std::vector<std::byte> serialise() const;
    /// Converts every field to little-endian byte order.
    void make_little_endian();
};

/// @return whether `start`, the first bytes of a file, contains a NIfTI magic; false if it has fewer than nifti_magic_end bytes
bool has_nifti_magic(std::span<const std::byte> start);
constexpr std::size_t nifti_magic_end = 348;  // bytes that has_nifti_magic() needs

/// Reads a header and its extensions. An extension whose size is not a multiple of 16 is padded with zeros, with a warning.
/// @throw Error about the content if it is not NIfTI (Analyze 7.5 is refused, too) or an extension exceeds its bounds
NiftiHeader read_nifti_header(DecodedFile& file);

/// Storage of the voxels of a datatype code.
struct NiftiType {
    int code;
    ScalarType type;  // type in memory
    int bytes;        // per stored voxel
    std::string_view name;
};
/// @throw Error about the content for RGB, complex numbers, single bits and unknown codes. @param path named in errors
const NiftiType& nifti_type(std::int64_t code, const std::string& path);

/// @return the datatype code of `type`
int nifti_code(ScalarType type);

/// The interpretation of a header, checked as far as possible without the file of the voxels.
struct NiftiContent {
    VolumeInfo info;  // `native` is not set
    NiftiType type;
    std::int64_t offset = 0;  // byte offset of the first voxel in the voxel file
    std::int64_t bytes = 0;   // size of all volumes together
};
/// Interprets a header. @param path named in errors. @throw Error about the content
NiftiContent interpret(const NiftiHeader& header, const std::string& path);

/// The geometry from sform, else qform, else pixdim. A header without a unit is in mm, by the convention of NIfTI. If the header states a
/// form, but no usable form, the affine is singular or not finite: a position from pixdim would contradict the header. The notes state
/// which values are not usable, and whether the voxel sizes of the forms differ.
/// @param rank dim[0], in [1, 7]
Geometry nifti_geometry(const NiftiHeader& header, int rank);

/// Writes `geometry` into `header`, which must be blank: in m, mm or um if the lengths have this unit, else in mm.
void put_geometry(NiftiHeader& header, const Geometry& geometry);

/// NIfTI cannot state that the size of the voxels, or its unit, is unknown. voxcc writes one of these texts into `intent_name` of its own
/// volumes, and nifti_geometry() reads it. Must be called after all other fields are set. Does nothing if the header states neither.
void put_unknown_size(NiftiHeader& header, const Geometry& geometry);

}  // namespace voxcc::io
