// Tests the blocks of the tables of painted parts: round trips of small and of the largest sums, and bytes that are not rows.
#include "src/parts/table_blocks.h"

#include <voxcc/error.h>

#include <doctest/doctest.h>
#include <limits>
#include <random>

using namespace voxcc;
using parts::TableRow;

namespace {

/// The sums of some voxels in a box. @param low its corner @param edge voxels along each axis
WideSums drawn_sums(std::mt19937_64& random, std::uint32_t low, std::uint32_t edge) {
    WideSums sums;
    for (int i = 0; i < 20; ++i) {
        const auto at = [&] { return std::uint32_t(low + random() % edge); };
        const std::uint32_t x = at(), y = at(), z = at();
        WideSums voxel;
        voxel.n = 1, voxel.x0 = voxel.x1 = x, voxel.y0 = voxel.y1 = y, voxel.z0 = voxel.z1 = z;
        const Moments<uint128> origin{.n = 1};
        static_cast<Moments<std::uint64_t, uint128>&>(voxel) = origin.shifted(x, y, z).as<std::uint64_t, uint128>();
        sums.add(voxel);
        if (edge == 1) break;
    }
    return sums;
}

std::vector<TableRow> drawn_rows(std::mt19937_64& random) {
    std::vector<TableRow> rows;
    std::uint64_t number = 0;
    for (int i = 0; i < 300; ++i) {
        number += 1 + random() % (i % 10 == 0 ? 1'000'000'000'000 : 3);
        const std::uint32_t edge = i % 3 == 0 ? 1 : i % 5 == 0 ? 2'000'000'000 : 12;
        const auto bit = [&] { return random() % 4 == 0; };
        rows.push_back({number,
                        i % 2 == 0 ? 0 : random(),
                        drawn_sums(random, std::uint32_t(random() % 2'000'000'000), edge),
                        {{bit(), bit(), bit()}}});
    }
    return rows;
}

std::vector<std::byte> encoded(const std::vector<TableRow>& rows) {
    parts::RowEncoder encoder(parts::WrapsOfRows::present);
    for (const TableRow& row : rows) encoder.add(row);
    CHECK(encoder.rows() == rows.size());
    return encoder.take();
}

std::vector<TableRow> decoded(std::vector<std::byte> bytes, std::size_t rows) {
    parts::RowDecoder decoder(std::move(bytes), rows, parts::WrapsOfRows::present, "file");
    std::vector<TableRow> found;
    while (decoder.rows_left() > 0) found.push_back(decoder.next());
    return found;
}

}  // namespace

TEST_CASE("table blocks: rows are read as they were written") {
    std::mt19937_64 random(5);
    const std::vector<TableRow> rows = drawn_rows(random);
    CHECK(decoded(encoded(rows), rows.size()) == rows);
}

TEST_CASE("table blocks: the largest sums") {
    TableRow row{std::numeric_limits<std::uint64_t>::max(), std::numeric_limits<std::uint64_t>::max(), {}};
    constexpr std::uint32_t last = WideSums::no_index - 1;
    row.sums.n = 2, row.sums.x0 = row.sums.y0 = row.sums.z0 = 0, row.sums.x1 = row.sums.y1 = row.sums.z1 = last;
    row.sums.x = row.sums.y = row.sums.z = last;
    for (uint128* sum : {&row.sums.xx, &row.sums.yy, &row.sums.zz, &row.sums.xy, &row.sums.xz, &row.sums.yz}) *sum = ~uint128{0};
    CHECK(decoded(encoded({row}), 1) == std::vector{row});
}

TEST_CASE("table blocks: an encoder begins again after take()") {
    std::mt19937_64 random(7);
    const std::vector<TableRow> rows = drawn_rows(random);
    parts::RowEncoder encoder(parts::WrapsOfRows::present);
    encoder.add(rows[3]);
    encoder.take();
    CHECK(encoder.rows() == 0);
    for (const TableRow& row : rows) encoder.add(row);
    CHECK(encoder.take() == encoded(rows));
}

TEST_CASE("table blocks: small components need few bytes") {
    parts::RowEncoder encoder(parts::WrapsOfRows::absent);
    std::mt19937_64 random(9);
    for (std::uint64_t i = 1; i <= 1000; ++i) encoder.add({i, 0, drawn_sums(random, std::uint32_t(i), 1)});
    CHECK(encoder.take().size() < 1000 * 8);
}

TEST_CASE("table blocks: bytes that are not rows are an error") {
    std::mt19937_64 random(11);
    const std::vector<TableRow> rows = drawn_rows(random);
    const std::vector<std::byte> bytes = encoded(rows);
    for (std::size_t size : {std::size_t(0), std::size_t(1), bytes.size() / 2, bytes.size() - 1})
        CHECK_THROWS_AS(decoded({bytes.begin(), bytes.begin() + std::ptrdiff_t(size)}, rows.size()), Error);
    std::vector<std::byte> longer = bytes;
    longer.push_back(std::byte{0});
    CHECK_THROWS_AS(decoded(longer, rows.size()), Error);
    CHECK_THROWS_AS(decoded(std::vector<std::byte>(100, std::byte{255}), 1), Error);
    CHECK_THROWS_AS(decoded(std::vector<std::byte>(100, std::byte{0}), 1), Error);  // number 0
    int errors = 0;
    for (int i = 0; i < 2000; ++i) {
        std::vector<std::byte> damaged = bytes;
        damaged[random() % damaged.size()] ^= std::byte(1 << random() % 8);
        try {
            decoded(damaged, rows.size());
        } catch (const Error& error) {
            CHECK(error.kind() == ErrorKind::corrupt_file);
            ++errors;
        }
    }
    CHECK(errors > 0);
}
