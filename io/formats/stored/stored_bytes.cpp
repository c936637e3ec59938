#include "io/formats/stored/stored_bytes.h"

#include "io/shared_by_formats.h"

#include <bzlib.h>
#include <zlib.h>
#include <algorithm>
#include <array>
#include <utility>

namespace voxcc::io {
namespace {

constexpr std::int64_t buffer_bytes = std::int64_t{1} << 18;

/// Voxels without compression, which another reader does not read in any order.
class RawBytes final : public StoredBytes {
public:
    explicit RawBytes(const StoredVolume& volume) : StoredBytes(volume) {}

private:
    std::size_t decode(std::span<std::byte> to) override {
        std::size_t got = 0;
        while (got < to.size() && refill()) {
            const auto some = unread_.first(std::min(unread_.size(), to.size() - got));
            std::ranges::copy(some, to.begin() + std::ptrdiff_t(got));
            unread_ = unread_.subspan(some.size());
            got += some.size();
        }
        return got;
    }
    void restart() override {}
    std::int64_t check_end() override { return is_pipe() ? unused_bytes() : 0; }  // check_length() has compared the length of a file
};

/// A stream of a compression library. Some formats consist of several streams, one after the other.
class CompressedBytes : public StoredBytes {
public:
    std::int64_t check_end() override {
        std::array<std::byte, 1> more{};
        // Reading one more byte makes the library check the checksum and length after the stream.
        if (decode(more) != 0) throw Error(ErrorKind::invalid_file, path(), "its compressed voxels are more than the header claims");
        if (!consists_of_streams()) return unused_bytes();
        const std::int64_t zeros = skip_zeros(), left = unused_bytes();
        if (left > 0) throw Error(ErrorKind::corrupt_file, path(), "its last " + std::to_string(left) + " bytes are not compressed voxels");
        return zeros;
    }

protected:
    using StoredBytes::StoredBytes;
    struct Step {
        std::size_t used = 0, made = 0;  // bytes
        bool at_end = false;             // of a stream
    };
    /// Decodes a part of `from`. @throw Error if it is corrupt
    virtual Step step(std::span<const std::byte> from, std::span<std::byte> to) = 0;
    virtual void start_stream() = 0;
    /// Whether the data are streams up to their end. Otherwise, they are one stream, which states its own end.
    virtual bool consists_of_streams() const = 0;
    virtual std::byte first_of_stream() const = 0;
    Error no_memory() const { return {ErrorKind::out_of_memory, path(), "no memory to decompress"}; }
    Error corrupt(const std::string& cause) const {
        return {ErrorKind::invalid_file, path(), "its compressed voxels are corrupt: " + cause};
    }
    std::size_t decode(std::span<std::byte> to) override {
        constexpr std::size_t most = std::size_t{1} << 30;  // the libraries count bytes in 32 bits
        std::size_t got = 0;
        while (got < to.size() && !ended_) {
            if (!refill()) throw Error(ErrorKind::truncated_file, path(), "its compressed voxels end too early");
            const Step done = step(unread_, to.subspan(got, std::min(to.size() - got, most)));
            unread_ = unread_.subspan(done.used);
            got += done.made;
            if (done.at_end) next_stream();
        }
        return got;
    }
    void restart() override {
        ended_ = false;
        start_stream();
    }

private:
    /// Skips the zeros that programs add after the last stream. @return their number
    std::int64_t skip_zeros() {
        std::int64_t zeros = 0;
        for (; refill() && unread_.front() == std::byte{0}; ++zeros) unread_ = unread_.subspan(1);
        return zeros;
    }
    void next_stream() {
        ended_ = !consists_of_streams() || !refill() || unread_.front() != first_of_stream();
        if (!ended_) start_stream();
    }
    bool ended_ = false;
};

class DeflateBytes : public CompressedBytes {
public:
    explicit DeflateBytes(const StoredVolume& volume) : CompressedBytes(volume) {
        constexpr int zlib_or_gzip = 32;
        if (inflateInit2(&stream_, MAX_WBITS + zlib_or_gzip) != Z_OK) throw no_memory();
        is_gzip_ = refill() && unread_.front() == first_of_stream();
    }
    ~DeflateBytes() override { inflateEnd(&stream_); }

private:
    Step step(std::span<const std::byte> from, std::span<std::byte> to) override {
        stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(from.data()));
        stream_.avail_in = uInt(from.size());
        stream_.next_out = reinterpret_cast<Bytef*>(to.data());
        stream_.avail_out = uInt(to.size());
        const int result = inflate(&stream_, Z_NO_FLUSH);
        if (result == Z_MEM_ERROR) throw no_memory();
        if (result != Z_OK && result != Z_STREAM_END) throw corrupt(stream_.msg ? stream_.msg : "invalid stream");
        return {from.size() - stream_.avail_in, to.size() - stream_.avail_out, result == Z_STREAM_END};
    }
    void start_stream() override { inflateReset(&stream_); }
    bool consists_of_streams() const override { return is_gzip_; }
    std::byte first_of_stream() const override { return std::byte{0x1f}; }

