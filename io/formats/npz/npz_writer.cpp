// Archives of NumPy arrays (.npz) with labels: one array with the name `labels`, which is deflated, as numpy.savez_compressed() writes it.
#include "io/codecs/gzip/gzip.h"
#include "io/codecs/zip/zip_fields.h"
#include "io/codecs/zip/zip_records.h"
#include "io/formats/npy/npy_header.h"
#include "io/formats/npz/npz.h"
#include "io/formats/stored/stored_writer.h"
#include "io/shared_by_formats.h"

#include <zlib.h>

namespace voxcc::io {
namespace {

constexpr std::string_view member_name = "labels.npy";
class NpzWriter final : public LabelWriter {
public:
    NpzWriter(const LabelVolume& volume, OutputFile& file)
        : LabelWriter(volume, plain_rows_per_block(volume)), file_(file), level_(volume.compress) {
        file_.write(zip::local_header(member_));
        const std::string text = npy_label_header(volume);
        add(encode_gzip_block(std::as_bytes(std::span(text)), level_));
    }

    EncodedBlock encode(std::int64_t, std::span<const std::byte> raw) const override { return encode_gzip_block(raw, level_); }

    void append(std::int64_t block, const EncodedBlock& encoded) override {
        if (block != next_block_++) throw Error(ErrorKind::internal, file_.target(), "blocks were appended out of order");
        add(encoded);
    }

    void finish() override {
        if (next_block_ != blocks()) throw Error(ErrorKind::internal, file_.target(), "finished before its last block");
        constexpr std::array<unsigned char, 2> last_block{3, 0};  // empty: no earlier block is marked as final
        file_.write(std::as_bytes(std::span(last_block)));
        member_.stored += std::int64_t(last_block.size());
        file_.write(zip::directory_of(std::span(&member_, 1), file_.position()));
        const std::string header = zip::local_header(member_);
        file_.write_at(0, std::as_bytes(std::span(header)));
        file_.require_length(file_.position());
        file_.close();
    }

private:
    void add(const EncodedBlock& block) {
        file_.write(block.bytes);
        member_.crc = std::uint32_t(crc32_combine(member_.crc, block.crc, block.raw_bytes));
        member_.stored += std::int64_t(block.bytes.size());
        member_.size += block.raw_bytes;
    }

    OutputFile& file_;
    int level_;
    ZipMember member_{.name = std::string(member_name), .method = zip::deflate_method};
    std::int64_t next_block_ = 0;
};

}  // namespace

std::unique_ptr<LabelWriter> create_npz(const LabelVolume& volume, OutputFiles& outputs) {
    return std::make_unique<NpzWriter>(volume, outputs.create(volume.path));
}

}  // namespace voxcc::io
