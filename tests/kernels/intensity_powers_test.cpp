// Tests that sums of one or two powers give the same properties as sums of four powers, for runs of all lengths on all instruction sets.
#include <voxcc/measure.h>
#include <voxcc/threads.h>
#include "kernels3d/measure/power_sums.h"
#include "tests/kernels/instruction_sets.h"

#include <doctest/doctest.h>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

using namespace voxcc;

namespace {

/// The bits of the properties that both sums have. NaN values of one kind are equal, and so are 0 and -0.
std::vector<std::uint64_t> bits_of(const IntensityProperties& p) {
    std::vector<std::uint64_t> bits;
    for (const double value :
         {p.mean, p.standard_deviation, p.min, p.max, p.sum, p.weighted_centroid[0], p.weighted_centroid[1], p.weighted_centroid[2]})
        bits.push_back(std::isnan(value) ? 0 : std::bit_cast<std::uint64_t>(value + 0.0));
    return bits;
}

/// The bits of the properties that sums of values give.
std::vector<std::uint64_t> values_of(const IntensityProperties& p) {
    const std::vector<std::uint64_t> bits = bits_of(p);
    return {bits[0], bits[2], bits[3], bits[4]};
}

/// Draws rows of `components` with runs of 1 to `longest` voxels, and compares the properties of all components.
template <class T, class Draw>
void check_powers(std::size_t longest, const Draw& draw) {
    constexpr std::uint64_t components = 5;
    constexpr std::size_t row_length = 700;
    for (const Isa isa : instruction_sets()) {
        set_default_isa(isa);
        std::mt19937_64 random(longest);
        IntensitySums four(scalar_type_of<T>()), two(scalar_type_of<T>(), Powers::two), halves(scalar_type_of<T>(), Powers::two);
        IntensitySums one(scalar_type_of<T>(), Powers::one);
        IntensitySums other_half = halves, four_halves(scalar_type_of<T>()), four_other_half = four_halves;
        std::vector<std::uint16_t> numbers(row_length);
        std::vector<std::byte> bytes(row_length * sizeof(T) + 1);
        const std::span<const std::byte> values(bytes.data() + 1, row_length * sizeof(T));  // they may begin at any byte
        for (std::int64_t row = 0; row < 30; ++row) {
            for (std::size_t x = 0; x < row_length;) {
                const auto number = std::uint16_t(random() % (components + 1));
                for (std::size_t end = x + 1 + random() % longest; x < std::min(end, row_length); ++x) numbers[x] = number;
            }
            for (std::size_t x = 0; x < row_length; ++x) {
                const T value = draw(random);
                std::memcpy(bytes.data() + 1 + x * sizeof(T), &value, sizeof(T));
            }
            for (IntensitySums* const sums :
                 {&four, &two, &one, row % 3 == 0 ? &halves : &other_half, row % 3 == 0 ? &four_halves : &four_other_half})
                sums->add_row<std::uint16_t>(row % 7, row * 1000, numbers, values);
        }
        for (std::uint64_t component = 1; component <= components; ++component) {
            halves.add(component, other_half, component, {3, 0, 70000});
            four_halves.add(component, four_other_half, component, {3, 0, 70000});
        }
        CHECK(two.nan_voxels() == four.nan_voxels());
        CHECK(one.nan_voxels() == four.nan_voxels());
        for (std::uint64_t component = 1; component <= components; ++component) {
            CAPTURE(name_of(isa));
            CAPTURE(name_of(scalar_type_of<T>()));
            CAPTURE(longest);
            const LinearScale scale{component % 2 == 0 ? 1 : -0.1, component % 3 == 0 ? 1e5 : 0};
            CHECK(bits_of(two.properties(component, scale, std::nullopt)) == bits_of(four.properties(component, scale, std::nullopt)));
            CHECK(bits_of(halves.properties(component, scale, std::nullopt)) ==
                  bits_of(four_halves.properties(component, scale, std::nullopt)));
            const IntensityProperties of_four = four.properties(component, scale, std::nullopt);
            const IntensityProperties of_one = one.properties(component, scale, std::nullopt);
            CHECK(values_of(of_one) == values_of(of_four));
            const IntensityProperties brief = two.properties(component, scale, std::nullopt);
            CHECK(!brief.peak.has_value());
            CHECK(std::isnan(brief.kurtosis));
        }
        CHECK(two.more_bytes() <= four.more_bytes() + components * sizeof(ScaledSums<Powers::two>));  // small integers have one unit more
        CHECK(two.bytes_per_component() < four.bytes_per_component());
        CHECK(one.bytes_per_component() <= two.bytes_per_component());
        IntensitySums cleared = two;
        cleared.clear(2);
        CHECK(cleared.more_bytes() <= two.more_bytes());
        CHECK(cleared.stored_range(2).voxels == 0);
        CHECK(bits_of(cleared.properties(3, {}, std::nullopt)) == bits_of(two.properties(3, {}, std::nullopt)));
        cleared.clear(components + 1);
        cleared.add(2, two, 2);
        CHECK(bits_of(cleared.properties(2, {}, std::nullopt)) == bits_of(two.properties(2, {}, std::nullopt)));
        CHECK(cleared.more_bytes() == two.more_bytes());
    }
    set_default_isa(best_isa());
}

}  // namespace

TEST_CASE("sums of two powers equal sums of four powers") {
    for (const std::size_t longest : {1, 20, 600}) {
        check_powers<std::uint8_t>(longest, [](auto& r) { return std::uint8_t(r()); });
        check_powers<std::int16_t>(longest, [](auto& r) { return std::int16_t(r()); });
        check_powers<std::int32_t>(longest, [](auto& r) { return std::int32_t(r()); });
        check_powers<std::int64_t>(longest, [](auto& r) { return std::int64_t(r()) >> (r() % 64); });
        check_powers<std::uint64_t>(longest, [](auto& r) { return r(); });
        check_powers<float>(longest, [](auto& r) { return std::normal_distribution<float>(0, 300)(r); });
        check_powers<float>(longest, [](auto& r) { return float(r() % 4096) - 2048; });
        check_powers<float>(longest, [](auto& r) { return std::bit_cast<float>(std::uint32_t(r())); });                // all exponents
        check_powers<float>(longest, [](auto& r) { return r() % 300 == 0 ? NAN : r() % 7 == 0 ? -0.0f : 1e-40f; });    // subnormal
        check_powers<float>(longest, [](auto& r) { return std::ldexp(1 + float(r() % 8) / 8, int(r() % 32) - 16); });  // one unit
        check_powers<float>(longest, [](auto& r) { return std::nextafter(r() % 2 == 0 ? 65536.f : -65536.f, 0.f); });  // its largest
        check_powers<double>(longest, [](auto& r) { return std::normal_distribution<double>(100, 10)(r); });
        check_powers<double>(longest, [](auto& r) { return std::bit_cast<double>(r() & ~(std::uint64_t{1} << 62)); });  // without inf
        check_powers<double>(longest, [](auto& r) { return std::nextafter(r() % 9 == 0 ? -256.0 : 256.0, 0.0); });
        check_powers<double>(longest, [](auto& r) { return std::ldexp(1 + double(r() % 8) / 8, 500 + int(r() % 8)); });
    }
}
