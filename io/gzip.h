// gzip: a sequential reader with all checks of the format, and a writer whose blocks are compressed on any thread.
#pragma once
#include "io/checked_file.h"
#include "io/io.h"

#include <memory>
#include <optional>

namespace voxcc::io {

class GzipIndex;
namespace inflating {
class ParallelInflate;
struct Delivered;
struct Place;
}  // namespace inflating

/// Threads that inflate a gzip member, if the member is long enough. Otherwise the calling thread inflates.
/// The limits are tuned: docs/experiments/inflate-threads.md
struct InflateThreads {
    int count = 1;
    // For files without an index of restart points:
    int least_count = 4;
    std::int64_t least_file_bytes = std::int64_t{4} << 20;
    // For files with an index. The writer makes one point per 4 MiB of content, or fewer.
    int least_count_of_index = 2;
    std::size_t least_points = 8;
    std::int64_t chunk_bytes = std::int64_t{1} << 20;  // compressed bytes per piece of work without an index, at most 1 MiB
};

/// Decompresses a gzip file from its start. Several members are read as one stream; the CRC and length of each are checked. Not
/// thread-safe. Every function throws Error about the content if the stream is corrupt, truncated, or followed by bytes that are not a gzip
/// member.
class GzipReader {
public:
    /// @param file must outlive the reader
    /// @param window bytes of the buffer for compressed data
    /// @param threads how the first member is inflated
    explicit GzipReader(const InputFile& file, std::size_t window = std::size_t{1} << 18, const InflateThreads& threads = {});
    ~GzipReader();
    GzipReader(const GzipReader&) = delete;
    GzipReader& operator=(const GzipReader&) = delete;
    /// Decompresses up to to.size() bytes. @return bytes; fewer than to.size() only at the end of the stream, which is then verified
    std::size_t read_some(std::span<std::byte> to);
    /// Decompresses exactly to.size() bytes. @throw Error invalid_file "expected N bytes, got M"
    void read(std::span<std::byte> to);
    /// Decompresses, checks and discards the rest of the stream. @return decompressed bytes
    std::int64_t drain();
    /// Returns to the first byte.
    void rewind();
    /// Returns to the first byte, and uses these threads from then on.
    void rewind(const InflateThreads& threads);
    std::int64_t position() const { return position_; }  // decompressed bytes returned so far

private:
    enum class At { member_start, inside_member, end };
    struct State;
    void start_member();
    void start_threads();
    std::size_t read_from_threads(std::span<std::byte> to);
    void continue_at(const inflating::Place& place, const inflating::Delivered& before);
    void inflate_again(const inflating::Delivered& before);
    std::size_t inflate(std::span<std::byte> to);
    void refill();
    [[noreturn]] void fail(const std::string& cause, ErrorKind kind) const;
    const InputFile& file_;
    std::vector<std::byte> window_;
    InflateThreads threads_;
    std::unique_ptr<inflating::ParallelInflate> parallel_;  // null: this thread inflates
    std::unique_ptr<State> state_;                          // state of isa-l, 100 kB
    At at_ = At::member_start;
    std::int64_t next_read_ = 0;  // of the next read, a byte offset in the file
    std::int64_t position_ = 0;
};

/// A file with or without gzip compression, recognised by its first two bytes. Offsets count decompressed bytes. Not thread-safe, except
/// read() and read_some() of a plain file.
class PlainOrGzipFile {
public:
    /// @throw Error as InputFile; about the content if the file is empty
    explicit PlainOrGzipFile(const std::string& path, Pipes pipes = Pipes::refuse);
    bool is_gzip() const { return gzip_ != nullptr; }
    bool is_pipe() const { return file_.is_pipe(); }
    /// For a pipe, as InputFile::pass_once(). Offsets must then increase.
    void pass_once() const { file_.pass_once(); }
    /// For gzip, returns to the first byte and inflates on these threads from then on.
    void inflate_on(const InflateThreads& threads);
    /// The memory that inflating on these threads needs, in bytes; 0 if the file is not gzip or is inflated by one thread.
    std::int64_t inflate_bytes(const InflateThreads& threads) const;
    const std::string& path() const { return file_.path(); }
    std::int64_t stored_bytes() const { return file_.size(); }
    /// Upper bound of the decompressed bytes: the file length, times 1032 (the best ratio of deflate) for gzip. A pipe has no bound.
    std::int64_t longest_content() const;
    /// Reads up to to.size() bytes; @return fewer only at the end. For gzip, an offset before the last position restarts the decompression.
    /// @throw Error about the content, io_error
    std::size_t read_some(std::int64_t offset, std::span<std::byte> to);
    void read(std::int64_t offset, std::span<std::byte> to);
    /// For gzip, reads to the end once, which checks every CRC. Reads a pipe to its end, and nothing of a plain file.
    /// @param last the offset up to which the caller has read, for a pipe
    /// @return decompressed bytes of the file. @throw Error about the content, io_error
    std::int64_t verify_rest(std::int64_t last = 0);

private:
    InputFile file_;
    std::unique_ptr<GzipReader> gzip_;
    std::optional<std::int64_t> content_bytes_;  // decompressed; set when the end was reached
};

/// Compresses one block of a gzip member, independent of the blocks before it. Thread-safe.
/// The result depends on `raw` and `level` only: not on the thread, the run or the CPU. (At levels 0 and 3..9 it also depends on the
/// version of zlib.)
/// @param raw at most 1 GiB
/// @param level 0: stored; 1, 2: DeflateEncoder (equal results); 3..9: zlib at the same level
EncodedBlock encode_gzip_block(std::span<const std::byte> raw, int level);

/// Joins encoded blocks to one gzip member without name and time, so equal content gives equal bytes. Not thread-safe.
class GzipMemberWriter {
public:
    /// @param raw_bytes expected decompressed bytes; from 8 MiB on, the header has an index of restart points. 0: no index
    explicit GzipMemberWriter(OutputFile& file, std::int64_t raw_bytes = 0);
    ~GzipMemberWriter();
    GzipMemberWriter(const GzipMemberWriter&) = delete;
    GzipMemberWriter& operator=(const GzipMemberWriter&) = delete;
    /// Appends the next block. @throw Error io_error
    void append(const EncodedBlock& block);
    /// Writes the end of the stream, CRC and length, and the index. Does not close the file.
    void finish();

private:
    OutputFile& file_;
    std::unique_ptr<GzipIndex> index_;
    std::int64_t index_at_ = 0, first_block_ = 0;  // byte offsets in the file
    std::uint32_t crc_ = 0;
    std::uint64_t raw_bytes_ = 0;
};

}  // namespace voxcc::io
