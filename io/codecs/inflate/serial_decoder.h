// Decodes a deflate stream from a known place on, with one thread and little memory.
#pragma once
#include "io/codecs/inflate/chunk.h"

namespace voxcc::io::inflating {

/// Where decoding stands at the end of a block.
struct Place {
    std::int64_t bit = 0;  // in the file
    Window window;         // the bytes before
};

/// Not thread-safe.
class SerialDecoder {
public:
    /// @param file must outlive the decoder
    explicit SerialDecoder(const InputFile& file);
    /// Continues at the end of a block.
    void start_at(const Place& place);
    enum class Stop : std::uint8_t { full, block_end, last_block_end, error };
    /// Decodes until the end of the block, or until about 256 kB are decoded; the result is then in bytes(). @throw Error io_error
    Stop decode();
    std::span<const std::uint8_t> bytes() const { return {buffer_.data() + first_, output_.size - first_}; }
    /// The index of the next bit in the file.
    std::int64_t bit() const { return input_begin_ * 8 + std::int64_t(in_.position()); }
    /// Only after the end of a block.
    Place place() const;

private:
    void read_input(std::int64_t from_bit);
    void keep_window();
    const InputFile& file_;
    std::vector<std::uint8_t> input_, buffer_;
    std::int64_t input_begin_ = 0;  // byte offset in the file
    BitReader in_;
    BlockDecoder decoder_;
    Output<std::uint8_t> output_;
    std::size_t first_ = 0;  // in buffer_, of the bytes that decode() returned last
    enum class At : std::uint8_t { block_start, inside_block } at_ = At::block_start;
};

}  // namespace voxcc::io::inflating
