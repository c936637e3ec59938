// Tests the loops of kernels3d/simd that compare_test and paint_test do not test: for every instruction set, against the definition value
// by value, for rows of 1 to 300 values with every alignment.
#include <voxcc/foreground.h>
#include "kernels/instruction_sets.h"
#include "kernels/rows.h"
#include "kernels/sanitized.h"
#include "kernels3d/simd/compare.h"
#include "kernels3d/simd/equal_bins.h"
#include "kernels3d/simd/leading.h"
#include "kernels3d/simd/relabel.h"
#include "kernels3d/simd/simd.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

using namespace voxcc;

namespace {

constexpr std::int64_t longest = 300;

/// Calls test(length, offset) for every length and every offset within 64 bytes.
/// @param offsets number of different offsets
template <class Test>
void for_each_row(std::int64_t offsets, const Test& test) {
    const std::int64_t step = sanitized ? std::max<std::int64_t>(1, offsets / 4) : 1;
    for (std::int64_t nx = 1; nx <= longest; ++nx)
        for (std::int64_t offset = 0; offset < offsets; offset += step) test(nx, offset);
}

/// A row of special values and of other finite values. Every fourth row has only special values, and some rows have no finite value.
template <class T>
AlignedRow<T> random_row(std::int64_t nx, std::int64_t offset, std::mt19937_64& rng) {
    static const std::vector<T> special = special_values<T>();
    AlignedRow<T> row(nx, offset);
    const auto kind = rng() % 4;
    for (T& v : row) {
        if (kind == 0 || rng() % 8 == 0) v = special[rng() % special.size()];
        else v = T(double(rng() % 2000) / 16);
        if (std::is_floating_point_v<T> && kind == 1 && nx < 8) v = std::numeric_limits<T>::infinity();
    }
    return row;
}

template <class T>
bool is_finite(T v) {
    if constexpr (std::is_floating_point_v<T>) return std::isfinite(v);
    else return true;
}

template <class T>
bool same_bits(const T& a, const T& b) {
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Memory for a result, with values next to the result that must not change.
template <class T>
struct Guarded {
    static constexpr T untouched = T(0xa5a5'a5a5'a5a5'a5a5);
    Aligned<T> memory;
    std::int64_t offset, nx;

    Guarded(std::int64_t length, std::int64_t from) : memory(from + length + 64), offset(from), nx(length) {
        std::fill_n(memory.data(), memory.size(), untouched);
    }
    T* data() { return memory.data() + offset; }
    bool equals(const std::vector<T>& want) {
        for (std::int64_t i = 0; i < memory.size(); ++i) {
            const bool inside = i >= offset && i < offset + nx;
            if (memory.data()[i] != (inside ? want[std::size_t(i - offset)] : untouched)) return false;
        }
        return true;
    }
};

/// The bin of a value as numpy.histogram computes it: the quotient, corrected by at most one bin.
template <class V>
std::size_t bin_of(V v, const std::array<V, 257>& edges) {
    const V quotient = (v - edges.front()) / (edges.back() - edges.front()) * V(256);
    std::size_t bin = std::min(std::size_t(quotient), std::size_t(255));
    if (v < edges[bin]) --bin;
    if (bin < 255 && v >= edges[bin + 1]) ++bin;
    return bin;
}

template <class Id, class T>
int wrong_labels(std::uint64_t seed) {
    std::mt19937_64 rng(seed);
    constexpr std::uint64_t most = sizeof(T) == 1 ? 255 : 1000;
    std::vector<std::uint64_t> numbers(most);
    for (std::uint64_t& number : numbers) number = std::uint64_t(T(rng()));
    int wrong = 0;
    for_each_row(64 / sizeof(T), [&](std::int64_t nx, std::int64_t offset) {
        AlignedRow<Id> label(nx, std::int64_t(rng() % AlignedRow<Id>::per_line));
        for (Id& l : label) l = Id(1 + rng() % most);
        std::vector<T> converted, relabelled;
        for (const Id l : label) converted.push_back(T(l)), relabelled.push_back(T(numbers[std::size_t(l) - 1]));
        for (const Isa isa : instruction_sets()) {
            Guarded<T> to(nx, offset);
            block_runs::convert_labels(isa, label.data(), nx, to.data());
            wrong += !to.equals(converted);
        }
        Guarded<T> to(nx, offset);
        block_runs::relabel(label.data(), nx, numbers.data(), to.data());
        wrong += !to.equals(relabelled);
    });
    return wrong;
}

}  // namespace

TEST_CASE("simd: flags of any length and alignment are packed by the definition") {
    constexpr std::uint64_t seed = 11;
    INFO("seed " << seed);
    std::mt19937_64 rng(seed);
    int wrong = 0;
    for_each_row(64, [&](std::int64_t nx, std::int64_t offset) {
        const std::int64_t rows = 2, stride = nx + nx % 3;  // two of three lengths have flags between the rows that must not be packed
        AlignedRow<std::uint8_t> flags(rows * stride + (nx % 2 ? 64 : 0), offset);  // every second row is followed by more such flags
        std::fill(flags.begin(), flags.end(), std::uint8_t{255});
        const std::size_t words = std::size_t(nx + 63) / 64;
        std::vector<std::uint64_t> want(std::size_t(rows) * words);
        for (std::int64_t row = 0; row < rows; ++row)
            for (std::int64_t x = 0; x < nx; ++x) {
                std::uint8_t& flag = flags.data()[row * stride + x];
                flag = rng() % 2 ? std::uint8_t(rng()) : 0;
                want[std::size_t(row) * words + std::size_t(x / 64)] |= std::uint64_t(flag != 0) << x % 64;
            }
        for (const Isa isa : instruction_sets()) {
            std::vector<std::uint64_t> bits(want.size(), 0x5555'aaaa'5555'aaaa);
            block_runs::pack_rows(isa, {flags.data(), stride, rows}, nx, bits.data());
            wrong += bits != want;
        }
    });
    CHECK(wrong == 0);
}

TEST_CASE_TEMPLATE("simd: NaN of rows of any length and alignment are counted", T, float, double) {
    constexpr std::uint64_t seed = 12;
    INFO("seed " << seed);
    std::mt19937_64 rng(seed);
    int wrong = 0;
    for_each_row(64, [&](std::int64_t nx, std::int64_t offset) {  // the offset is in bytes: rows may begin at any byte
        const AlignedRow<T> values = random_row<T>(nx, 0, rng);
        AlignedRow<std::uint8_t> bytes(nx * std::int64_t(sizeof(T)), offset);
        std::memcpy(bytes.data(), values.data(), std::size_t(bytes.size()));
        const auto want = std::count_if(values.data(), values.data() + nx, [](T v) { return std::isnan(v); });
        for (const Isa isa : instruction_sets()) wrong += block_runs::count_nan(isa, reinterpret_cast<const T*>(bytes.data()), nx) != want;
    });
    CHECK(wrong == 0);
}

TEST_CASE_TEMPLATE("simd: the range of rows of any length and alignment", T, std::uint8_t, std::int8_t, std::uint16_t, std::int16_t,
                   std::uint32_t, std::int32_t, std::uint64_t, std::int64_t, float, double) {
    constexpr std::uint64_t seed = 13;
    INFO("seed " << seed);
    std::mt19937_64 rng(seed);
    int wrong = 0, different = 0;
    for_each_row(AlignedRow<T>::per_line, [&](std::int64_t nx, std::int64_t offset) {
        AlignedRow<T> row = random_row<T>(nx, offset, rng);
        ValueRange<T> want;
        for (const T v : row)
            if (is_finite(v)) want = {std::min(want.least, v), std::max(want.largest, v)};
        ValueRange<T> portable;
        portable.add({row.data(), std::size_t(nx)}, Isa::portable);
        for (const Isa isa : instruction_sets()) {
            ValueRange<T> in_parts;
            in_parts.add({row.data(), std::size_t(nx / 3)}, isa);
            in_parts.add({row.data() + nx / 3, std::size_t(nx - nx / 3)}, isa);
            wrong += in_parts.least != want.least || in_parts.largest != want.largest;
            different += !same_bits(in_parts.least, portable.least) || !same_bits(in_parts.largest, portable.largest);  // also -0 and 0
        }
    });
    CHECK(wrong == 0);
    CHECK(different == 0);
}

TEST_CASE_TEMPLATE("simd: values of any length and alignment are counted in bins", V, float, double) {
    using L = std::numeric_limits<V>;
    int wrong = 0;
    for (const auto& [least, largest] : {std::pair<V, V>{0, 1},
                                         {V(-3.7), V(120.3)},
                                         {V(-1e-30), V(1e30)},
                                         {0, L::denorm_min() * 300},
                                         {V(16777215), V(16777217)},
                                         {L::lowest() / 4, L::max() / 4}}) {
        const EqualBins<V> bins(least, largest);
        const auto& edges = bins.edges();
        CHECK(edges.front() == least);
        CHECK(edges.back() == largest);
        CHECK(std::is_sorted(edges.begin(), edges.end()));
        constexpr std::uint64_t seed = 14;
        INFO("seed " << seed << ", bins from " << least << " to " << largest);
        std::mt19937_64 rng(seed);
        for_each_row(AlignedRow<V>::per_line, [&, low = least, high = largest](std::int64_t nx, std::int64_t offset) {
            AlignedRow<V> row(nx, offset);
            for (V& v : row) {
                const V edge = edges[rng() % edges.size()];
                switch (rng() % 8) {
                    case 0: v = L::quiet_NaN(); break;
                    case 1: v = rng() % 2 ? L::infinity() : -L::infinity(); break;
                    case 2: v = edge; break;
                    case 3: v = std::clamp(std::nextafter(edge, L::lowest()), low, high); break;
                    case 4: v = std::clamp(std::nextafter(edge, L::max()), low, high); break;
                    default: v = std::clamp(low + (high - low) * V(double(rng() >> 11) * 0x1p-53), low, high);
                }
            }
            std::vector<std::uint64_t> want(bins.bins, 1);
            for (const V v : row)
                if (std::isfinite(v)) ++want[bin_of(v, edges)];
            for (const Isa isa : instruction_sets()) {
                std::vector<std::uint64_t> counts(bins.bins, 1);
                bins.count({row.data(), std::size_t(nx)}, counts, isa);
                wrong += counts != want;
            }
        });
        CHECK(wrong == 0);
    }
}

TEST_CASE("simd: values are counted in bins across pieces of 1024 values") {
    const EqualBins<float> bins(0, 256);
    std::vector<float> values(5000);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = float(i % 250);
    for (const Isa isa : instruction_sets()) {
        std::vector<std::uint64_t> counts(bins.bins);
        bins.count(values, counts, isa);
        CHECK(std::count(counts.begin(), counts.begin() + 250, 20u) == 250);
        CHECK(std::count(counts.begin() + 250, counts.end(), 0u) == 6);
    }
}

TEST_CASE_TEMPLATE("simd: labels of any length and alignment are converted and replaced", T, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t) {
    constexpr std::uint64_t seed = 15;
    INFO("seed " << seed);
    CHECK(wrong_labels<std::uint32_t, T>(seed) == 0);
    CHECK(wrong_labels<std::uint64_t, T>(seed) == 0);
}

TEST_CASE_TEMPLATE("simd: the length of the leading run of labels is a lower bound", Id, std::uint32_t, std::uint64_t) {
    for (const Id value : {Id(1), Id(~Id{0} - 1), Id(Id{1} << (sizeof(Id) * 8 - 1))})
        for (unsigned equal = 1; equal < 256; equal += 2)  // bit i: label i is `value`
            for (const Isa isa : instruction_sets()) {
                Id labels[8];
                for (int i = 0; i < 8; ++i) labels[i] = equal >> i & 1 ? value : Id(value ^ (Id{1} << i * 4));
                const Id length = block_runs::leading(labels, value, isa), run = Id(std::countr_one(equal));
                INFO(name_of(isa) << ", labels " << equal);
                CHECK(length >= 1);
                CHECK(length <= run);
                CHECK(length >= std::min(run, Id(2)));  // otherwise each step of the caller advances by one run only
            }
}
