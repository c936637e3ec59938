// Tests the comparison of rows of values, for every instruction set, against the definition in compare.h, voxel by voxel.
#include "kernels3d/simd/compare.h"

#include "kernels/instruction_sets.h"
#include "kernels/rows.h"
#include "kernels/sanitized.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

using namespace voxcc;
using block_runs::Comparison;

namespace {

constexpr std::uint64_t unwritten = 0x5555'aaaa'5555'aaaa;

/// Bounds of within_row(): ordinary bounds, the complete range, the ends of the range, and an empty range.
template <class T>
std::vector<std::pair<T, T>> bounds() {
    using L = std::numeric_limits<T>;
    std::vector<std::pair<T, T>> bounds{{T(0), T(1)},           {L::lowest(), L::max()}, {T(L::lowest() + 1), T(L::max() - 1)},
                                        {L::max(), L::max()},   {L::lowest(), T(0)},     {T(1), L::max()},
                                        {L::max(), L::lowest()}};
    if constexpr (std::is_floating_point_v<T>)
        for (const auto& pair : {std::pair{-L::infinity(), L::infinity()}, {T(-0.0), T(0)}, {T(0), L::quiet_NaN()}}) bounds.push_back(pair);
    return bounds;
}

/// A row that begins `offset` values into its memory. It ends with its memory, so that an address sanitizer detects every read past it.
template <class T>
struct Row {
    std::vector<T> memory;
    std::vector<std::uint64_t> foreground;
    std::int64_t offset;

    Row(std::int64_t nx, std::int64_t from, std::mt19937_64& rng)
        : memory(std::size_t(nx + from)), foreground(std::size_t(nx + 63) / 64), offset(from) {
        static const std::vector<T> values = special_values<T>();
        for (T& v : memory) v = values[rng() % values.size()];
        for (std::uint64_t& word : foreground) word = rng() | rng();
    }
    const T* data() const { return memory.data() + offset; }
    std::int64_t size() const { return std::int64_t(memory.size()) - offset; }
};

template <class Test>
std::vector<std::uint64_t> bits_where(std::int64_t nx, const Test& test) {
    std::vector<std::uint64_t> bits(std::size_t(nx + 63) / 64);
    for (std::int64_t x = 0; x < nx; ++x) bits[std::size_t(x / 64)] |= std::uint64_t(test(x)) << x % 64;
    return bits;
}

template <class T>
std::vector<std::uint64_t> equal_by_definition(const T* a, const std::vector<std::uint64_t>& of_a, const Comparison<T>& c) {
    return bits_where(c.length, [&](std::int64_t x) {
        const bool equal = a[x] == c.with[x] || (a[x] != a[x] && c.with[x] != c.with[x]);
        return equal && (of_a[std::size_t(x / 64)] & c.foreground[x / 64]) >> x % 64 & 1;
    });
}

/// Compares a row with itself, moved by one voxel, as index_row() does, and with three other rows, one of which is shorter.
/// @return the number of wrong results
template <class T>
int wrong_equal_rows(const Row<T>& a, const std::array<Row<T>, 3>& others) {
    const std::int64_t nx = a.size();
    std::array<Comparison<T>, 4> comparisons{Comparison<T>{a.data() + 1, a.foreground.data(), nx - 1, nullptr},
                                             Comparison<T>{others[0].data(), others[0].foreground.data(), nx, nullptr},
                                             Comparison<T>{others[1].data(), others[1].foreground.data(), nx / 2, nullptr},
                                             Comparison<T>{others[2].data(), others[2].foreground.data(), nx, nullptr}};
    int wrong = 0;
    for (const Isa isa : instruction_sets())
        for (const std::size_t used : {1, 4}) {
            std::array<std::vector<std::uint64_t>, 4> bits;
            for (std::size_t i = 0; i < used; ++i) {
                bits[i].assign(std::size_t(comparisons[i].length + 63) / 64, unwritten);
                comparisons[i].bits = bits[i].data();
            }
            block_runs::equal_rows<T>(isa, a.data(), a.foreground.data(), std::span(comparisons).first(used));
            for (std::size_t i = 0; i < used; ++i) wrong += bits[i] != equal_by_definition(a.data(), a.foreground, comparisons[i]);
        }
    return wrong;
}

template <class T>
int wrong_within_row(const Row<T>& a) {
    int wrong = 0;
    for (const auto& [low, high] : bounds<T>()) {
        const auto want = bits_where(a.size(), [&](std::int64_t x) { return a.data()[x] >= low && a.data()[x] <= high; });
        for (const Isa isa : instruction_sets()) {
            std::vector<std::uint64_t> bits(want.size(), unwritten);
            block_runs::within_row<T>(isa, a.data(), low, high, a.size(), bits.data());
            wrong += bits != want;
        }
    }
    return wrong;
}

}  // namespace

TEST_CASE_TEMPLATE("rows of any length and alignment are compared by the definition", T, std::uint8_t, std::int8_t, std::uint16_t,
                   std::int16_t, std::uint32_t, std::int32_t, std::uint64_t, std::int64_t, float, double) {
    constexpr std::uint64_t seed = 7;
    INFO("seed " << seed);
    std::mt19937_64 rng(seed);
    const std::int64_t offsets = 64 / std::int64_t(sizeof(T)), step = sanitized ? std::max<std::int64_t>(1, offsets / 4) : 1;
    int wrong_equal = 0, wrong_within = 0;
    for (std::int64_t nx = 1; nx <= 300; ++nx)
        for (std::int64_t offset = 0; offset < offsets; offset += step) {
            const Row<T> a(nx, offset, rng);
            // The others have different offsets. Half of their values are copied from `a`, because independent values are rarely equal.
            std::array<Row<T>, 3> others{Row<T>(nx, offset, rng), Row<T>(nx, nx % 3, rng), Row<T>(nx, 0, rng)};
            for (Row<T>& other : others)
                for (std::int64_t x = 0; x < nx; ++x)
                    if (rng() % 2) other.memory[std::size_t(x + other.offset)] = a.data()[x];
            wrong_equal += wrong_equal_rows(a, others);
            wrong_within += wrong_within_row(a);
        }
    CHECK(wrong_equal == 0);
    CHECK(wrong_within == 0);
}

TEST_CASE("rows longer than 4096 voxels are compared by the definition") {
    constexpr std::uint64_t seed = 8;
    INFO("seed " << seed);
    std::mt19937_64 rng(seed);
    for (const std::int64_t nx : {4095, 4096, 4097, 10001}) {
        const Row<float> a(nx, 1, rng);
        CHECK(wrong_equal_rows(a, {Row<float>(nx, 0, rng), Row<float>(nx, 1, rng), Row<float>(nx, 2, rng)}) == 0);
        CHECK(wrong_within_row(a) == 0);
    }
}
