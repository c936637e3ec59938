// zstd: a sequential reader with all checks of the format.
#pragma once
#include "io/codecs/decoder.h"
#include "io/files/checked_file.h"

#include <array>
#include <memory>

namespace voxcc::io {

constexpr std::array<unsigned char, 4> zstd_magic{0x28, 0xb5, 0x2f, 0xfd};
constexpr std::int64_t best_ratio_of_zstd = 1 << 15;  // a block of 4 bytes repeats a byte 128 Ki times

/// Decompresses a zstd file from its start. Several frames are read as one stream; the checksum of each is verified. Frames that need a
/// window of more than 128 MiB are refused.
class ZstdReader final : public Decoder {
public:
    /// @param file must outlive the reader
    explicit ZstdReader(const InputFile& file);
    ~ZstdReader() override;
    std::size_t read_some(std::span<std::byte> to) override;
    void rewind() override;
    std::int64_t position() const override { return position_; }

private:
    struct State;
    bool refill();
    [[noreturn]] void fail(const std::string& cause, ErrorKind kind) const;
    const InputFile& file_;
    std::vector<std::byte> window_;
    std::unique_ptr<State> state_;
    bool inside_frame_ = false;
    std::int64_t next_read_ = 0;  // a byte offset in the file
    std::int64_t position_ = 0;
    std::int64_t last_content_ = 0;  // byte offset in the file, behind the bytes that gave the last content
};

}  // namespace voxcc::io
