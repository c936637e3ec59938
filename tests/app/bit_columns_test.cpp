// Columns of rows of bits that several threads set at the same time.
#include "src/pipeline/bit_columns.h"

#include <doctest/doctest.h>

#include <array>
#include <latch>
#include <random>
#include <thread>

using namespace voxcc;

namespace {

struct Columns {
    std::int64_t x, count;
};

/// Pieces of at most `longest` columns that cover a row, in a random order.
std::vector<Columns> random_pieces(std::int64_t nx, std::int64_t longest, std::mt19937& random) {
    std::vector<Columns> pieces;
    for (std::int64_t x = 0, count; x < nx; x += count) {
        count = std::min(std::int64_t(random()) % longest + 1, nx - x);
        pieces.push_back({x, count});
    }
    std::ranges::shuffle(pieces, random);
    return pieces;
}

}  // namespace

TEST_CASE("threads set neighbouring columns of a row") {
    constexpr int threads = 4;
    std::mt19937 random(7);
    for (int round = 0; round < 100; ++round) {
        const std::int64_t nx = std::int64_t(random()) % 20000 + 1;
        std::vector<std::uint8_t> expected(static_cast<std::size_t>(nx));
        for (std::uint8_t& bit : expected) bit = std::uint8_t(random() & 1);
        const std::vector<Columns> pieces = random_pieces(nx, std::array{3, 70, 64, 300}[random() % 4], random);
        std::vector<std::uint64_t> row(std::size_t(words_of(nx)));
        std::atomic<std::size_t> next{0};
        std::latch start(threads);
        {
            std::vector<std::jthread> workers;
            for (int worker = 0; worker < threads; ++worker)
                workers.emplace_back([&] {
                    start.arrive_and_wait();
                    for (std::size_t at = next++; at < pieces.size(); at = next++) {
                        const auto [x, count] = pieces[at];
                        set_columns(row.data(), nx, x, count, [&](std::uint64_t* bits) {
                            std::fill_n(bits, words_of(count), 0);
                            for (std::int64_t i = 0; i < count; ++i)
                                bits[i / 64] |= std::uint64_t{expected[std::size_t(x + i)]} << (i % 64);
                        });
                    }
                });
        }
        std::vector<std::uint8_t> found;
        for (std::int64_t x = 0; x < nx; ++x) found.push_back(row[std::size_t(x / 64)] >> (x % 64) & 1);
        REQUIRE(found == expected);
        for (std::int64_t x = nx; x % 64 != 0; ++x) REQUIRE((row.back() >> (x % 64) & 1) == 0);
    }
}
