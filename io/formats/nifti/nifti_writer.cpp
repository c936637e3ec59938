#include "io/codecs/gzip/gzip.h"
#include "io/contiguous_writer.h"
#include "io/formats/nifti/nifti.h"
#include "io/formats/nifti/nifti_header.h"
#include "io/shared_by_formats.h"

#include <algorithm>

namespace voxcc::io {
namespace {

using enum NiftiField;

constexpr std::int64_t most_of_version_one = std::numeric_limits<std::int16_t>::max();

NiftiHeader fresh_header(const LabelVolume& volume) {
    const VolumeInfo& like = *volume.like;
    const Extent& e = like.extent;
    const bool fits = std::max({e.nx, e.ny, e.nz, volume.volumes}) <= most_of_version_one;
    NiftiHeader header = NiftiHeader::blank(fits ? NiftiVersion::one : NiftiVersion::two);
    for (int axis = 0; axis <= 7; ++axis) header.put_real(pixdim, axis, 1);
    header.put(dim, 0, 3);
    put_geometry(header, like.geometry);
    return header;
}

// Replaces the intent and the range of the display: an input can be a statistical map, and its intent does not apply to labels.
void put_intent(NiftiHeader& header, Content content) {
    constexpr std::int64_t none = 0, label = 1002;  // NIFTI_INTENT_LABEL: each value is the index of a label
    header.put(intent_code, 0, content == Content::labels ? label : none);
    for (int i = 0; i < 3; ++i) header.put_real(intent_p, i, 0);
    header.put_text(NiftiText::intent_name, "");
    for (const NiftiField field : {cal_max, cal_min}) header.put_real(field, 0, 0);
}

/// The header of the input, if it can describe the volumes.
const NiftiHeader* native_header(const LabelVolume& volume) {
    const auto* native = dynamic_cast<const NiftiHeader*>(volume.like->native.get());
    const bool fits = native && (native->version == NiftiVersion::two || volume.volumes <= most_of_version_one);
    return fits || volume.volumes == volume.like->volumes ? native : nullptr;
}

// Keeps the axes of the volumes if the file has all volumes of the input. Otherwise the volumes are counted along axis 4.
void put_extents(NiftiHeader& header, const LabelVolume& volume) {
    const VolumeInfo& like = *volume.like;
    const std::array<std::int64_t, 4> n{like.extent.nx, like.extent.ny, like.extent.nz, volume.volumes};
    const bool keeps_axes = volume.volumes > 1 && volume.volumes == like.volumes && header.integer(dim, 0) > 3;
    if (!keeps_axes) header.put(dim, 0, volume.volumes > 1 ? 4 : std::min<std::int64_t>(header.integer(dim, 0), 3));
    for (int axis = 1; axis <= 7; ++axis) {
        const bool is_kept = keeps_axes && axis > 3 && axis <= header.integer(dim, 0);
        if (is_kept) header.put(dim, axis, std::max<std::int64_t>(1, header.integer(dim, axis)));
        else header.put(dim, axis, axis <= 4 ? n[std::size_t(axis - 1)] : 1);
    }
}

NiftiHeader label_header(const LabelVolume& volume) {
    const auto* native = native_header(volume);
    NiftiHeader header = native ? *native : fresh_header(volume);
    header.make_little_endian();
    header.put_single_file_magic();
    put_extents(header, volume);
    header.put(datatype, 0, nifti_code(volume.type));
    header.put(bitpix, 0, size_of(volume.type) * 8);
    header.put_real(scl_slope, 0, volume.scaling.slope);
    header.put_real(scl_inter, 0, volume.scaling.intercept);
    if (volume.content != Content::values) put_intent(header, volume.content);
    put_unknown_size(header, volume.like->geometry);
    header.put_text(NiftiText::descrip, "voxcc " VOXCC_VERSION);
    header.put(vox_offset, 0, header.end_of_extensions());
    return header;
}

}  // namespace

std::unique_ptr<LabelWriter> create_nifti(const LabelVolume& volume, OutputFiles& outputs) {
    const auto compression = has_extension(volume.path, {".gz"}) ? FileCompression::gzip : FileCompression::none;
    return create_contiguous(volume, outputs.create(volume.path), label_header(volume).serialise(), compression, std::endian::little);
}

}  // namespace voxcc::io
