#include "io/codecs/inflate/serial_decoder.h"

#include <algorithm>

namespace voxcc::io::inflating {
namespace {

constexpr std::size_t input_bytes = 1 << 18, output_bytes = 1 << 18;
constexpr std::size_t header_bytes = 512;  // more than the longest block header, and more than a match

}  // namespace

SerialDecoder::SerialDecoder(const InputFile& file) : file_(file), buffer_(window_bytes + output_bytes + overwritten) {}

void SerialDecoder::start_at(const Place& place) {
    at_ = At::block_start;
    std::copy(place.window.bytes.end() - std::ptrdiff_t(place.window.valid), place.window.bytes.end(), buffer_.begin());
    output_ = {buffer_.data(), place.window.valid, window_bytes + output_bytes};
    first_ = output_.size;
    read_input(place.bit);
}

void SerialDecoder::read_input(std::int64_t from_bit) {
    input_begin_ = from_bit / 8;
    input_.resize(input_bytes);
    input_.resize(file_.read_some(input_begin_, std::as_writable_bytes(std::span(input_))));
    in_ = BitReader(input_, std::min(std::size_t(from_bit % 8), input_.size() * 8));
}

void SerialDecoder::keep_window() {
    const std::size_t kept = std::min(output_.size, window_bytes);
    std::copy(buffer_.begin() + std::ptrdiff_t(output_.size - kept), buffer_.begin() + std::ptrdiff_t(output_.size), buffer_.begin());
    first_ = output_.size = kept;
}

SerialDecoder::Stop SerialDecoder::decode() {
    keep_window();
    // Not the size of the file, because the file may become shorter while it is read.
    const auto at_file_end = [&] { return input_.size() < input_bytes; };
    if (in_.fewer_left_than(header_bytes) && !at_file_end()) read_input(bit());
    if (at_ == At::block_start && !decoder_.begin_block(in_)) return Stop::error;
    at_ = At::inside_block;
    for (;;) {
        switch (decoder_.decode(in_, output_, at_file_end() ? 0 : header_bytes)) {
            case BlockDecoder::Stop::output_full: return Stop::full;
            case BlockDecoder::Stop::input_low: read_input(bit()); break;
            case BlockDecoder::Stop::error: return Stop::error;
            case BlockDecoder::Stop::block_end: at_ = At::block_start; return Stop::block_end;
            case BlockDecoder::Stop::last_block_end: at_ = At::block_start; return Stop::last_block_end;
        }
    }
}

Place SerialDecoder::place() const {
    Place place{bit(), {}};
    place.window.append({buffer_.data(), output_.size});
    return place;
}

}  // namespace voxcc::io::inflating
