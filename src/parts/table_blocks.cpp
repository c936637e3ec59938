#include "src/parts/table_blocks.h"

#include <voxcc/error.h>

#include <algorithm>
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

/// @param m relative to the corner of the bounding box
template <class Number>
void append_moments(const Moments<Number>& m, std::vector<std::byte>& to) {
    for (const Number sum : {m.x, m.y, m.z, m.xx, m.yy, m.zz, m.xy, m.xz, m.yz}) append(sum, to);
}

/// Sums with these moments and the bounding box of others.
WideSums with_moments(const Moments<uint128>& moments, const WideSums& box) {
    return {moments.as<std::uint64_t, uint128>(), box.x0, box.y0, box.z0, box.x1, box.y1, box.z1};
}

}  // namespace

void RowEncoder::add(const TableRow& row, const std::array<std::int64_t, 3>& corner) {
    const WideSums& s = row.sums;
    append(row.number - std::exchange(last_number_, row.number), bytes_);
    append(row.value, bytes_);
    append(s.n, bytes_);
    const std::array low{s.x0, s.y0, s.z0};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto place = std::uint32_t(low[axis] + corner[axis]);
        append_difference(place, std::exchange(last_corner_[axis], place), bytes_);
    }
    ++rows_;
    if (s.n > 1) append_edges_and_moments(s);
    if (wraps_ == WrapsOfRows::present) {
        const auto& [x, y, z] = row.wraps.axes;
        append(std::uint64_t(x) | std::uint64_t(y) << 1 | std::uint64_t(z) << 2, bytes_);
    }
}

void RowEncoder::append_edges_and_moments(const WideSums& s) {
    const std::array low{s.x0, s.y0, s.z0}, high{s.x1, s.y1, s.z1};
    std::uint64_t longest = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        append(high[axis] - low[axis], bytes_);
        longest = std::max<std::uint64_t>(longest, high[axis] - low[axis]);
    }
    // Sums relative to the corner of the box are at most n * longest^2. All intermediate results are exact modulo 2^bits.
    if (uint128(s.n) * longest >> 64 == 0 && uint128(s.n * longest) * longest >> 64 == 0)
        append_moments(s.as<std::uint64_t>().shifted(-std::uint64_t(s.x0), -std::uint64_t(s.y0), -std::uint64_t(s.z0)), bytes_);
    else append_moments(s.as<uint128>().shifted(-uint128(s.x0), -uint128(s.y0), -uint128(s.z0)), bytes_);
}

std::vector<std::byte> RowEncoder::take() {
    std::vector<std::byte> bytes = std::move(bytes_);
    *this = RowEncoder(wraps_);
    return bytes;
}

RowDecoder::RowDecoder(std::vector<std::byte> bytes, std::uint64_t rows, WrapsOfRows wraps, std::string subject)
    : bytes_(std::move(bytes)), rows_left_(rows), wraps_(wraps), subject_(std::move(subject)) {}

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
    const std::uint64_t wraps = wraps_ == WrapsOfRows::present ? number() : 0;
    if (wraps > 7) fail();
    row.wraps = {{(wraps & 1) != 0, (wraps & 2) != 0, (wraps & 4) != 0}};
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
