#include "io/text/stored_volume.h"

#include "io/formats.h"
#include "io/samples.h"

#include <zlib.h>
#include <algorithm>

namespace voxcc::io {
namespace {

constexpr std::int64_t buffer_bytes = std::int64_t{1} << 18;
constexpr std::int64_t deflate_limit = 1032;  // largest expansion factor of deflate

/// Sequential access to the bytes of a compressed range. Not thread-safe.
class DeflateSource {
public:
    explicit DeflateSource(const StoredVolume& volume)
        : file_(volume.data_path, volume.source),
          offset_(volume.offset),
          end_(file_.is_pipe() ? file_.size() : offset_ + volume.stored),
          at_(offset_),
          input_(std::size_t(buffer_bytes)),
          sink_(std::size_t(buffer_bytes)) {
        constexpr int zlib_or_gzip = 32;
        if (inflateInit2(&stream_, MAX_WBITS + zlib_or_gzip) != Z_OK) throw no_memory();
        is_gzip_ = file_.read_some(offset_, std::span(input_).first(1)) == 1 && input_[0] == std::byte(gzip_magic);
    }
    ~DeflateSource() { inflateEnd(&stream_); }
    DeflateSource(const DeflateSource&) = delete;
    DeflateSource& operator=(const DeflateSource&) = delete;

    /// Reads the next to.size() decoded bytes. @throw Error about the content
    void read(std::span<std::byte> to) {
        if (decode(to) < to.size()) throw Error(ErrorKind::wrong_size, file_.path(), "its compressed voxels end too early");
    }
    void skip(std::int64_t bytes) {
        for (; bytes > 0; bytes -= std::min(bytes, buffer_bytes)) read(std::span(sink_).first(std::size_t(std::min(bytes, buffer_bytes))));
    }
    /// Checks after the last voxel that the data end there.
    /// @return stored bytes after the end of the data, which were not read. @throw Error about the content
    std::int64_t finish() {
        // Reading one more byte makes zlib check the checksum and length after the stream.
        if (decode(std::span(sink_).first(1)) != 0)
            throw Error(ErrorKind::invalid_file, file_.path(), "its compressed voxels are more than the header claims");
        const std::int64_t end = file_.is_pipe() ? at_ + file_.drain(at_) : end_, left = stream_.avail_in + end - at_;
        // A gzip stream consists of members up to its end. A zlib stream states its own end.
        if (left > 0 && is_gzip_)
            throw Error(ErrorKind::corrupt_file, file_.path(),
                        "the bytes from " + std::to_string(end - left) + " on are not a gzip member");
        return left;
    }
    void pass_once() const { file_.pass_once(); }
    void rewind() {
        at_ = offset_;
        inflateReset(&stream_);
        stream_.avail_in = 0;
        ended_ = false;
    }
    /// Decodes up to to.size() bytes. @return bytes; fewer only at the end of the stream. @throw Error about the content
    std::size_t decode(std::span<std::byte> to) {
        std::size_t got = 0;
        while (got < to.size() && !ended_) {
            if (stream_.avail_in == 0) fill();
            stream_.next_out = reinterpret_cast<Bytef*>(to.data() + got);
            const std::size_t wanted = std::min<std::size_t>(to.size() - got, 1u << 30);
            stream_.avail_out = uInt(wanted);
            const int result = inflate(&stream_, Z_NO_FLUSH);
            got += wanted - stream_.avail_out;
            if (result == Z_STREAM_END) next_member();
            else if (result == Z_MEM_ERROR) throw no_memory();
            else if (result != Z_OK)
                throw Error(ErrorKind::invalid_file, file_.path(),
                            std::string("its compressed voxels are corrupt: ") + (stream_.msg ? stream_.msg : "invalid stream"));
        }
        return got;
    }

private:
    Error no_memory() const { return {ErrorKind::out_of_memory, file_.path(), "no memory to decompress"}; }
    void fill() {
        if (fill_some() == 0) throw Error(ErrorKind::truncated_file, file_.path(), "its compressed voxels end too early");
    }
    // @return the bytes that were read; 0 at the end
    std::size_t fill_some() {
        const std::size_t got = file_.read_some(at_, std::span(input_).first(std::size_t(std::min(buffer_bytes, end_ - at_))));
        at_ += std::int64_t(got);
        stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
        stream_.avail_in = uInt(got);
        return got;
    }
    // A gzip file can contain several consecutive members.
    void next_member() {
        if (stream_.avail_in == 0) fill_some();
        ended_ = !is_gzip_ || stream_.avail_in == 0 || *stream_.next_in != gzip_magic;
        if (!ended_) inflateReset(&stream_);
    }

