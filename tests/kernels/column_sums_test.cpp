// Tests sums over columns of a block-row against sums that are added voxel by voxel, for every instruction set.
#include "kernels3d/simd/row_sums.h"

#include "kernels/instruction_sets.h"
#include "kernels/sanitized.h"

#include <doctest/doctest.h>

#include <random>

using namespace voxcc;
using namespace voxcc::block_runs;

namespace {

constexpr std::int64_t row_words = 9;

/// Four rows, and the words after them that may be read. On average, one of 2^sparse bits is set.
std::vector<std::uint64_t> random_rows(std::mt19937_64& random, int sparse) {
    std::vector<std::uint64_t> rows(4 * row_words + 8);
    for (std::uint64_t& word : rows) {
        word = ~std::uint64_t{0};
        for (int i = 0; i < sparse; ++i) word &= random();
    }
    return rows;
}

/// The expected sums of the columns [begin, end) of all rows, with x relative to `origin`.
template <int RY, int RZ>
ColumnSums voxel_by_voxel(const BitRows& rows, std::int64_t begin, std::int64_t end, std::int64_t origin) {
    ColumnSums s;
    for (std::int64_t column = begin; column < end; ++column)
        for (int r = 0; r < RY * RZ; ++r)
            if (rows.bits[r * rows.stride + column / 64] >> column % 64 & 1) {
                const auto x = std::uint64_t(column - origin);
                s.n += 1, s.x += x, s.xx += x * x;
                if (r % RY) s.ny += 1, s.xy += x;
                if (r / RY) s.nz += 1, s.xz += x;
                if (r % RY && r / RY) s.nyz += 1;
                s.last = column - origin;
            }
    return s;
}

bool same(const ColumnSums& a, const ColumnSums& b) {
    return a.n == b.n && a.ny == b.ny && a.nz == b.nz && a.nyz == b.nyz && a.x == b.x && a.xy == b.xy && a.xz == b.xz && a.xx == b.xx;
}

template <int RY, int RZ>
void check_rows(const std::vector<std::uint64_t>& bits, Isa isa) {
    const BitRows rows{bits.data(), row_words};
    constexpr std::uint64_t all = ~std::uint64_t{0};
    for (int shift = 0; shift < 64; ++shift)
        for (int columns = 1; columns <= 64; ++columns) {
            const Window window{rows, shift, all >> (64 - columns)};
            const ColumnSums want = voxel_by_voxel<RY, RZ>(rows, shift, shift + columns, shift);
            if (!same(window_sums<RY, RZ>(window, isa), want)) FAIL_CHECK("window of " << columns << " columns from " << shift);
            if (columns > 2) continue;
            const NearSums two = sums_of_two_columns<RY, RZ>(window), near = want.near_sums<RY, RZ>();
            CHECK(two.template at<std::uint64_t>({}) == near.template at<std::uint64_t>({}));
        }
    for (std::int64_t begin = 0; begin < 64; begin += sanitized ? 9 : 1)
        for (std::int64_t length = 1; begin + length <= row_words * 64; length += length < 300 ? 1 : 7) {
            const std::int64_t end = begin + length, words = (end + 63) / 64;
            const ColumnSums want = voxel_by_voxel<RY, RZ>(rows, begin, end, 0);
            const ColumnSums got = column_sums<RY, RZ>({rows, words, all << begin, all >> (words * 64 - end)}, isa);
            if (!same(got, want) || (want.n && got.last != want.last)) FAIL_CHECK("columns " << begin << " to " << end);
        }
}

}  // namespace

TEST_CASE("sums of columns: windows and ranges of words, every instruction set") {
    constexpr std::uint64_t seed = 20261122;
    INFO("seed " << seed);
    std::mt19937_64 random(seed);
    for (const int sparse : {0, 1, 2, 5, 64})
        for (const Isa isa : instruction_sets()) {
            const std::vector<std::uint64_t> rows = random_rows(random, sparse);
            check_rows<1, 1>(rows, isa);
            check_rows<2, 1>(rows, isa);
            check_rows<2, 2>(rows, isa);
        }
}

TEST_CASE("sums of columns: full words over a complete range, the largest sums") {
    const std::vector<std::uint64_t> bits(std::size_t(WordRange::most) * 4 + 8, ~std::uint64_t{0});
    const std::uint64_t columns = std::uint64_t(WordRange::most) * 64, sum = columns * (columns - 1) / 2;
    const std::uint64_t squares = sum * (2 * columns - 1) / 3;
    for (const Isa isa : instruction_sets()) {
        const ColumnSums s = column_sums<2, 2>({{bits.data(), WordRange::most}, WordRange::most, bits[0], bits[0]}, isa);
        CHECK(s.n == 4 * columns);
        CHECK(s.nyz == columns);
        CHECK(s.x == 4 * sum);
        CHECK(s.xy == 2 * sum);
        CHECK(s.xx == 4 * squares);
        CHECK(s.last == std::int64_t(columns) - 1);
    }
}
