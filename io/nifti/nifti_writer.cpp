#include "io/formats.h"
#include "io/gzip.h"
#include "io/nifti/nifti_header.h"
#include "io/plain_blocks.h"

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

class NiftiWriter final : public LabelWriter {
public:
    NiftiWriter(const LabelVolume& volume, OutputFile& file)
        : LabelWriter(volume.like->extent.rows(), plain_rows_per_block(volume)), file_(file), level_(volume.compress) {
        const std::vector<std::byte> header = label_header(volume).serialise();
        if (has_extension(volume.path, {".gz"})) {
            const std::int64_t bytes = std::int64_t(header.size()) + volume.like->extent.voxels() * size_of(volume.type);
            member_ = std::make_unique<GzipMemberWriter>(file, file.is_stream() ? 0 : bytes);  // the index is written at the end
            member_->append(encode_gzip_block(header, level_));
        } else {
            file_.write(header);
            if (file.is_stream()) return;
            const std::int64_t row_bytes = volume.like->extent.nx * size_of(volume.type);
            plain_ = std::make_unique<PlainBlocks>(file, rows_per_block_ * row_bytes, rows_ * row_bytes);
        }
    }

    EncodedBlock encode(std::int64_t, std::span<const std::byte> raw) const override {
        if (member_) return encode_gzip_block(raw, level_);
        return {{raw.begin(), raw.end()}, {raw.size()}, 0, std::int64_t(raw.size())};
    }

    void append(std::int64_t block, const EncodedBlock& encoded) override {
        if (block != next_block_++) throw Error(ErrorKind::internal, file_.target(), "blocks were appended out of order");
        if (member_) member_->append(encoded);
        else if (plain_) write_plain(block, encoded.bytes);
        else file_.write(encoded.bytes);
    }

    bool stores_plain() const override { return plain_ != nullptr; }
    void write_plain(std::int64_t block, std::span<const std::byte> raw) override { plain_->write(block, raw); }

    void finish() override {
        if (plain_) plain_->finish();
        else if (next_block_ != blocks()) throw Error(ErrorKind::internal, file_.target(), "finished before its last block");
        if (member_) member_->finish();
        file_.close();
    }

private:
    OutputFile& file_;
    int level_;
    std::unique_ptr<GzipMemberWriter> member_;  // null: not compressed
    std::unique_ptr<PlainBlocks> plain_;        // null: compressed, or a stream
    std::int64_t next_block_ = 0;
};

}  // namespace

std::unique_ptr<LabelWriter> create_nifti(const LabelVolume& volume, OutputFiles& outputs) {
    return std::make_unique<NiftiWriter>(volume, outputs.create(volume.path));
}

}  // namespace voxcc::io
