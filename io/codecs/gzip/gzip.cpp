#include "io/codecs/gzip/gzip.h"
#include "io/codecs/deflate/deflate.h"
#include "io/codecs/gzip/gzip_header.h"
#include "io/codecs/inflate/parallel_inflate.h"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <zlib.h>
#include <algorithm>
#include <array>
#include <system_error>

namespace voxcc::io {
namespace {

constexpr ErrorKind cut_short = ErrorKind::truncated_file;
constexpr ErrorKind corrupt = ErrorKind::corrupt_file;

unsigned char* bytes_of(std::byte* bytes) { return reinterpret_cast<unsigned char*>(bytes); }
// isa-l and zlib declare their input as non-const but do not write to it.
unsigned char* input_of(const std::byte* bytes) { return const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(bytes)); }

Error too_short(const std::string& path, std::int64_t expected, std::int64_t got) {
    return {ErrorKind::invalid_file, path,
            "expected " + std::to_string(expected) + " bytes inside the gzip stream, got " + std::to_string(got) +
                "; the file was truncated before it was compressed"};
}

// @return the header of the first member if threads pay; empty also if the header is not valid
std::optional<GzipHeader> header_for_threads(const InputFile& file, const InflateThreads& threads) {
    if (threads.count <= 1 || file.is_pipe()) return std::nullopt;
    auto header = read_gzip_header(file);
    if (!header || !header->threads_pay()) return std::nullopt;
    const bool indexed = !header->restart_points.empty();
    const bool enough = indexed ? header->restart_points.size() >= threads.least_points && threads.count >= threads.least_count_of_index
                                : file.size() >= threads.least_file_bytes && threads.count >= threads.least_count;
    return enough ? std::move(header) : std::nullopt;
}

const char* meaning(int isal_result) {
    switch (isal_result) {
        case ISAL_INVALID_WRAPPER: return "no gzip header";
        case ISAL_UNSUPPORTED_METHOD: return "a gzip header with an unknown method of compression";
        case ISAL_INCORRECT_CHECKSUM: return "the content does not match the CRC or length stored with it";
        default: return "invalid compressed data";
    }
}

}  // namespace

std::int64_t GzipReader::bytes_for_threads(const InflateThreads& threads) const {
    return header_for_threads(file_, threads) ? inflating::ParallelInflate::memory_bytes(threads.count) : 0;
}

struct GzipReader::State {
    inflate_state inflate;
};

GzipReader::GzipReader(const InputFile& file, std::size_t window, const InflateThreads& threads)
    : file_(file), window_(window), threads_(threads), state_(std::make_unique<State>()) {
    rewind();
}

GzipReader::~GzipReader() = default;

void GzipReader::rewind() {
    isal_inflate_init(&state_->inflate);
    state_->inflate.avail_in = 0;
    at_ = At::member_start;
    next_read_ = position_ = padding_ = last_content_ = 0;
    start_threads();
}

void GzipReader::rewind(const InflateThreads& threads) {
    threads_ = threads;
    rewind();
}

void GzipReader::start_threads() {
    parallel_ = nullptr;
    const auto header = header_for_threads(file_, threads_);
    if (!header) return;
    try {
        parallel_ = std::make_unique<inflating::ParallelInflate>(
            file_, header->end, inflating::ParallelInflate::Options{threads_.count, threads_.chunk_bytes, header->restart_points});
    } catch (const std::system_error&) {
        parallel_ = nullptr;  // the system starts no threads
    }
}

// Ends the use of threads at the end of the first member, where threads no longer pay, or at the first byte that cannot be decoded. This
// thread continues: with the next member, with the same member, or again from the start, so that every error is described in one place.
std::size_t GzipReader::read_from_threads(std::span<std::byte> to) {
    const std::size_t got = parallel_->read_some(to);
    position_ += std::int64_t(got);
    if (got == to.size()) return got;
    const auto end = parallel_->end();
    const auto rest = parallel_->rest();
    const inflating::Delivered delivered = parallel_->delivered();
    parallel_ = nullptr;
    if (rest) continue_at(*rest, delivered);
    else if (end && ends_with(file_, *end)) next_read_ = end->byte + gzip_trailer_bytes;
    else inflate_again(delivered);
    return got;
}

// Inflates the rest of the member on this thread. isa-l checks the CRC and the length of the complete member.
void GzipReader::continue_at(const inflating::Place& place, const inflating::Delivered& before) {
    inflate_state& inflate = state_->inflate;
    isal_inflate_init(&inflate);
    auto window = place.window;
    isal_inflate_set_dict(&inflate, window.bytes.data() + window.bytes.size() - window.valid, std::uint32_t(window.valid));
    inflate.crc_flag = ISAL_GZIP_NO_HDR_VER;
    inflate.crc = before.crc;
    inflate.total_out = std::uint32_t(before.raw_bytes);  // modulo 2^32, as in the trailer
    inflate.avail_in = 0;
    at_ = At::inside_member;
    next_read_ = place.bit / 8;
    refill();
    const auto used_bits = unsigned(place.bit % 8);
    if (used_bits == 0 || inflate.avail_in == 0) return;
    inflate.read_in = *inflate.next_in++ >> used_bits;
    inflate.read_in_length = int(8 - used_bits);
    --inflate.avail_in;
}

