#include "io/contiguous_writer.h"
#include "io/formats.h"
#include "io/gzip.h"
#include "io/nifti/nifti_header.h"

#include <algorithm>

namespace voxcc::io {
namespace {

using enum NiftiField;

NiftiHeader fresh_header(const VolumeInfo& like) {
    const Extent& e = like.extent;
    const bool fits = std::max({e.nx, e.ny, e.nz}) <= std::numeric_limits<std::int16_t>::max();
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

NiftiHeader label_header(const LabelVolume& volume) {
    const VolumeInfo& like = *volume.like;
    const auto* native = dynamic_cast<const NiftiHeader*>(like.native.get());
    NiftiHeader header = native ? *native : fresh_header(like);
    header.make_little_endian();
    header.put_single_file_magic();
    header.put(dim, 0, std::min<std::int64_t>(header.integer(dim, 0), 3));
    const std::array<std::int64_t, 3> n{like.extent.nx, like.extent.ny, like.extent.nz};
    for (int axis = 1; axis <= 7; ++axis) header.put(dim, axis, axis <= 3 ? n[std::size_t(axis - 1)] : 1);
    header.put(datatype, 0, nifti_code(volume.type));
    header.put(bitpix, 0, size_of(volume.type) * 8);
    header.put_real(scl_slope, 0, volume.scaling.slope);
    header.put_real(scl_inter, 0, volume.scaling.intercept);
    if (volume.content != Content::values) put_intent(header, volume.content);
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
