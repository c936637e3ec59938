#include "io/contiguous_writer.h"

#include "io/samples.h"
#include "io/shared_by_formats.h"

namespace voxcc::io {
namespace {

class ContiguousWriter final : public LabelWriter {
public:
    ContiguousWriter(const LabelVolume& volume, OutputFile& file, std::span<const std::byte> header, FileCompression compression,
                     std::endian byte_order)
        : LabelWriter(volume, plain_rows_per_block(volume)),
          file_(file),
          level_(volume.compress),
          bytes_per_voxel_(size_of(volume.type)),
          is_swapped_(byte_order != std::endian::native && bytes_per_voxel_ > 1) {
        if (compression == FileCompression::gzip) {
            const std::int64_t bytes = std::int64_t(header.size()) + volumes_ * volume.like->extent.voxels() * bytes_per_voxel_;
            member_ = std::make_unique<GzipMemberWriter>(file, file.is_stream() ? 0 : bytes);  // the index is written at the end
            member_->append(encode_gzip_block(header, level_));
            return;
        }
        file_.write(header);
        if (file.is_stream()) return;
        const std::int64_t row_bytes = volume.like->extent.nx * bytes_per_voxel_;
        plain_ = std::make_unique<PlainBlocks>(file, PlainBlocks::Sizes{rows_per_block_ * row_bytes, rows_ * row_bytes, volumes_});
    }

    EncodedBlock encode(std::int64_t, std::span<const std::byte> raw) const override {
        std::vector<std::byte> swapped;
        const std::span<const std::byte> stored = in_file_order(raw, swapped);
        if (member_) return encode_gzip_block(stored, level_);
        return {{stored.begin(), stored.end()}, {stored.size()}, 0, std::int64_t(stored.size())};
    }

    void append(std::int64_t block, const EncodedBlock& encoded) override {
        if (block != next_block_++) throw Error(ErrorKind::internal, file_.target(), "blocks were appended out of order");
        if (member_) member_->append(encoded);
        else if (plain_) plain_->write(block, encoded.bytes);
        else file_.write(encoded.bytes);
    }

    bool stores_plain() const override { return plain_ != nullptr; }
    void write_plain(std::int64_t block, std::span<const std::byte> raw) override {
        std::vector<std::byte> swapped;
        plain_->write(block, in_file_order(raw, swapped));
    }

    void finish() override {
        if (plain_) plain_->finish();
        else if (next_block_ != blocks()) throw Error(ErrorKind::internal, file_.target(), "finished before its last block");
        if (member_) member_->finish();
        file_.close();
    }

private:
    /// @param copy receives the bytes if they must be swapped
    std::span<const std::byte> in_file_order(std::span<const std::byte> raw, std::vector<std::byte>& copy) const {
        if (!is_swapped_) return raw;
        copy.assign(raw.begin(), raw.end());
        swap_samples(copy, bytes_per_voxel_);
        return copy;
    }

    OutputFile& file_;
    int level_;
    std::int64_t bytes_per_voxel_;
    bool is_swapped_;
    std::unique_ptr<GzipMemberWriter> member_;  // null: not compressed
    std::unique_ptr<PlainBlocks> plain_;        // null: compressed, or a stream
    std::int64_t next_block_ = 0;
};

}  // namespace

std::unique_ptr<LabelWriter> create_contiguous(const LabelVolume& volume, OutputFile& file, std::span<const std::byte> header,
                                               FileCompression compression, std::endian byte_order) {
    return std::make_unique<ContiguousWriter>(volume, file, header, compression, byte_order);
}

}  // namespace voxcc::io