// Inflates on this thread what the other threads have returned. The bytes must be equal, because the caller has received them.
void GzipReader::inflate_again(const inflating::Delivered& before) {
    const InflateThreads threads = std::exchange(threads_, {});
    rewind();
    threads_ = threads;
    std::vector<std::byte> bytes(std::size_t{1} << 16);
    inflating::Delivered again;
    while (again.raw_bytes < before.raw_bytes && at_ != At::end) {
        const auto room = std::min<std::int64_t>(before.raw_bytes - again.raw_bytes, std::int64_t(bytes.size()));
        const std::size_t got = read_some(std::span(bytes).first(std::size_t(room)));
        again.crc = crc32_gzip_refl(again.crc, bytes_of(bytes.data()), got);
        again.raw_bytes += std::int64_t(got);
    }
    if (again != before) throw Error(ErrorKind::changed_file, file_.path(), "has changed while it was read");
}

void GzipReader::fail(const std::string& cause, ErrorKind kind) const {
    const std::int64_t offset = next_read_ - std::int64_t(state_->inflate.avail_in);
    throw Error(kind, file_.path(), cause + " (gzip, near byte " + std::to_string(offset) + ")");
}

void GzipReader::refill() {
    if (state_->inflate.avail_in > 0) return;
    const std::size_t got = file_.read_some(next_read_, window_);
    state_->inflate.next_in = bytes_of(window_.data());
    state_->inflate.avail_in = std::uint32_t(got);
    next_read_ += std::int64_t(got);
}

// A pipe can give empty members or zeros without end. @param at byte offset in the file up to which nothing else was found
void GzipReader::require_content(std::int64_t at) const {
    constexpr std::int64_t most = std::int64_t{1} << 20;
    if (file_.is_pipe() && at - last_content_ > most) fail("more than 1 MiB without content follows", corrupt);
}

// Skips zeros up to the end of the file. @return false if another byte follows; the bytes in the window are then not used
bool GzipReader::skip_padding() {
    inflate_state& inflate = state_->inflate;
    const auto is_zero = [](unsigned char byte) { return byte == 0; };
    if (*inflate.next_in != 0) return false;
    std::int64_t zeros = 0;
    std::vector<std::byte> more(window_.size());
    std::span<const unsigned char> bytes(inflate.next_in, inflate.avail_in);
    for (std::int64_t at = next_read_; !bytes.empty(); at += std::int64_t(bytes.size())) {
        if (!std::ranges::all_of(bytes, is_zero)) return false;
        require_content(at);
        zeros += std::int64_t(bytes.size());
        bytes = {bytes_of(more.data()), file_.read_some(at, more)};
    }
    padding_ = zeros;
    return true;
}

void GzipReader::start_member() {
    inflate_state& inflate = state_->inflate;
    refill();
    const std::int64_t start = next_read_ - std::int64_t(inflate.avail_in);
    if (start > 0 && (inflate.avail_in == 0 || skip_padding())) {
        at_ = At::end;
        return;
    }
    require_content(start);
    isal_inflate_reset(&inflate);
    inflate.crc_flag = ISAL_GZIP;
    isal_gzip_header header;
    isal_gzip_header_init(&header);
    for (;;) {
        const int result = isal_read_gzip_header(&inflate, &header);
        if (result == ISAL_DECOMP_OK) break;
        if (result > 0) refill();
        require_content(next_read_ - std::int64_t(inflate.avail_in));
        if (result > 0 && inflate.avail_in > 0) continue;
        if (start > 0) fail("the bytes from " + std::to_string(start) + " on are not a gzip member", corrupt);
        if (result > 0) fail("ends inside a gzip header", cut_short);
        fail(meaning(result), corrupt);
    }
    at_ = At::inside_member;
}

std::size_t GzipReader::inflate(std::span<std::byte> to) {
    refill();
    inflate_state& inflate = state_->inflate;
    const auto room = std::uint32_t(std::min<std::size_t>(to.size(), std::size_t{1} << 30));
    const std::uint32_t input = inflate.avail_in;
    inflate.next_out = bytes_of(to.data());
    inflate.avail_out = room;
    const int result = isal_inflate(&inflate);
    if (result < 0) fail(meaning(result), corrupt);
    const std::size_t produced = room - inflate.avail_out;
    position_ += std::int64_t(produced);
    const std::int64_t used = next_read_ - std::int64_t(inflate.avail_in);
    if (produced > 0) last_content_ = used;
    require_content(used);
    if (inflate.block_state == ISAL_BLOCK_FINISH) {
        at_ = At::member_start;
    } else if (produced == 0 && inflate.avail_in == input) {
        if (input == 0) fail("ends inside the compressed data", cut_short);
        fail("invalid compressed data", corrupt);
    }
    return produced;
}

