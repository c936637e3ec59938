#include "io/decoded/decoded_file.h"

#include "io/codecs/zstd/zstd.h"
#include "io/files/pipe_input.h"

#include <algorithm>
#include <array>
#include <limits>

namespace voxcc::io {
namespace {

std::string empty_cause(const InputFile& file) {
    return file.is_pipe() ? "the pipe is empty; check the command that writes to it" : "the file is empty";
}

FileCompression compression_of(const InputFile& file) {
    std::array<unsigned char, 4> magic{};
    const std::size_t got = file.read_some(0, std::as_writable_bytes(std::span(magic)));
    if (got == 0) throw Error(ErrorKind::invalid_file, file.path(), empty_cause(file));
    if (magic[0] == 0x1f && magic[1] == 0x8b) return FileCompression::gzip;
    return magic == zstd_magic ? FileCompression::zstd : FileCompression::none;
}

}  // namespace

std::string_view name_of(FileCompression compression) {
    switch (compression) {
        case FileCompression::none: return "none";
        case FileCompression::gzip: return "gzip";
        case FileCompression::zstd: return "zstd";
        case FileCompression::zip: return "ZIP";
    }
    return "";
}

std::int64_t Decoder::drain() {
    const std::int64_t before = position();
    std::vector<std::byte> scratch(std::size_t{1} << 16);
    while (read_some(scratch) == scratch.size()) {
    }
    return position() - before;
}

DecodedFile::DecodedFile(const std::string& path, Pipes pipes)
    : file_(path, pipes),
      pipe_(is_pipe() ? PipeInput::of(path) : nullptr),
      version_(version_of(file_)),
      compression_(compression_of(file_)) {
    if (compression_ == FileCompression::gzip) {
        auto gzip = std::make_unique<GzipReader>(file_);
        gzip_ = gzip.get();
        decoder_ = std::move(gzip);
    }
    if (compression_ == FileCompression::zstd) decoder_ = std::make_unique<ZstdReader>(file_);
}

DecodedFile::DecodedFile(const std::string& path, FilePart part)
    : file_(path),
      version_(version_of(file_, part.offset)),
      compression_(FileCompression::zip),
      decoder_(part.open(file_)),
      part_(std::move(part)) {}

std::unique_ptr<DecodedFile> DecodedFile::open_again() const {
    std::unique_ptr<DecodedFile> again;
    try {
        again = part_.open ? std::make_unique<DecodedFile>(path(), part_) : std::make_unique<DecodedFile>(path(), Pipes::read);
    } catch (const Error&) {  // the file was removed or replaced, but is still open
    }
    return again && again->version() == version_ ? std::move(again) : nullptr;
}

void DecodedFile::inflate_on(const InflateThreads& threads) {
    if (gzip_) gzip_->rewind(threads);
}

std::int64_t DecodedFile::inflate_bytes(const InflateThreads& threads) const { return gzip_ ? gzip_->bytes_for_threads(threads) : 0; }

std::int64_t DecodedFile::longest_content() const {
    constexpr std::int64_t best_of_deflate = 1032;  // 258 bytes from 2 bits
    if (compression_ == FileCompression::zip) return part_.content;
    std::int64_t bytes = file_.size(), ratio = 1;
    if (compression_ == FileCompression::gzip) ratio = best_of_deflate;
    if (compression_ == FileCompression::zstd) ratio = best_ratio_of_zstd;
    if (__builtin_mul_overflow(bytes, ratio, &bytes)) bytes = std::numeric_limits<std::int64_t>::max();
    return bytes;
}

std::size_t DecodedFile::read_some(std::int64_t offset, std::span<std::byte> to) {
    if (!decoder_) return file_.read_some(offset, to);
    if (offset < decoder_->position()) decoder_->rewind();
    return skip_to(offset) ? decoder_->read_some(to) : 0;
}

void DecodedFile::read(std::int64_t offset, std::span<std::byte> to) {
    if (!decoder_) return file_.read(offset, to);
    if (read_some(offset, to) == to.size()) return;
    throw Error(ErrorKind::invalid_file, path(),
                "expected " + std::to_string(offset + std::int64_t(to.size())) + " bytes inside the " + std::string(name_of(compression_)) +
                    " stream, got " + std::to_string(decoder_->position()) + "; the file was truncated before it was compressed");
}

std::int64_t DecodedFile::verify_rest(std::int64_t last, std::int64_t end) {
    if (content_bytes_) return *content_bytes_;
    if (decoder_) {
        skip_to(end);
        if (pipe_) pipe_->end_here();
        decoder_->drain();
    } else if (pipe_) {
        pipe_->end_at(end);
    }
    content_bytes_ = decoder_ ? decoder_->position() : is_pipe() ? last + file_.drain(last) : file_.size();
    return *content_bytes_;
}

/// Decodes up to an offset. @return whether the content has so many bytes
bool DecodedFile::skip_to(std::int64_t offset) {
    constexpr std::int64_t most = 1 << 16;
    std::vector<std::byte> skipped(std::size_t(std::clamp<std::int64_t>(offset - decoder_->position(), 0, most)));
    while (decoder_->position() < offset) {
        const auto step = std::min<std::size_t>(skipped.size(), std::size_t(offset - decoder_->position()));
        if (decoder_->read_some({skipped.data(), step}) < step) return false;
    }
    return true;
}

}  // namespace voxcc::io