    z_stream stream_{};
    bool is_gzip_ = false;
};

class Bzip2Bytes : public CompressedBytes {
public:
    explicit Bzip2Bytes(const StoredVolume& volume) : CompressedBytes(volume) { open(); }
    ~Bzip2Bytes() override { BZ2_bzDecompressEnd(&stream_); }

private:
    void open() {
        if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw no_memory();
    }
    Step step(std::span<const std::byte> from, std::span<std::byte> to) override {
        stream_.next_in = const_cast<char*>(reinterpret_cast<const char*>(from.data()));  // the library does not write to it
        stream_.avail_in = unsigned(from.size());
        stream_.next_out = reinterpret_cast<char*>(to.data());
        stream_.avail_out = unsigned(to.size());
        const int result = BZ2_bzDecompress(&stream_);
        if (result == BZ_MEM_ERROR) throw no_memory();
        if (result == BZ_DATA_ERROR_MAGIC) throw corrupt("this is not a bzip2 stream");
        if (result != BZ_OK && result != BZ_STREAM_END) throw corrupt("wrong checksum or invalid bzip2 stream");
        return {from.size() - stream_.avail_in, to.size() - stream_.avail_out, result == BZ_STREAM_END};
    }
    void start_stream() override {
        BZ2_bzDecompressEnd(&stream_);
        stream_ = {};
        open();
    }
    bool consists_of_streams() const override { return true; }
    std::byte first_of_stream() const override { return std::byte{'B'}; }

    bz_stream stream_{};
};

}  // namespace

StoredBytes::StoredBytes(const StoredVolume& volume)
    : volume_(volume),
      file_(volume.data_path, volume.source),
      pipe_(file_.is_pipe() ? PipeInput::of(file_.path()) : nullptr),
      version_(version_of(file_, volume.offset)),
      end_(file_.is_pipe() ? file_.size() : volume.offset + volume.stored),
      at_(volume.offset),
      input_(std::size_t(buffer_bytes)),
      sink_(std::size_t(buffer_bytes)) {}

void StoredBytes::read(std::span<std::byte> to) {
    const std::int64_t before = std::exchange(position_, unknown);
    if (decode(to) < to.size()) throw Error(ErrorKind::wrong_size, path(), "its voxels end too early");
    position_ = before + std::int64_t(to.size());
}

void StoredBytes::skip(std::int64_t bytes) {
    for (; bytes > 0; bytes -= std::min(bytes, buffer_bytes)) read(std::span(sink_).first(std::size_t(std::min(bytes, buffer_bytes))));
}

std::int64_t StoredBytes::finish() {
    if (pipe_) pipe_->end_here();
    const std::int64_t left = check_end();
    is_verified_ = true;
    return left;
}

// Numbers become voxels of the type in the header. Headers can also state other lengths, which verify_end() compares.
bool StoredBytes::decodes_as(const KeptDecoder& other) const {
    const StoredVolume& its = static_cast<const StoredBytes&>(other).volume_;
    return volume_.info.type == its.info.type && volume_.stored == its.stored && volume_.lead == its.lead &&
           total_bytes(volume_) == total_bytes(its);
}

std::unique_ptr<KeptDecoder> StoredBytes::open_again() const {
    std::unique_ptr<StoredBytes> again;
    try {
        again = stored_bytes(volume_);
    } catch (const Error&) {  // the file was removed or replaced, but is still open
    }
    return again && again->version() == version_ ? std::move(again) : nullptr;
}

std::optional<std::string> StoredBytes::verify_end() {
    if (position_ == unknown) rewind();
    skip(volume_.lead + total_bytes(volume_) - position_);
    const std::int64_t left = finish();
    return left > 0 ? std::optional(ignored_bytes(left, "the voxels")) : std::nullopt;
}

void StoredBytes::rewind() {
    at_ = volume_.offset;
    position_ = 0;
    unread_ = {};
    restart();
}

bool StoredBytes::refill() {
    if (!unread_.empty()) return true;
    const std::size_t got = file_.read_some(at_, std::span(input_).first(std::size_t(std::min(buffer_bytes, end_ - at_))));
    at_ += std::int64_t(got);
    unread_ = std::span(input_).first(got);
    return got > 0;
}

std::int64_t StoredBytes::unused_bytes() const {
    const std::int64_t end = file_.is_pipe() ? at_ + file_.drain(at_) : end_;
    return std::int64_t(unread_.size()) + end - at_;
}

std::unique_ptr<StoredBytes> stored_bytes(const StoredVolume& volume) {
    if (is_text(volume.encoding)) return bytes_of_text(volume);
    if (volume.encoding == Encoding::raw) return std::make_unique<RawBytes>(volume);
    if (volume.encoding == Encoding::bzip2) return std::make_unique<Bzip2Bytes>(volume);
    return std::make_unique<DeflateBytes>(volume);
}

}  // namespace voxcc::io
