// Tests every foreground rule on every type against the definition, voxel by voxel.
#include <voxcc/foreground.h>
#include "kernels/instruction_sets.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

using namespace voxcc;
using Kind = ForegroundRule::Kind;

namespace {

// A bound in the type V of the comparison. Integers are compared as long double, which holds the bounds of these tests exactly.
template <class V>
V compared(const Bound& bound) {
    if constexpr (std::is_same_v<V, long double>) return V(bound.whole) + V(bound.has_fraction) / 2;
    else return V(bound.real);
}

template <class V>
bool inside(V v, const ForegroundRule& r) {
    const V low = compared<V>(r.low), high = compared<V>(r.high);
    const bool listed = std::ranges::any_of(r.values, [&](const Bound& value) { return v == compared<V>(value); });
    switch (r.kind) {
        case Kind::nonzero: return v != 0;
        case Kind::above: return v > low;
        case Kind::at_least: return v >= low;
        case Kind::range: return v >= low && v <= high;
        case Kind::below: return v < high;
        case Kind::at_most: return v <= high;
        case Kind::abs_above: return std::abs(v) > low;
        case Kind::abs_at_least: return std::abs(v) >= low;
        case Kind::one_of: return listed;
        case Kind::none_of: return !listed;
    }
    return false;
}

template <class T>
bool is_foreground(T stored, const ForegroundRule& r) {
    if (stored != stored) return r.nan == ForegroundRule::Nan::foreground;
    // Without scaling, floats are compared in their own precision and integers exactly. With scaling, values are compared in float64.
    using Compared = std::conditional_t<std::is_integral_v<T>, long double, T>;
    const bool is_inside =
        r.slope != 1 || r.intercept != 0 ? inside(double(stored) * r.slope + r.intercept, r) : inside(Compared(stored), r);
    return is_inside == (r.take == ForegroundRule::Take::inside);
}

template <class T>
std::vector<T> samples() {
    using L = std::numeric_limits<T>;
    std::vector<T> v{T(0), T(1), T(2), T(99), T(100), T(101), L::max(), L::lowest(), T(L::max() - 1), T(L::max() / 2)};
    if constexpr (std::is_floating_point_v<T>)
        for (const T x : {L::quiet_NaN(), L::infinity(), -L::infinity(), T(-0.0), L::denorm_min(), -L::denorm_min(), T(0.1), T(0.3),
                          T(99.99999), T(-2.5)})
            v.push_back(x);
    std::mt19937_64 rng(5);
    while (v.size() < 203) v.push_back(T(double(rng() % 400) - (std::is_signed_v<T> ? 200 : 0)));
    return v;
}

}  // namespace

TEST_CASE_TEMPLATE("foreground rules equal their definitions", T, std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t,
                   std::int32_t, std::uint64_t, std::int64_t, float, double) {
    const std::vector<T> v = samples<T>();
    const double inf = std::numeric_limits<double>::infinity();
    const std::vector<Bound> values{0.3, 2, 1, 100, 100, 101, 0.05, -90, 9007199254740993, inf};
    for (const Kind kind : {Kind::nonzero, Kind::above, Kind::at_least, Kind::range, Kind::below, Kind::at_most, Kind::abs_above,
                            Kind::abs_at_least, Kind::one_of, Kind::none_of})
        for (const auto& [low, high] :
             {std::pair{100.0, 120.0}, {0.0, 0.0}, {-1.5, 99.5}, {0.1, 0.3}, {1e30, inf}, {-inf, inf}, {9007199254740993.0, 1e19}})
            for (const auto& [slope, intercept] : {std::pair{1.0, 0.0}, {2.00784, 0.0}, {-0.5, 10.0}, {1.0, -100.0}, {1e-3, 0.05}})
                for (const auto& [take, nan_is] : {std::pair{ForegroundRule::Take::inside, ForegroundRule::Nan::background},
                                                   {ForegroundRule::Take::inside, ForegroundRule::Nan::foreground},
                                                   {ForegroundRule::Take::complement, ForegroundRule::Nan::background},
                                                   {ForegroundRule::Take::complement, ForegroundRule::Nan::foreground}})
                    for (const auto isa : instruction_sets()) {
                        const ForegroundRule rule{kind, low, high, slope, intercept, take, nan_is, values};
                        const ForegroundPacker packer(scalar_type_of<T>(), rule);
                        std::vector<std::uint64_t> bits(4, ~std::uint64_t{0});
                        const auto nan =
                            packer.pack(isa, reinterpret_cast<const std::byte*>(v.data()), std::int64_t(v.size()), bits.data());
                        CHECK(nan == std::count_if(v.begin(), v.end(), [](T stored) { return stored != stored; }));
                        int wrong = 0;
                        for (std::size_t i = 0; i < 256; ++i) {
                            const bool want = i < v.size() && is_foreground(v[i], rule);
                            wrong += want != bool(bits[i / 64] >> i % 64 & 1);
                        }
                        INFO("kind " << int(kind) << " low " << low << " high " << high << " slope " << slope << " intercept "
                                     << intercept);
                        CHECK(wrong == 0);
                    }
}

