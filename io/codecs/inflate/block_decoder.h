// Decodes the blocks of a deflate stream (RFC 1951), one after the other. The bytes before its start may be unknown.
#pragma once
#include "io/codecs/inflate/bit_reader.h"
#include "io/codecs/inflate/step_table.h"

namespace voxcc::io::inflating {

inline constexpr std::size_t window_bytes = 32768;

/// decode() needs this many free elements to continue.
inline constexpr std::size_t least_room = 528;

/// decode() may overwrite this many elements after Output::limit.
inline constexpr std::size_t overwritten = 16;

/// A decoded byte, or a marker for a byte of the unknown window before the first block.
// 0x0041: byte 0x41; 0x8000 | 5: byte 5 of the 32,768 bytes before the first block
using Mark = std::uint16_t;
inline constexpr Mark marker = 0x8000;

/// The room for decoded symbols. Matches may refer to elements from index 0 on.
template <class Element>
struct Output {
    Element* elements = nullptr;
    std::size_t size = 0;   // number of decoded elements, including the window before the first block
    std::size_t limit = 0;  // decode() stops before size exceeds limit
};

class BlockDecoder {
public:
    enum class Stop : std::uint8_t { block_end, last_block_end, output_full, input_low, error };
    /// Reads the header of a block and prepares for its content. @return false if the header is invalid or truncated
    bool begin_block(BitReader& in);
    /// Decodes until the end of the block, but stops when less than `reserve` bytes of input are left, or when the output is full. The
    /// next call continues. With reserve 0, the input is decoded to its end, and an input that ends inside the block is an error.
    /// @param out if fewer than least_room elements are free, the result is output_full
    template <class Element>
    Stop decode(BitReader& in, Output<Element>& out, std::size_t reserve);

private:
    bool begin_stored(BitReader& in);
    bool begin_dynamic(BitReader& in);
    void begin_fixed();
    template <class Element>
    Stop copy_stored(BitReader& in, Output<Element>& out, std::size_t reserve);
    Stop at_end() const { return last_ ? Stop::last_block_end : Stop::block_end; }
    DecodingTable litlen_, distance_;
    StepTable steps_;
    bool last_ = false, stored_ = false;
    std::size_t stored_left_ = 0;  // bytes
};

}  // namespace voxcc::io::inflating
