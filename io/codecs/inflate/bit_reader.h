// Reads the bits of a deflate stream, lowest bit first.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace voxcc::io::inflating {

/// Does not check the end of the bytes while bits are read: bits after the end are 0, and overrun() states that they were read.
class BitReader {
public:
    BitReader() = default;
    /// @param bit first bit to read; at most 8 * bytes.size()
    BitReader(std::span<const std::uint8_t> bytes, std::size_t bit) : bytes_(bytes), next_(bit / 8) {
        refill();
        take(unsigned(bit % 8));
    }
    /// Afterwards, peek() has at least 56 bits.
    void refill() {
        if (has_bytes(8)) return refill_inside();
        for (; count_ <= 55; count_ += 8, ++next_)
            if (next_ < bytes_.size()) bits_ |= std::uint64_t{bytes_[next_]} << count_;
    }
    /// Does what refill() does. has_bytes(8) must be true.
    void refill_inside() {
        std::uint64_t word;
        std::memcpy(&word, bytes_.data() + next_, 8);
        bits_ |= word << count_;
        next_ += std::size_t(63 - count_) / 8;
        count_ |= 56;
    }
    /// @return whether `bytes` bytes follow the bytes that a refill has read
    bool has_bytes(std::size_t bytes) const { return next_ + bytes <= bytes_.size(); }
    std::uint64_t peek() const { return bits_; }
    void skip(unsigned count) {
        bits_ >>= count;
        count_ -= int(count);
    }
    /// @param count at most 56 since the last refill()
    std::uint32_t take(unsigned count) {
        const auto value = std::uint32_t(bits_ & ((std::uint64_t{1} << count) - 1));
        skip(count);
        return value;
    }
    /// Index of the next bit.
    std::size_t position() const { return next_ * 8 - std::size_t(count_); }
    bool overrun() const { return next_ > bytes_.size() && position() > bytes_.size() * 8; }
    /// @return whether fewer than about `bytes` bytes are left, at most 8 bytes early; false for 0
    bool fewer_left_than(std::size_t bytes) const { return bytes > 0 && !has_bytes(bytes); }
    /// Moves to the next byte boundary. @return the bytes from there on
    std::span<const std::uint8_t> align() {
        const std::size_t byte = (position() + 7) / 8;
        *this = BitReader(bytes_, byte < bytes_.size() ? byte * 8 : bytes_.size() * 8);
        return bytes_.subspan(byte < bytes_.size() ? byte : bytes_.size());
    }
    /// Moves by bytes. The position must be a byte boundary.
    void skip_bytes(std::size_t bytes) { *this = BitReader(bytes_, position() + bytes * 8); }

private:
    std::span<const std::uint8_t> bytes_;
    std::size_t next_ = 0;    // byte
    std::uint64_t bits_ = 0;  // bits from count_ on may be set; they then agree with the bytes from next_ on
    int count_ = 0;           // number of bits that were taken from the bytes before next_
};

}  // namespace voxcc::io::inflating
