#include "src/parts/table_blocks.h"

#include <voxcc/error.h>

#include <utility>

namespace voxcc::parts {
namespace {

template <class Number>
void append(Number number, std::vector<std::byte>& to) {
    for (; number >= 128; number >>= 7) to.push_back(std::byte(std::uint8_t(number) | 128));
    to.push_back(std::byte(number));
}

void append_difference(std::uint32_t number, std::uint32_t last, std::vector<std::byte>& to) {
    const std::int64_t difference = std::int64_t(number) - std::int64_t(last);
    append(std::uint64_t(difference < 0 ? -2 * difference - 1 : 2 * difference), to);
}

/// Sums with these moments and the bounding box of others.
WideSums with_moments(const Moments<uint128>& moments, const WideSums& box) {
    return {moments.as<std::uint64_t, uint128>(), box.x0, box.y0, box.z0, box.x1, box.y1, box.z1};
}

}  // namespace

void RowEncoder::add(const TableRow& row) {
    const WideSums& s = row.sums;
    append(row.number - last_.number, bytes_);
    append(row.value, bytes_);
    append(s.n, bytes_);
    append_difference(s.x0, last_.sums.x0, bytes_);
    append_difference(s.y0, last_.sums.y0, bytes_);
    append_difference(s.z0, last_.sums.z0, bytes_);
    last_ = row;
    ++rows_;
    if (s.n == 1) return;
    for (const auto& [low, high] : {std::pair{s.x0, s.x1}, {s.y0, s.y1}, {s.z0, s.z1}}) append(high - low, bytes_);
    const auto m = s.as<uint128>().shifted(-uint128(s.x0), -uint128(s.y0), -uint128(s.z0));
    for (const uint128 sum : {m.x, m.y, m.z, m.xx, m.yy, m.zz, m.xy, m.xz, m.yz}) {
        if (sum >> 64 == 0) append(std::uint64_t(sum), bytes_);
        else append(sum, bytes_);
    }
}

std::vector<std::byte> RowEncoder::take() {
    std::vector<std::byte> bytes = std::move(bytes_);
    *this = {};
    return bytes;
}

RowDecoder::RowDecoder(std::vector<std::byte> bytes, std::uint64_t rows, std::string subject)
    : bytes_(std::move(bytes)), rows_left_(rows), subject_(std::move(subject)) {}

TableRow RowDecoder::next() {
    TableRow row;
    WideSums& s = row.sums;
    row.number = last_.number + number();
    row.value = number();
    s.n = number();
    s.x0 = moved_by(last_.sums.x0), s.y0 = moved_by(last_.sums.y0), s.z0 = moved_by(last_.sums.z0);
    Moments<uint128> m{.n = s.n};
    if (s.n == 1) {
        s.x1 = s.x0, s.y1 = s.y0, s.z1 = s.z0;
    } else {
        s.x1 = edge(s.x0), s.y1 = edge(s.y0), s.z1 = edge(s.z0);
        for (uint128* sum : {&m.x, &m.y, &m.z, &m.xx, &m.yy, &m.zz, &m.xy, &m.xz, &m.yz}) *sum = wide_number();
    }
    row.sums = with_moments(m.shifted(s.x0, s.y0, s.z0), s);
    --rows_left_;
    if (row.number <= last_.number || s.n == 0 || (rows_left_ == 0 && at_ != bytes_.size())) fail();
    last_ = row;
    return row;
}

std::uint64_t RowDecoder::number() {
    const uint128 wide = wide_number();
    if (wide >> 64 != 0) fail();
    return std::uint64_t(wide);
}

uint128 RowDecoder::wide_number() {
    uint128 number = 0;
    for (int shift = 0; shift < 128; shift += 7) {
        if (at_ == bytes_.size()) fail();
        const auto byte = std::uint8_t(bytes_[at_++]);
        number |= uint128(byte & 127) << shift;
        if (byte < 128) return number;
    }
    fail();
}

std::uint32_t RowDecoder::moved_by(std::uint32_t last) {
    const std::uint64_t coded = number();
    if (coded >> 33 != 0) fail();
    const std::int64_t moved = std::int64_t(last) + (coded % 2 == 0 ? std::int64_t(coded / 2) : -std::int64_t(coded / 2) - 1);
    if (moved < 0 || moved > std::int64_t(WideSums::no_index)) fail();
    return std::uint32_t(moved);
}

std::uint32_t RowDecoder::edge(std::uint32_t low) {
    const std::uint64_t length = number();
    if (length > WideSums::no_index - low) fail();
    return low + std::uint32_t(length);
}

void RowDecoder::fail() const { throw Error(ErrorKind::corrupt_file, subject_, "has bytes in its table that are not rows"); }

}  // namespace voxcc::parts
