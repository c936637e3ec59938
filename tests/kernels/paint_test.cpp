// Tests the painting of rows of labels, for every instruction set, against the definition in simd.h, voxel by voxel.
#include "kernels/instruction_sets.h"
#include "kernels/rows.h"
#include "kernels/sanitized.h"
#include "kernels3d/simd/simd.h"

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <random>
#include <vector>

using namespace voxcc;
using block_runs::PaintRow;

namespace {

/// A random word: empty, full, with one edge, one bit, few bits or many bits.
std::uint64_t random_word(std::mt19937_64& rng) {
    switch (rng() % 6) {
        case 0: return 0;
        case 1: return ~std::uint64_t{0};
        case 2: return ~std::uint64_t{0} << rng() % 64;
        case 3: return std::uint64_t{1} << rng() % 64;
        case 4: return rng() & rng() & rng();
        default: return rng() | rng();
    }
}

/// A random row of nx voxels. Runs can also start at background voxels of the row, as in a cross-section of several rows.
template <class T, class Id>
struct RandomRow {
    std::vector<std::uint64_t> bits, starts;
    std::vector<Id> before;
    std::vector<T> label;
    std::int64_t nx;

    RandomRow(std::int64_t length, std::mt19937_64& rng) : nx(length) {
        Id runs = Id(rng() % 3);
        for (std::int64_t w = 0; w < (nx + 63) / 64; ++w) {
            bits.push_back(random_word(rng));
            starts.push_back(random_word(rng));
            before.push_back(runs);
            runs += Id(std::popcount(starts.back()));
        }
        if (nx % 64) bits.back() &= (std::uint64_t{1} << nx % 64) - 1;
        label.resize(std::size_t(runs) + 1 + 64 / sizeof(T));  // paint_rows() may read 64 bytes past the last run
        for (T& l : label) l = T(rng());
    }
    PaintRow<Id> row() const { return {bits.data(), starts.data(), before.data()}; }
    T at(std::int64_t x) const {
        const std::size_t w = std::size_t(x / 64);
        const std::uint64_t up_to_x = (std::uint64_t{2} << x % 64) - 1;
        return bits[w] >> x % 64 & 1 ? label[std::size_t(before[w]) + std::size_t(std::popcount(starts[w] & up_to_x))] : T(0);
    }
};

/// The number of wrong voxels in two equal rows and next to them. Voxels next to the rows must not change.
template <class T, class Id>
int wrong_voxels(Isa isa, const RandomRow<T, Id>& row, const std::vector<T>& want, std::int64_t offset, Stores stores) {
    constexpr T untouched = T(0xa5a5'a5a5'a5a5'a5a5);
    Aligned<T> out(offset + 2 * row.nx + 64);
    std::fill_n(out.data(), out.size(), untouched);
    const PaintRow<Id> rows[2] = {row.row(), row.row()};
    block_runs::paint_rows<T, Id>(isa, rows, row.label.data(), row.nx, out.data() + offset, stores);
    int wrong = 0;
    for (std::int64_t i = 0; i < out.size(); ++i) {
        const bool inside = i >= offset && i < offset + 2 * row.nx;
        wrong += out.data()[i] != (inside ? want[std::size_t((i - offset) % row.nx)] : untouched);
    }
    return wrong;
}

template <class T, class Id>
int wrong_rows(std::uint64_t seed) {
    std::mt19937_64 rng(seed);
    const std::int64_t offsets = 64 / std::int64_t(sizeof(T)), step = sanitized ? std::max<std::int64_t>(1, offsets / 4) : 1;
    int wrong = 0;
    for (std::int64_t nx = 1; nx <= 300; ++nx)
        for (std::int64_t offset = 0; offset < offsets; offset += step) {
            const RandomRow<T, Id> row(nx, rng);
            std::vector<T> want;
            for (std::int64_t x = 0; x < nx; ++x) want.push_back(row.at(x));
            for (const Isa isa : instruction_sets())
                for (const Stores stores : {Stores::cached, Stores::streaming}) wrong += wrong_voxels(isa, row, want, offset, stores) != 0;
        }
    return wrong;
}

}  // namespace

TEST_CASE_TEMPLATE("rows of any length and alignment are painted by the definition", T, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t) {
    constexpr std::uint64_t seed = 9;
    INFO("seed " << seed);
    CHECK(wrong_rows<T, std::uint32_t>(seed) == 0);
    CHECK(wrong_rows<T, std::uint64_t>(seed) == 0);
}
