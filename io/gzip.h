// gzip, read in sequence with every check the format allows, and written as one member of blocks that threads compress on their own.
#pragma once
#include "io/checked_file.h"
#include "io/io.h"

#include <memory>

namespace voxcc::io {

/// Inflates a gzip file from its start. Several members follow each other without a seam; CRC and length of each are checked.
/// Every function throws Error bad_data where the stream is corrupt, cut short, or followed by bytes that are no gzip member.
class GzipReader {
public:
    /// @param file outlives the reader
    /// @param window compressed bytes held in memory
    explicit GzipReader(const InputFile& file, std::size_t window = std::size_t{1} << 18);
    ~GzipReader();
    GzipReader(const GzipReader&) = delete;
    GzipReader& operator=(const GzipReader&) = delete;
    /// Inflates up to to.size() bytes; fewer only at the end of the stream, which has then been verified.
    std::size_t read_some(std::span<std::byte> to);
    /// Inflates exactly to.size() bytes. @throw Error bad_data "expected N bytes, got M"
    void read(std::span<std::byte> to);
    /// Inflates and checks the rest of the stream, and throws it away. @return its bytes
    std::int64_t drain();
    /// Starts again at the first byte.
    void rewind();
    std::int64_t position() const { return position_; }  // inflated bytes handed out

private:
    enum class At { member_start, inside_member, end };
    struct State;
    void start_member();
    std::size_t inflate(std::span<std::byte> to);
    void refill();
    [[noreturn]] void fail(const std::string& cause, const std::string& remedy) const;
    const InputFile& file_;
    std::vector<std::byte> window_;
    std::unique_ptr<State> state_;  // isa-l's, 100 kB
    At at_ = At::member_start;
    std::int64_t next_read_ = 0;  // offset in the file
    std::int64_t position_ = 0;
};

/// A file that is gzip or is not, as its first bytes say. Offsets count the bytes inside.
class PlainOrGzipFile {
public:
    /// @throw Error as InputFile; bad_data if the file is empty
    explicit PlainOrGzipFile(const std::string& path);
    bool is_gzip() const { return gzip_ != nullptr; }
    const std::string& path() const { return file_.path(); }
    std::int64_t stored_bytes() const { return file_.size(); }
    /// No content is longer: the length if plain, what deflate can reach at its best (1:1032) if gzip.
    std::int64_t longest_content() const;
    /// Reads to.size() bytes; fewer only at the end. In gzip, going back costs inflating from the start.
    std::size_t read_some(std::int64_t offset, std::span<std::byte> to);
    void read(std::int64_t offset, std::span<std::byte> to);
    /// gzip: reads on to the end, so that every CRC is checked, once only. Plain: nothing to check.
    void verify_rest();

private:
    InputFile file_;
    std::unique_ptr<GzipReader> gzip_;
    enum class Rest { unknown, verified } rest_ = Rest::unknown;
};

/// Compresses one block of a gzip member, independent of the blocks before it, so that any thread can. Thread-safe.
/// The bytes depend on `raw` and `level` alone (and on isa-l's choice of kernel for the CPU at levels 1 and 2).
/// @param level 0: stored; 1, 2: isa-l; 3..9: zlib of that level
EncodedBlock encode_gzip_block(std::span<const std::byte> raw, int level);

/// Puts encoded blocks together to one gzip member without name or time: equal content gives equal bytes.
class GzipMemberWriter {
public:
    explicit GzipMemberWriter(OutputFile& file);
    void append(const EncodedBlock& block);
    /// Writes the end of the stream, CRC and length. The file stays open.
    void finish();

private:
    OutputFile& file_;
    std::uint32_t crc_ = 0;
    std::uint64_t raw_bytes_ = 0;
};

}  // namespace voxcc::io