TEST_CASE("foreground of rows longer than a piece") {
    std::vector<float> v(10000);
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = float(i % 7) - 3;
    const ForegroundPacker packer(ScalarType::f32, {Kind::above, 0});
    std::vector<std::uint64_t> bits((v.size() + 63) / 64);
    packer.pack(best_isa(), reinterpret_cast<const std::byte*>(v.data()), std::int64_t(v.size()), bits.data());
    int wrong = 0;
    for (std::size_t i = 0; i < v.size(); ++i) wrong += (v[i] > 0) != bool(bits[i / 64] >> i % 64 & 1);
    CHECK(wrong == 0);
}

TEST_CASE("bounds of 64-bit integers are exact") {
    const auto selected = []<class T>(const std::vector<T>& v, const ForegroundRule& rule) {
        std::uint64_t bits = 0;
        ForegroundPacker(scalar_type_of<T>(), rule)
            .pack(best_isa(), reinterpret_cast<const std::byte*>(v.data()), std::int64_t(v.size()), &bits);
        return bits;
    };
    const std::vector<std::uint64_t> u{9007199254740992u, 9007199254740993u, 9007199254740994u, ~0ull - 1, ~0ull};
    CHECK(selected(u, {.kind = Kind::above, .low = 9007199254740993}) == 0b11100);
    CHECK(selected(u, {.kind = Kind::one_of, .values = {9007199254740993}}) == 0b00010);
    CHECK(selected(u, {.kind = Kind::below, .high = 18446744073709551615u}) == 0b01111);
    CHECK(selected(u, {.kind = Kind::none_of, .values = {18446744073709551614u, 9007199254740994}}) == 0b10011);
    const std::vector<std::int64_t> i{-9007199254740993, -9007199254740992, 0, 9007199254740993, std::numeric_limits<std::int64_t>::min()};
    CHECK(selected(i, {.kind = Kind::at_most, .high = -9007199254740993}) == 0b10001);
    CHECK(selected(i, {.kind = Kind::abs_at_least, .low = 9007199254740993}) == 0b11001);
    CHECK(selected(i, {.kind = Kind::abs_above, .low = 9007199254740993}) == 0b10000);
    const Bound half = *bound_in("9007199254740992.5");
    CHECK(selected(u, {.kind = Kind::at_least, .low = half}) == 0b11110);
    CHECK(selected(u, {.kind = Kind::at_most, .high = half}) == 0b00001);
    CHECK(selected(u, {.kind = Kind::one_of, .values = {half}}) == 0);
    CHECK(selected(i, {.kind = Kind::abs_above, .low = half}) == 0b11001);
    CHECK(selected(i, {.kind = Kind::range, .low = *bound_in("-9223372036854775808.5"), .high = -half}) == 0b10001);
}
