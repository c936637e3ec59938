#include "io/codecs/inflate/chunk.h"
#include "io/codecs/inflate/block_finder.h"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <sys/mman.h>
#include <algorithm>
#include <cstdlib>
#include <new>

namespace voxcc::io::inflating {
namespace {

// One marker per byte of the unknown window.
constexpr auto unknown_window = [] {
    std::array<Mark, window_bytes> marks{};
    for (std::size_t i = 0; i < window_bytes; ++i) marks[i] = Mark(marker | i);
    return marks;
}();

std::uint8_t value_of(Mark mark, const Window& window) {
    return mark < marker ? std::uint8_t(mark) : window.bytes[mark & (window_bytes - 1)];
}

// The bytes of 8 marks. Loads 4 marks at a time and stores nothing, because loads and stores limit the speed.
// @param value the byte of each mark
std::uint64_t eight_bytes(const Mark* marks, const std::uint8_t* value) {
    std::uint64_t bytes = 0;
    for (int half = 0; half < 2; ++half) {
        std::uint64_t four;
        std::memcpy(&four, marks + 4 * half, 8);
        for (int i = 0; i < 4; ++i) bytes |= std::uint64_t{value[four >> 16 * i & 0xffff]} << (32 * half + 8 * i);
    }
    return bytes;
}

// Memory of which the first 4 MiB are on huge pages. Most parts of volumes do not reach the rest, so the rest is on small pages.
// Figures: lab/notebook/inflate-threads.md.
std::uint8_t* storage() {
    constexpr std::size_t huge_page = 2 << 20;
    static_assert(Chunk::storage_bytes % huge_page == 0);
    void* const memory = std::aligned_alloc(huge_page, std::size_t(Chunk::storage_bytes));
    if (!memory) throw std::bad_alloc();
    ::madvise(memory, 2 * huge_page, MADV_HUGEPAGE);  // only a hint, so the result is ignored
    return static_cast<std::uint8_t*>(memory);
}

std::uint32_t crc_of(std::uint32_t before, std::span<const std::uint8_t> bytes) {
    return crc32_gzip_refl(before, const_cast<std::uint8_t*>(bytes.data()), bytes.size());  // isa-l does not write to its input
}

}  // namespace

void Window::append(std::span<const std::uint8_t> added) {
    if (added.size() > window_bytes) added = added.last(window_bytes);
    std::copy(bytes.begin() + std::ptrdiff_t(added.size()), bytes.end(), bytes.begin());
    std::copy(added.begin(), added.end(), bytes.end() - std::ptrdiff_t(added.size()));
    valid = std::min(valid + added.size(), window_bytes);
}

Chunk::Chunk() : storage_(storage()) {}

void Chunk::Free::operator()(std::uint8_t* memory) const { std::free(memory); }

void Chunk::begin_output(ChunkRange::Start start) {
    blocks_ = 0;
    last_ = full_ = false;
    sizes_ = {};
    history_ = 0;
    after_marker_ = window_bytes;
    if (start == ChunkRange::Start::known) {
        now_ = {.marks = 0, .bytes = 0, .plain = true};
        bytes_ = {storage_.get(), 0, std::size_t(storage_bytes) - overwritten};
        return;
    }
    now_ = {.marks = window_bytes, .bytes = 0, .plain = false};
    marks_ = {reinterpret_cast<Mark*>(storage_.get()), window_bytes, std::size_t(storage_bytes) / 2 - window_bytes};
    std::memcpy(marks_.elements, unknown_window.data(), sizeof unknown_window);
}

void Chunk::decode(const InputFile& file, const ChunkRange& range) {
    range_ = range;
    input_.resize(std::size_t(std::clamp<std::int64_t>(file.size() - range.begin, 0, range.end - range.begin + after_range)));
    input_.resize(file.read_some(range.begin, std::as_writable_bytes(std::span(input_))));
    begin_output(range.start);
    if (range.stop == ChunkRange::End::at_restart_point && decode_part() == Part::decoded) return;
    if (range.start == ChunkRange::Start::known) return decode_blocks(0);
    const auto end = std::size_t(range.end - range.begin) * 8;
    for (auto bit = find_dynamic_block(input_, 0, end); bit && !found(); bit = find_dynamic_block(input_, *bit + 1, end)) {
        BitReader in(input_, *bit);
        if (!decoder_.begin_block(in)) continue;
        begin_output(range.start);
        decode_blocks(*bit);
    }
}

// Decodes a part between restart points with isa-l, which is faster than decode_blocks().
// @return other, and leaves the output empty, if the part does not consist of complete blocks that need no window and are not the last
Chunk::Part Chunk::decode_part() {
    const auto part_bytes = std::size_t(range_.end - range_.begin);
    if (input_.size() <= part_bytes) return Part::other;
    thread_local const auto state = std::make_unique<inflate_state>();
    isal_inflate_init(state.get());
    state->next_in = input_.data();
    state->avail_in = std::uint32_t(part_bytes);
    state->next_out = bytes_.elements;
    state->avail_out = std::uint32_t(bytes_.limit);
    if (isal_inflate(state.get()) != ISAL_DECOMP_OK || state->avail_out == 0 || state->avail_in > 0) return Part::other;
    const bool between_blocks = state->block_state == ISAL_BLOCK_NEW_HDR || state->block_state == ISAL_BLOCK_HDR;
    if (!between_blocks || state->read_in_length > 0 || state->tmp_in_size > 0) return Part::other;
    bytes_.size = bytes_.limit - state->avail_out;
    now_.bytes = bytes_.size;
    sizes_ = now_;
    blocks_ = 1;
    start_bit_ = range_.begin * 8;
    end_bit_ = range_.end * 8;
    return Part::decoded;
}

void Chunk::decode_blocks(std::size_t from_bit) {
    BitReader in(input_, from_bit);
    const auto end = std::size_t(range_.end - range_.begin) * 8;
    start_bit_ = end_bit_ = range_.begin * 8 + std::int64_t(from_bit);
    while (decoder_.begin_block(in)) {
        const BlockDecoder::Stop stop = decode_block(in);
        full_ = stop == BlockDecoder::Stop::output_full;
        last_ = stop == BlockDecoder::Stop::last_block_end;
        if (!last_ && stop != BlockDecoder::Stop::block_end) return;
        ++blocks_;
        sizes_ = now_;
        end_bit_ = range_.begin * 8 + std::int64_t(in.position());
        if (last_) return;
        in.refill();
        if (in.position() >= end && (range_.stop == ChunkRange::End::at_restart_point || begins_dynamic_block(in.peek()))) return;
    }
}

BlockDecoder::Stop Chunk::decode_block(BitReader& in) {
    constexpr std::size_t step = window_bytes;
    const std::size_t most_marks = marks_.limit;
    while (!now_.plain) {
        const std::size_t before = marks_.size;
        marks_.limit = std::min(most_marks, before + step + least_room);
        const BlockDecoder::Stop stop = decoder_.decode(in, marks_, 0);
        marks_.limit = most_marks;
        now_.marks = marks_.size;
        for (std::size_t i = marks_.size; i > before; --i)
            if (marks_.elements[i - 1] >= marker) {
                after_marker_ = i;
                break;
            }
        if (stop != BlockDecoder::Stop::output_full || marks_.size + 2 * least_room > most_marks) return stop;
        if (marks_.size - after_marker_ >= window_bytes) continue_with_bytes();
    }
    const BlockDecoder::Stop stop = decoder_.decode(in, bytes_, 0);
    now_.bytes = bytes_.size;
    return stop;
}

// The last 32,768 marks are bytes, so all later symbols are bytes.
void Chunk::continue_with_bytes() {
    std::uint8_t* const begin = storage_.get() + marks_.size * sizeof(Mark);
    std::copy_n(marks_.elements + marks_.size - window_bytes, window_bytes, begin);
    history_ = window_bytes;
    bytes_ = {begin, window_bytes, std::size_t(storage_.get() + storage_bytes - begin) - overwritten};
    now_ = {.marks = marks_.size, .bytes = window_bytes, .plain = true};
}

std::span<const std::uint8_t> Chunk::second() const {
    if (!sizes_.plain) return {};
    return {bytes_.elements + history_, sizes_.bytes - history_};
}

bool Chunk::refers_before(const Window& window) const {
    if (window.valid == window_bytes || sizes_.marks == 0) return false;
    const auto is_before = [&](Mark mark) { return mark >= marker && (mark & (window_bytes - 1)) < window_bytes - window.valid; };
    return std::any_of(marks_.elements + window_bytes, marks_.elements + sizes_.marks, is_before);
}

void Chunk::advance(Window& before) const {
    if (sizes_.plain) return before.append({bytes_.elements, sizes_.bytes});
    Window after;
    std::ranges::transform(last_marks(), after.bytes.begin(), [&](Mark mark) { return value_of(mark, before); });
    after.valid = std::min(before.valid + marks(), window_bytes);
    before = after;
}

void Chunk::resolve(const Window& before) {
    // A table instead of a comparison: markers come at random, so the branch would be predicted badly.
    std::vector<std::uint8_t> value(std::size_t{1} << 16);
    for (std::size_t byte = 0; byte < 256; ++byte) value[byte] = std::uint8_t(byte);
    std::copy(before.bytes.begin(), before.bytes.end(), value.begin() + marker);
    // In place: the bytes of the marks from i on are stored before mark i.
    constexpr std::size_t step = 8;
    std::size_t i = window_bytes;
    for (; i + step <= sizes_.marks; i += step) {
        const std::uint64_t bytes = eight_bytes(marks_.elements + i, value.data());
        std::memcpy(storage_.get() + i - window_bytes, &bytes, step);
    }
    for (; i < sizes_.marks; ++i) storage_[i - window_bytes] = value[marks_.elements[i]];
    crc_ = crc_of(crc_of(0, first()), second());
}

}  // namespace voxcc::io::inflating
