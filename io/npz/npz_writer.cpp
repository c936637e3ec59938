// Archives of NumPy arrays (.npz) with labels: one array with the name `labels`, which is deflated, as numpy.savez_compressed() writes it.
#include "io/formats.h"
#include "io/gzip.h"
#include "io/npy/npy_header.h"
#include "io/text/stored_writer.h"
#include "io/zip/zip_fields.h"

#include <zlib.h>

namespace voxcc::io {
namespace {

constexpr std::string_view member_name = "labels.npy";
constexpr std::uint16_t version_of_zip64 = 45;
constexpr std::uint16_t first_of_january_1980 = 0x21;  // a fixed date, so that equal labels give files with equal bytes

/// Sizes and CRC of the member, which are known at its end.
struct Sizes {
    std::uint32_t crc = 0;
    std::uint64_t stored = 0, size = 0;
};

// The fields that the local header and the entry of the directory share.
std::string shared_fields(const Sizes& sizes, std::size_t extra_bytes) {
    std::string fields;
    zip::put(fields, version_of_zip64);
    zip::put(fields, std::uint16_t{0});
    zip::put(fields, std::uint16_t(zip::deflate_method));
    zip::put(fields, std::uint16_t{0});
    zip::put(fields, first_of_january_1980);
    zip::put(fields, sizes.crc);
    zip::put(fields, std::uint32_t(zip::see_extra64));
    zip::put(fields, std::uint32_t(zip::see_extra64));
    zip::put(fields, std::uint16_t(member_name.size()));
    zip::put(fields, std::uint16_t(extra_bytes));
    return fields;
}

std::string extra64(const Sizes& sizes) {
    std::string extra;
    zip::put(extra, std::uint16_t(zip::extra64_id));
    zip::put(extra, std::uint16_t{16});
    zip::put(extra, sizes.size);
    zip::put(extra, sizes.stored);
    return extra;
}

std::string local_header(const Sizes& sizes) {
    std::string header;
    const std::string extra = extra64(sizes);
    zip::put(header, zip::local_signature);
    return header + shared_fields(sizes, extra.size()) + std::string(member_name) + extra;
}

std::string directory_entry(const Sizes& sizes) {
    std::string entry;
    const std::string extra = extra64(sizes);
    zip::put(entry, zip::member_signature);
    zip::put(entry, version_of_zip64);
    entry += shared_fields(sizes, extra.size());
    entry.append(6, '\0');              // comment, part, internal attributes
    zip::put(entry, std::uint32_t{0});  // external attributes
    zip::put(entry, std::uint32_t{0});  // the local header is at byte 0
    return entry + std::string(member_name) + extra;
}

// The records after the directory. The zip64 records are needed only for an archive of 4 GiB or more, but are always written.
std::string end_records(std::uint64_t directory_at, std::uint64_t directory_bytes) {
    constexpr std::uint64_t record_bytes = 56, bytes_after_length = record_bytes - 12;
    std::string end;
    zip::put(end, zip::end64_signature);
    zip::put(end, bytes_after_length);
    zip::put(end, version_of_zip64);
    zip::put(end, version_of_zip64);
    zip::put(end, std::uint64_t{0});  // number of this part, and of the part with the directory
    zip::put(end, std::uint64_t{1});  // members in this part
    zip::put(end, std::uint64_t{1});  // members
    zip::put(end, directory_bytes);
    zip::put(end, directory_at);
    zip::put(end, zip::locator64_signature);
    zip::put(end, std::uint32_t{0});
    zip::put(end, directory_at + directory_bytes);
    zip::put(end, std::uint32_t{1});
    zip::put(end, zip::end_signature);
    zip::put(end, std::uint32_t{0});
    zip::put(end, std::uint16_t{1});
    zip::put(end, std::uint16_t{1});
    zip::put(end, std::uint32_t(directory_bytes));
    zip::put(end, std::uint32_t(std::min<std::uint64_t>(directory_at, zip::see_extra64)));
    zip::put(end, std::uint16_t{0});
    return end;
}

class NpzWriter final : public LabelWriter {
public:
    NpzWriter(const LabelVolume& volume, OutputFile& file)
        : LabelWriter(volume, plain_rows_per_block(volume)), file_(file), level_(volume.compress) {
        file_.write(local_header({}));
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
        sizes_.stored += last_block.size();
        const std::int64_t directory_at = file_.position();
        const std::string entry = directory_entry(sizes_);
        file_.write(entry);
        file_.write(end_records(std::uint64_t(directory_at), entry.size()));
        const std::string header = local_header(sizes_);
        file_.write_at(0, std::as_bytes(std::span(header)));
        file_.require_length(file_.position());
        file_.close();
    }

private:
    void add(const EncodedBlock& block) {
        file_.write(block.bytes);
        sizes_.crc = std::uint32_t(crc32_combine(sizes_.crc, block.crc, block.raw_bytes));
        sizes_.stored += block.bytes.size();
        sizes_.size += std::uint64_t(block.raw_bytes);
    }

    OutputFile& file_;
    int level_;
    Sizes sizes_;
    std::int64_t next_block_ = 0;
};

}  // namespace

std::unique_ptr<LabelWriter> create_npz(const LabelVolume& volume, OutputFiles& outputs) {
    return std::make_unique<NpzWriter>(volume, outputs.create(volume.path));
}

}  // namespace voxcc::io
