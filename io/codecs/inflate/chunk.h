// Decodes a part of a deflate stream. The start of the part and the bytes before it may be unknown.
//
//   file     |....block....|..block..|......block......|....block....|..
//   range        [begin            end)
//   decoded                [start                      end_bit)         start: found by search, or known
//   next range                      [begin                     end)     its start is searched from `begin` on, and must be end_bit
//
// The idea of markers for unknown bytes: Kerbiriou and Chikhi 2019; of searching for blocks in chunks: Knespel and Brunst 2023.
#pragma once
#include "io/codecs/inflate/block_decoder.h"
#include "io/files/checked_file.h"

#include <array>
#include <memory>

namespace voxcc::io::inflating {

/// The last bytes before a place in the decompressed data. At the start of a stream, fewer bytes are valid.
// "abc" before the place  ->  valid = 3, bytes = [..., 'a', 'b', 'c']
struct Window {
    std::array<std::uint8_t, window_bytes> bytes{};
    std::size_t valid = 0;
    /// Appends bytes at the end.
    void append(std::span<const std::uint8_t> added);
};

/// The part of a file that a chunk decodes.
struct ChunkRange {
    enum class Start : std::uint8_t { search, known };                         // known: a block that needs no window begins at `begin`
    enum class End : std::uint8_t { before_dynamic_block, at_restart_point };  // the first block end at or after `end` that fits
    std::int64_t begin = 0, end = 0;                                           // byte offsets in the file
    Start start = Start::search;
    End stop = End::before_dynamic_block;
};

/// A decoded part of the stream. The memory is reused by later ranges. Not thread-safe.
class Chunk {
public:
    Chunk();
    /// Bytes that a chunk holds at most, for ranges of at most most_compressed bytes.
    static constexpr std::int64_t most_compressed = 1 << 20, after_range = 384 << 10, storage_bytes = 6 << 20;
    static constexpr std::int64_t most_bytes = most_compressed + after_range + storage_bytes;
    /// Decodes complete blocks until the end of the range. Stops earlier if the memory is full or the data are not valid; end_bit() is then
    /// the end of the last complete block. Any bytes of the file are accepted. @throw Error io_error
    void decode(const InputFile& file, const ChunkRange& range);
    bool found() const { return blocks_ > 0; }  // at least one block was decoded
    std::int64_t start_bit() const { return start_bit_; }
    std::int64_t end_bit() const { return end_bit_; }
    bool is_last() const { return last_; }  // the last block of the stream was decoded
    bool is_full() const { return full_; }  // decoding stopped because the memory was full
    const ChunkRange& range() const { return range_; }
    /// @return whether the chunk refers to bytes before the start of the stream
    bool refers_before(const Window& window) const;
    /// The window after the chunk. @param before the window before the chunk
    void advance(Window& before) const;
    /// Replaces the markers, and computes the CRC. @param before the window before the chunk
    void resolve(const Window& before);
    /// The bytes of a resolved chunk are in two parts.
    std::span<const std::uint8_t> first() const { return {storage_.get(), marks()}; }
    std::span<const std::uint8_t> second() const;
    std::int64_t size() const { return std::int64_t(first().size() + second().size()); }
    std::uint32_t crc() const { return crc_; }

private:
    struct Sizes {
        std::size_t marks = 0, bytes = 0;  // with the windows at their start
        bool plain = false;                // whether the decoder writes bytes
    };
    struct Free {
        void operator()(std::uint8_t* memory) const;
    };
    void begin_output(ChunkRange::Start start);
    void decode_blocks(std::size_t from_bit);
    enum class Part : std::uint8_t { decoded, other };
    Part decode_part();
    BlockDecoder::Stop decode_block(BitReader& in);
    void continue_with_bytes();
    std::size_t marks() const { return sizes_.marks > window_bytes ? sizes_.marks - window_bytes : 0; }
    std::span<const Mark> last_marks() const { return {marks_.elements + sizes_.marks - window_bytes, window_bytes}; }

    std::vector<std::uint8_t> input_;
    std::unique_ptr<std::uint8_t[], Free> storage_;  // marks, then bytes
    BlockDecoder decoder_;
    ChunkRange range_;
    Output<Mark> marks_;
    Output<std::uint8_t> bytes_;
    std::size_t history_ = 0;       // bytes of the window at the start of bytes_
    std::size_t after_marker_ = 0;  // index in marks_ after the last marker
    Sizes now_, sizes_;             // now, and at the end of the last complete block
    int blocks_ = 0;
    bool last_ = false, full_ = false;
    std::int64_t start_bit_ = 0, end_bit_ = 0;  // in the file
    std::uint32_t crc_ = 0;
};

}  // namespace voxcc::io::inflating
