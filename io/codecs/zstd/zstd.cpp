#include "io/codecs/zstd/zstd.h"

#include <zstd.h>
#include <zstd_errors.h>
#include <new>

namespace voxcc::io {

struct ZstdReader::State {
    State() : stream(ZSTD_createDStream()) {
        if (!stream) throw std::bad_alloc();
    }
    ~State() { ZSTD_freeDStream(stream); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ZSTD_DStream* stream;
    ZSTD_inBuffer input{nullptr, 0, 0};
};

ZstdReader::ZstdReader(const InputFile& file) : file_(file), window_(ZSTD_DStreamInSize()), state_(std::make_unique<State>()) { rewind(); }

ZstdReader::~ZstdReader() = default;

void ZstdReader::rewind() {
    ZSTD_initDStream(state_->stream);
    state_->input = {window_.data(), 0, 0};
    inside_frame_ = false;
    next_read_ = position_ = last_content_ = 0;
}

void ZstdReader::fail(const std::string& cause, ErrorKind kind) const {
    const std::int64_t offset = next_read_ - std::int64_t(state_->input.size - state_->input.pos);
    throw Error(kind, file_.path(), cause + " (zstd, near byte " + std::to_string(offset) + ")");
}

// Reads compressed bytes if all earlier bytes are used. @return false at the end of the file
bool ZstdReader::refill() {
    ZSTD_inBuffer& input = state_->input;
    if (input.pos < input.size) return true;
    input.size = file_.read_some(next_read_, window_);
    input.pos = 0;
    next_read_ += std::int64_t(input.size);
    return input.size > 0;
}

std::size_t ZstdReader::read_some(std::span<std::byte> to) {
    ZSTD_outBuffer output{to.data(), to.size(), 0};
    while (output.pos < output.size) {
        const bool has_input = refill();
        if (!has_input && !inside_frame_) break;
        const std::size_t before = output.pos, used = state_->input.pos;
        const std::size_t result = ZSTD_decompressStream(state_->stream, &output, &state_->input);
        if (ZSTD_isError(result)) {
            const ZSTD_ErrorCode code = ZSTD_getErrorCode(result);
            if (code == ZSTD_error_memory_allocation) throw std::bad_alloc();
            if (code == ZSTD_error_frameParameter_windowTooLarge)
                fail("needs a window of more than 128 MiB; compress it again without --long and --ultra", ErrorKind::unsupported_file);
            fail(ZSTD_getErrorName(result), ErrorKind::corrupt_file);
        }
        inside_frame_ = result != 0;
        constexpr std::int64_t most_without_content = std::int64_t{1} << 20;  // a pipe can give skippable frames without end
        const std::int64_t at = next_read_ - std::int64_t(state_->input.size - state_->input.pos);
        if (output.pos > before) last_content_ = at;
        if (file_.is_pipe() && at - last_content_ > most_without_content)
            fail("more than 1 MiB without content follows", ErrorKind::corrupt_file);
        if (!has_input && output.pos == before && used == state_->input.pos)
            fail("ends inside the compressed data", ErrorKind::truncated_file);
    }
    position_ += std::int64_t(output.pos);
    return output.pos;
}

}  // namespace voxcc::io