    static constexpr Bytef gzip_magic = 0x1f;  // the first byte of each member
    InputFile file_;
    std::int64_t offset_, end_, at_;
    std::vector<std::byte> input_, sink_;
    z_stream stream_{};
    bool is_gzip_ = false;
    bool ended_ = false;
};

/// How the samples of a volume are stored, and their conversion to voxels.
class StoredSamples {
public:
    explicit StoredSamples(const StoredVolume& volume)
        : order_(volume.byte_order), samples_(volume.samples), bytes_(samples_ == Samples::halves ? 2 : size_of(volume.info.type)) {}
    std::int64_t bytes() const { return bytes_; }  // per sample
    /// Converts samples in place. @param to the stored samples; must have room for all voxels. @param count of samples
    void to_voxels(std::byte* to, std::int64_t count) const {
        const std::span stored(to, std::size_t(count * bytes_));
        if (order_ != std::endian::native) swap_samples(stored, bytes_);
        if (samples_ == Samples::halves) halves_to_floats(stored, to);
    }

private:
    std::endian order_;
    Samples samples_;
    std::int64_t bytes_;
};

/// Voxels without compression. read_rows() is thread-safe.
class PlainReader : public VolumeReader {
public:
    PlainReader(StoredVolume volume, std::int64_t index) : file_(volume.data_path, volume.source), samples_(volume) {
        info_ = std::move(volume.info);
        row_bytes_ = info_.extent.nx * samples_.bytes();
        start_ = volume.offset + volume.lead + index * row_bytes_ * info_.extent.rows();
        end_ = volume.offset + volume.lead + info_.volumes * row_bytes_ * info_.extent.rows();
    }
    void read_rows(RowRange rows, std::byte* to) override {
        const std::int64_t offset = start_ + rows.first * row_bytes_;
        file_.read(offset, {to, std::size_t(rows.count * row_bytes_)});
        samples_.to_voxels(to, rows.count * info_.extent.nx);
        if (file_.is_pipe() && rows.end() == info_.extent.rows()) check_end(offset + rows.count * row_bytes_);
    }
    // check_length() has compared the length of a file.
    bool reads_anywhere() const override { return !file_.is_pipe(); }
    void rewind() override {}
    void read_once() override { file_.pass_once(); }

private:
    void check_end(std::int64_t last) {
        const std::int64_t bytes = last + file_.drain(last);
        if (bytes < end_)
            throw Error(ErrorKind::truncated_file, info_.path, "expected " + std::to_string(end_) + " bytes, got " + std::to_string(bytes));
        if (bytes > end_ && !end_checked_) info_.warnings.push_back(ignored_bytes(bytes - end_, "the voxels"));
        end_checked_ = true;
    }

    InputFile file_;
    StoredSamples samples_;
    std::int64_t row_bytes_ = 0;        // of stored samples
    std::int64_t start_ = 0, end_ = 0;  // byte offsets of the volume, and after the last volume
    bool end_checked_ = false;
};

class DeflateReader : public VolumeReader {
public:
    DeflateReader(StoredVolume volume, std::int64_t index) : samples_(volume), source_(volume) {
        info_ = std::move(volume.info);
        row_bytes_ = info_.extent.nx * samples_.bytes();
        before_ = volume.lead + index * row_bytes_ * info_.extent.rows();
        after_ = (info_.volumes - 1 - index) * row_bytes_ * info_.extent.rows();
    }
    void read_rows(RowRange rows, std::byte* to) override {
        if (rows.first != next_row_) throw Error(ErrorKind::internal, info_.path, "rows were not asked for in order");
        if (rows.first == 0) source_.skip(before_);
        source_.read({to, std::size_t(rows.count * row_bytes_)});
        samples_.to_voxels(to, rows.count * info_.extent.nx);
        next_row_ = rows.end();
        if (next_row_ < info_.extent.rows()) return;
        source_.skip(after_);
        const std::int64_t left = source_.finish();
        if (left > 0 && !end_checked_) info_.warnings.push_back(ignored_bytes(left, "the voxels"));
        end_checked_ = true;
    }
    void read_once() override { source_.pass_once(); }
    void rewind() override {
        source_.rewind();
        next_row_ = 0;
    }

private:
    StoredSamples samples_;
    DeflateSource source_;
    bool end_checked_ = false;
    std::int64_t row_bytes_ = 0, before_ = 0, after_ = 0, next_row_ = 0;
};

}  // namespace

std::int64_t total_bytes(const StoredVolume& volume) {
    const VolumeInfo& info = volume.info;
    const std::int64_t one_volume = checked_bytes(info.extent, StoredSamples(volume).bytes(), info.path);
    return checked_bytes({info.volumes, 1, 1}, one_volume, info.path);
}

void locate_after_header(StoredVolume& volume, const InputFile& file, std::int64_t header_end) {
    volume.data_path = file.path();
    volume.offset = header_end;
    volume.stored = std::max<std::int64_t>(0, file.size() - header_end);
    volume.source = file.is_pipe() ? Pipes::read : Pipes::refuse;
}

void check_length(StoredVolume& volume) {
    VolumeInfo& info = volume.info;
    std::int64_t needed = total_bytes(volume);
    if (__builtin_add_overflow(needed, volume.lead, &needed))
        throw Error(ErrorKind::invalid_file, info.path, "the header claims more than 2^63 bytes of voxels");
    if (volume.source == Pipes::read) return;
    const std::string have = "the header claims " + std::to_string(needed) + " bytes of voxels, there are " + std::to_string(volume.stored);
    if (volume.encoding == Encoding::deflate) {
        if (volume.stored <= 0 || needed / deflate_limit > volume.stored)
            throw Error(ErrorKind::wrong_size, volume.data_path, have + " compressed ones");
        return;
    }
    if (volume.stored < needed) throw Error(ErrorKind::wrong_size, volume.data_path, have);
    if (volume.stored > needed) info.warnings.push_back(ignored_bytes(volume.stored - needed, "the voxels"));
}

std::unique_ptr<VolumeReader> open_stored(StoredVolume volume, const OpenOptions& options) {
    const std::int64_t index = chosen_volume(volume.info, options);
    if (volume.encoding == Encoding::raw) return std::make_unique<PlainReader>(std::move(volume), index);
    return std::make_unique<DeflateReader>(std::move(volume), index);
}

}  // namespace voxcc::io
