#include "io/codecs/zip/zip_member_reader.h"

#include "io/codecs/zip/zip_fields.h"

#include <isa-l/crc.h>
#include <zlib.h>
#include <algorithm>
#include <new>

namespace voxcc::io {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 18;

class ZipMemberReader final : public Decoder {
public:
    ZipMemberReader(const InputFile& file, const ZipMember& member) : file_(file), member_(member), input_(buffer_bytes) {
        constexpr int raw_deflate = -MAX_WBITS;
        if (inflateInit2(&stream_, raw_deflate) != Z_OK) throw std::bad_alloc();
    }
    ~ZipMemberReader() override { inflateEnd(&stream_); }

    std::size_t read_some(std::span<std::byte> to) override {
        const auto wanted = std::size_t(std::min<std::int64_t>(std::int64_t(to.size()), member_.size - position_));
        std::size_t got = 0;
        while (got < wanted) {
            const std::size_t n = member_.method == 0 ? copy(to.subspan(got, wanted - got)) : inflate_some(to.subspan(got, wanted - got));
            crc_ = crc32_gzip_refl(crc_, reinterpret_cast<unsigned char*>(to.data() + got), n);
            got += n;
            position_ += std::int64_t(n);
        }
        if (position_ == member_.size && !is_checked_) check_end();
        return got;
    }
    void rewind() override {
        inflateReset(&stream_);
        stream_.avail_in = 0;
        used_ = position_ = 0;
        crc_ = 0;
        has_ended_ = is_checked_ = false;
    }
    std::int64_t position() const override { return position_; }

private:
    [[noreturn]] void fail(ErrorKind kind, const std::string& cause) const {
        throw Error(kind, file_.path(), "'" + member_.name + "' " + cause);
    }

    std::size_t copy(std::span<std::byte> to) {
        file_.read(member_.offset + used_, to);
        used_ += std::int64_t(to.size());
        return to.size();
    }

    std::size_t inflate_some(std::span<std::byte> to) {
        if (has_ended_) fail(ErrorKind::corrupt_file, "has fewer bytes than the archive states");
        refill();
        const auto room = uInt(std::min<std::size_t>(to.size(), std::size_t{1} << 30));
        stream_.next_out = reinterpret_cast<Bytef*>(to.data());
        stream_.avail_out = room;
        const int result = ::inflate(&stream_, Z_NO_FLUSH);
        if (result == Z_MEM_ERROR) throw std::bad_alloc();
        if (result == Z_BUF_ERROR && stream_.avail_in == 0) fail(ErrorKind::truncated_file, "ends inside its compressed data");
        if (result != Z_OK && result != Z_STREAM_END)
            fail(ErrorKind::corrupt_file, std::string("is corrupt: ") + (stream_.msg ? stream_.msg : "invalid compressed data"));
        has_ended_ = result == Z_STREAM_END;
        return room - stream_.avail_out;
    }

    void refill() {
        if (stream_.avail_in > 0) return;
        const auto wanted = std::size_t(std::min<std::int64_t>(std::int64_t(input_.size()), member_.stored - used_));
        file_.read(member_.offset + used_, std::span(input_).first(wanted));
        used_ += std::int64_t(wanted);
        stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
        stream_.avail_in = uInt(wanted);
    }

    void check_end() {
        std::array<std::byte, 1> more{};
        // The end of the deflate stream can follow the last byte.
        while (member_.method != 0 && !has_ended_)
            if (inflate_some(more) > 0) fail(ErrorKind::corrupt_file, "has more bytes than the archive states");
        if (used_ - std::int64_t(stream_.avail_in) != member_.stored) fail(ErrorKind::corrupt_file, "has bytes after its compressed data");
        if (crc_ != member_.crc) fail(ErrorKind::corrupt_file, "does not match the CRC stored with it");
        is_checked_ = true;
    }

    const InputFile& file_;
    ZipMember member_;
    std::vector<std::byte> input_;
    z_stream stream_{};
    std::int64_t used_ = 0;      // stored bytes that were read
    std::int64_t position_ = 0;  // decoded bytes that were returned
    std::uint32_t crc_ = 0;
    bool has_ended_ = false, is_checked_ = false;
};

}  // namespace

std::unique_ptr<Decoder> open_zip_member(const InputFile& file, const ZipMember& member) {
    if (member.method != 0 && member.method != zip::deflate_method)
        throw Error(ErrorKind::unsupported_file, file.path(),
                    "'" + member.name + "' is compressed with method " + std::to_string(member.method) +
                        " of ZIP; only stored and deflated members are read");
    return std::make_unique<ZipMemberReader>(file, member);
}

}  // namespace voxcc::io
