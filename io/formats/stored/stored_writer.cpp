#include "io/formats/stored/stored_writer.h"

#include "io/header_text.h"
#include "io/orientation.h"
#include "io/shared_by_formats.h"

#include <zlib.h>
#include <algorithm>
#include <cmath>

namespace voxcc::io {

std::int64_t plain_rows_per_block(const LabelVolume& volume) {
    constexpr std::int64_t bytes_per_block = std::int64_t{1} << 20;
    // Other contents are converted from labels, which can have more bytes than the voxels. The labels of a block take memory, too.
    const std::int64_t bytes_per_voxel = std::max<std::int64_t>(size_of(volume.type), volume.content == Content::labels ? 1 : 4);
    return std::max<std::int64_t>(1, bytes_per_block / (volume.like->extent.nx * bytes_per_voxel));
}

StoredWriter::StoredWriter(const LabelVolume& volume, OutputFile& file, Wrapping wrapping)
    : LabelWriter(volume, plain_rows_per_block(volume)),
      file_(file),
      wrapping_(wrapping),
      level_(volume.compress),
      row_bytes_(volume.like->extent.nx * size_of(volume.type)) {}

EncodedBlock StoredWriter::encode(std::int64_t, std::span<const std::byte> raw) const {
    if (wrapping_ == Wrapping::raw) return {{raw.begin(), raw.end()}, {raw.size()}, 0, std::int64_t(raw.size())};
    EncodedBlock block = encode_gzip_block(raw, level_);
    if (wrapping_ == Wrapping::zlib) block.crc = std::uint32_t(adler32_z(1, reinterpret_cast<const Bytef*>(raw.data()), raw.size()));
    return block;
}

void StoredWriter::write_plain(std::int64_t block, std::span<const std::byte> raw) { plain_->write(block, raw); }

void StoredWriter::begin_labels() {
    begin_ = file_.position();
    if (wrapping_ == Wrapping::raw && !file_.is_stream())
        plain_ = std::make_unique<PlainBlocks>(file_, PlainBlocks::Sizes{rows_per_block_ * row_bytes_, rows_ * row_bytes_, volumes_});
    if (wrapping_ == Wrapping::zlib) {
        constexpr std::array<unsigned char, 2> header{0x78, 0x01};  // deflate with a window of 32 KiB
        file_.write(std::as_bytes(std::span(header)));
    }
    if (wrapping_ == Wrapping::gzip) member_ = std::make_unique<GzipMemberWriter>(file_);
}

void StoredWriter::append(std::int64_t block, const EncodedBlock& encoded) {
    if (block != next_block_++) throw Error(ErrorKind::internal, file_.target(), "blocks were appended out of order");
    if (stores_plain()) return write_plain(block, encoded.bytes);
    if (member_) return member_->append(encoded);
    file_.write(encoded.bytes);
    if (wrapping_ == Wrapping::zlib) adler_ = std::uint32_t(adler32_combine(adler_, encoded.crc, encoded.raw_bytes));
}

void StoredWriter::finish() {
    end_labels();
    file_.close();
}

std::int64_t StoredWriter::end_labels() {
    if (stores_plain()) {
        plain_->finish();
        return volumes_ * rows_ * row_bytes_;
    }
    if (next_block_ != blocks()) throw Error(ErrorKind::internal, file_.target(), "finished before its last block");
    if (member_) member_->finish();
    if (wrapping_ == Wrapping::zlib) {
        std::array<unsigned char, 6> end{3, 0};  // an empty final block: no earlier block is marked as final
        for (unsigned i = 0; i < 4; ++i) end[2 + i] = static_cast<unsigned char>(adler_ >> (24 - 8 * i));
        file_.write(std::as_bytes(std::span(end)));
    }
    file_.require_length(file_.position());
    return file_.position() - begin_;
}

std::string joined(std::span<const double> numbers, std::string_view separator) {
    std::string text;
    for (const double number : numbers) text.append(text.empty() ? "" : separator).append(shortest(number));
    return text;
}

int dimensions_to_write(const VolumeInfo& like) { return like.extent.nz == 1 && !usable(like.geometry).affine ? 2 : 3; }

}  // namespace voxcc::io
