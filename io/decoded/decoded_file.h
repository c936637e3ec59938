// The content of a file, which can be compressed with gzip or zstd.
#pragma once
#include "io/codecs/gzip/gzip.h"
#include "io/files/file_version.h"

#include <functional>
#include <memory>
#include <optional>

namespace voxcc::io {

/// How a file is compressed, by its first bytes.
enum class FileCompression : std::uint8_t { none, gzip, zstd, zip };  // zip: a member of an archive
/// @return "none", "gzip", "zstd" or "ZIP"
std::string_view name_of(FileCompression compression);

/// A part of a file that a decoder returns: a member of an archive.
struct FilePart {
    std::int64_t offset = 0;   // of the stored bytes in the file, more than 0
    std::int64_t content = 0;  // decoded bytes
    /// Makes the decoder, which may keep the reference to the file.
    std::function<std::unique_ptr<Decoder>(const InputFile&)> open{};
};

/// A file with or without compression. Offsets count decoded bytes. Not thread-safe, except read() and read_some() of a plain file.
class DecodedFile {
public:
    /// @throw Error as InputFile; about the content if the file is empty
    explicit DecodedFile(const std::string& path, Pipes pipes = Pipes::refuse);
    /// @throw Error as InputFile; the exceptions of part.open()
    DecodedFile(const std::string& path, FilePart part);
    /// Opens the file or the part of the file once more. @return null if this is not possible, or if the file at this path is another one
    std::unique_ptr<DecodedFile> open_again() const;
    FileCompression compression() const { return compression_; }
    bool is_compressed() const { return compression_ != FileCompression::none; }
    bool is_pipe() const { return file_.is_pipe(); }
    /// Whether the content can be read in any order, and by several threads at the same time.
    bool reads_anywhere() const { return !is_compressed() && !is_pipe(); }
    /// For a pipe, as InputFile::pass_once(). Offsets must then increase.
    void pass_once() const { file_.pass_once(); }
    /// For gzip, returns to the first byte and inflates on these threads from then on.
    void inflate_on(const InflateThreads& threads);
    /// The memory that inflating on these threads needs, in bytes; 0 if the file is not gzip or is inflated by one thread.
    std::int64_t inflate_bytes(const InflateThreads& threads) const;
    const std::string& path() const { return file_.path(); }
    std::int64_t stored_bytes() const { return file_.size(); }
    const FileVersion& version() const { return version_; }
    std::int64_t position() const { return decoder_ ? decoder_->position() : 0; }  // decoded bytes so far; 0 without compression
    bool is_verified() const { return content_bytes_.has_value(); }                // whether verify_rest() has succeeded
    std::int64_t padding() const { return gzip_ ? gzip_->padding() : 0; }          // zero bytes after gzip data; after verify_rest()
    /// Upper bound of the decoded bytes: the file length, times the best ratio of the compression. A pipe has no bound.
    std::int64_t longest_content() const;
    /// Reads up to to.size() bytes; @return fewer only at the end. With compression, an offset before the last position starts again.
    /// @throw Error about the content, io_error
    std::size_t read_some(std::int64_t offset, std::span<std::byte> to);
    /// Reads exactly to.size() bytes. @throw Error about the content, io_error
    void read(std::int64_t offset, std::span<std::byte> to);
    /// With compression, reads to the end once, which verifies every checksum. Reads a pipe to its end, and nothing of a plain file.
    /// @param last the offset up to which the caller has read, for a pipe
    /// @param end the decoded bytes that are needed; a pipe must end soon after them: see PipeInput::end_at()
    /// @return decoded bytes of the file. @throw Error about the content, io_error
    std::int64_t verify_rest(std::int64_t last = 0, std::int64_t end = 0);

private:
    bool skip_to(std::int64_t offset);
    InputFile file_;
    std::shared_ptr<PipeInput> pipe_;  // of the file; null if it is not a pipe
    FileVersion version_;
    FileCompression compression_ = FileCompression::none;
    std::unique_ptr<Decoder> decoder_;           // null: not compressed
    GzipReader* gzip_ = nullptr;                 // decoder_, if it is a GzipReader
    FilePart part_;                              // for zip
    std::optional<std::int64_t> content_bytes_;  // decoded; set when the end was reached
};

}  // namespace voxcc::io