std::size_t GzipReader::read_some(std::span<std::byte> to) {
    std::size_t got = parallel_ ? read_from_threads(to) : 0;
    while (got < to.size() && at_ != At::end) {
        if (at_ == At::member_start) start_member();
        if (at_ == At::inside_member) got += inflate(to.subspan(got));
    }
    return got;
}

void GzipReader::read(std::span<std::byte> to) {
    const std::int64_t expected = position_ + std::int64_t(to.size());
    if (read_some(to) < to.size()) throw too_short(file_.path(), expected, position_);
}

namespace {

// One per thread. Allocating this for every block would take, with the page faults, as long as the compression.
struct Scratch {
    DeflateEncoder encoder;
    std::vector<std::byte> out;
};
Scratch& scratch() {
    thread_local const auto mine = std::make_unique<Scratch>();
    return *mine;
}

std::size_t compress_well(std::span<const std::byte> raw, int level, Scratch& s) {
    z_stream stream{};
    constexpr int raw_deflate = -15;
    if (deflateInit2(&stream, level, Z_DEFLATED, raw_deflate, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        throw Error(ErrorKind::out_of_memory, "gzip", "zlib could not start");
    stream.next_in = input_of(raw.data());
    stream.avail_in = unsigned(raw.size());
    stream.next_out = bytes_of(s.out.data());
    stream.avail_out = unsigned(s.out.size());
    // A full flush ends the block on a byte boundary and clears the window, so blocks can be joined in any combination.
    const int result = deflate(&stream, Z_FULL_FLUSH);
    const bool complete = result == Z_OK && stream.avail_in == 0 && stream.avail_out > 0;
    deflateEnd(&stream);
    if (!complete) throw Error(ErrorKind::internal, "gzip", "zlib could not compress a block");
    return s.out.size() - stream.avail_out;
}

}  // namespace

EncodedBlock encode_gzip_block(std::span<const std::byte> raw, int level) {
    if (raw.size() > std::size_t{1} << 30) throw Error(ErrorKind::internal, "gzip", "a block of more than 1 GiB");
    Scratch& s = scratch();
    s.out.resize(std::max(s.out.size(), raw.size() + raw.size() / 8 + (1 << 16)));
    // Labels (blobs of 256^3 voxels, 50 %, u8; AMD EPYC, one core, 2026-11-23), MB/s and compressed size: DeflateEncoder 857, 11.1 %;
    // zlib level 1 191, 12.5 %; level 2 176, 11.0 %; level 3 103, 9.7 %; level 6 44, 6.6 %. So zlib is used from level 3 on.
    const std::size_t size = level == 1 || level == 2 ? s.encoder.encode(raw, s.out) : compress_well(raw, level, s);
    EncodedBlock block;
    block.bytes.assign(s.out.begin(), s.out.begin() + std::ptrdiff_t(size));
    block.piece_ends = {size};
    block.crc = crc32_gzip_refl(0, input_of(raw.data()), raw.size());
    block.raw_bytes = std::int64_t(raw.size());
    return block;
}

GzipMemberWriter::GzipMemberWriter(OutputFile& file, std::int64_t raw_bytes) : file_(file), index_(std::make_unique<GzipIndex>(raw_bytes)) {
    constexpr unsigned char extra_field = 4;
    const std::array<unsigned char, 10> header{
        // deflate, time 0, system unknown
        0x1f, 0x8b, 8, index_->field_bytes() > 0 ? extra_field : static_cast<unsigned char>(0), 0, 0, 0, 0, 0, 255};
    file_.write(std::as_bytes(std::span(header)));
    index_at_ = file_.position();
    file_.write(index_->field());  // without points; finish() writes it again
    first_block_ = file_.position();
}

GzipMemberWriter::~GzipMemberWriter() = default;

void GzipMemberWriter::append(const EncodedBlock& block) {
    index_->add(file_.position() - first_block_, std::int64_t(raw_bytes_));
    file_.write(block.bytes);
    crc_ = std::uint32_t(crc32_combine(crc_, block.crc, block.raw_bytes));
    raw_bytes_ += std::uint64_t(block.raw_bytes);
}

void GzipMemberWriter::finish() {
    std::array<unsigned char, 10> end{3, 0};  // an empty final block: no earlier block is marked as final
    for (unsigned i = 0; i < 4; ++i) {
        end[2 + i] = static_cast<unsigned char>(crc_ >> 8 * i);
        end[6 + i] = static_cast<unsigned char>(raw_bytes_ >> 8 * i);
    }
    file_.write(std::as_bytes(std::span(end)));
    file_.write_at(index_at_, index_->field());
}

}  // namespace voxcc::io
