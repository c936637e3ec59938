// gzip: a sequential reader with all checks of the format, and a writer whose blocks are compressed on any thread.
#pragma once
#include "io/codecs/decoder.h"
#include "io/codecs/encoded_block.h"
#include "io/files/checked_file.h"

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
/// The limits are tuned: lab/notebook/inflate-threads.md
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
/// thread-safe. Every function throws Error about the content if the stream is corrupt or truncated. Other bytes after it are an error,
/// too, except zeros up to the end of the file.
class GzipReader final : public Decoder {
public:
    /// @param file must outlive the reader
    /// @param window bytes of the buffer for compressed data
    /// @param threads how the first member is inflated
    explicit GzipReader(const InputFile& file, std::size_t window = std::size_t{1} << 18, const InflateThreads& threads = {});
    ~GzipReader() override;
    std::size_t read_some(std::span<std::byte> to) override;
    /// Decompresses exactly to.size() bytes. @throw Error invalid_file "expected N bytes, got M"
    void read(std::span<std::byte> to);
    void rewind() override;
    /// Returns to the first byte, and uses these threads from then on.
    void rewind(const InflateThreads& threads);
    std::int64_t position() const override { return position_; }
    /// Zero bytes after the last member, which blocks of a tape or of a copy leave. Known when the end was reached.
    std::int64_t padding() const { return padding_; }
    /// The memory that inflating on these threads needs, in bytes; 0 if one thread inflates.
    std::int64_t bytes_for_threads(const InflateThreads& threads) const;

private:
    enum class At { member_start, inside_member, end };
    struct State;
    void start_member();
    bool skip_padding();
    void require_content(std::int64_t at) const;
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
    std::int64_t padding_ = 0;
    std::int64_t last_content_ = 0;  // byte offset in the file, behind the bytes that gave the last content
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
