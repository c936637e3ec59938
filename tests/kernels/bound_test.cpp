// Tests decimal text as bounds, and comparisons with integers of 64 bits.
#include <voxcc/connectivity.h>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>

using namespace voxcc;

namespace {

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("bound: decimal text is exact") {
    struct Case {
        const char* text;
        int128 whole;
        bool has_fraction;
        double real;
    };
    for (const Case& c : {Case{"0", 0, false, 0},
                          {"-0.0", 0, false, 0},
                          {"12", 12, false, 12},
                          {"12.", 12, false, 12},
                          {".5", 0, true, 0.5},
                          {"-.5", -1, true, -0.5},
                          {"1204.50e-1", 120, true, 120.45},
                          {"0.0120e+4", 120, false, 120},
                          {"-12e-1", -2, true, -1.2},
                          {"9007199254740993", 9007199254740993, false, 9007199254740992},
                          {"9007199254740993.0", 9007199254740993, false, 9007199254740992},
                          {"9007199254740993000e-3", 9007199254740993, false, 9007199254740992},
                          {"9.007199254740993E15", 9007199254740993, false, 9007199254740992},
                          {"9007199254740992.5", 9007199254740992, true, 9007199254740992},
                          {"-9223372036854775808.5", int128(lowest) - 1, true, double(lowest)},
                          {"18446744073709551615", int128(largest), false, 0x1p64},
                          {"18446744073709551614.999999999999999999999999", int128(largest) - 1, true, 0x1p64},
                          {"1.00000000000000000000000001", 1, true, 1},
                          {"0.99999999999999999999999999", 0, true, 1},
                          {"1e-300", 0, true, 1e-300},
                          {"99999999999999999999", Bound::most, false, 1e20},
                          {"-1e30", -Bound::most, false, -1e30},
                          {"0e99999999999999999999", 0, false, 0},
                          {"inf", Bound::most, false, infinity},
                          {"-inf", -Bound::most, false, -infinity}}) {
        CAPTURE(c.text);
        const auto bound = bound_in(c.text);
        REQUIRE(bound);
        CHECK(*bound == Bound(c.whole, c.has_fraction, c.real));
        CHECK((bound->real != 0 || !std::signbit(bound->real)));
        CHECK(bound_in(text_of(*bound)) == *bound);
    }
    for (const char* text : {"", "+1", " 1", "1 ", "1e", "1x", "0x10", "1e999", "1e-999", "-", ".", "1,5"}) CHECK_FALSE(bound_in(text));
    CHECK(std::isnan(bound_in("nan")->real));
}

TEST_CASE("bound: numbers of the language have the same bounds as their text") {
    CHECK(Bound(2.5) == *bound_in("2.5"));
    CHECK(Bound(-2.5) == *bound_in("-2.5"));
    CHECK(Bound(-0.0) == *bound_in("0"));
    CHECK(Bound(0x1p60) == *bound_in("1152921504606846976"));
    CHECK(Bound(largest) == *bound_in("18446744073709551615"));
    CHECK(Bound(lowest) == *bound_in("-9223372036854775808"));
    CHECK(Bound(1e30) == *bound_in("1e30"));
    CHECK(Bound(0.1f) == Bound(double(0.1f)));
}

TEST_CASE("bound: a number gives the same bound again") {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (const Bound& bound : {Bound(0), Bound(2.5), Bound(-0.25), Bound(1e30), Bound(-infinity), Bound(std::int64_t{9007199254740993}),
                               Bound(std::numeric_limits<std::uint64_t>::max()), Bound(std::numeric_limits<std::int64_t>::min())})
        CHECK(Bound(bound.number()) == bound);
    const Bound between(int128{9007199254740993}, true, 9007199254740994.0);  // 9007199254740993.5
    CHECK(Bound(between.number()).whole == between.whole);
    CHECK(Bound(between.number()).has_fraction);
}

TEST_CASE("bound: the shortest text, or the text of an integer") {
    for (const char* text : {"0", "0.1", "-2.5", "1e+30", "9007199254740993", "9007199254740993.5", "-9007199254740993.5", "inf", "-inf",
                             "1.00000000000000000001", "0.99999999999999999999", "-1.00000000000000000001"})
        CHECK(text_of(*bound_in(text)) == text);
    // The shortest digits of this double are those of another integer.
    const double real = 12345678901234001920.0;
    CHECK(text_of(Bound(real)) == "12345678901234001920");
    CHECK(bound_in("1.2345678901234e19") != Bound(real));
}

TEST_CASE("bound: order and sign") {
    CHECK(*bound_in("9007199254740992.5") < *bound_in("9007199254740993"));
    CHECK(*bound_in("9007199254740992.5") > *bound_in("9007199254740992"));
    CHECK(Bound(1e30) < Bound(1e40));
    CHECK(Bound(-1e40) < Bound(-1e30));
    for (const char* text : {"0", "2", "2.5", "0.25", "9007199254740993.5", "1e30", "inf"}) {
        CAPTURE(text);
        CHECK(-*bound_in(text) == *bound_in("-" + std::string(text)));
        CHECK(-*bound_in("-" + std::string(text)) == *bound_in(text));
    }
}

TEST_CASE("bound: comparisons with integers") {
    const Bound half = *bound_in("9007199254740992.5"), whole = *bound_in("9007199254740993.0");
    CHECK_FALSE(reaches(std::int64_t{9007199254740992}, half));
    CHECK(reaches(std::int64_t{9007199254740993}, half));
    CHECK(exceeds(std::int64_t{9007199254740993}, half));
    CHECK(reaches(std::uint64_t{9007199254740993}, whole));
    CHECK_FALSE(exceeds(std::uint64_t{9007199254740993}, whole));
    CHECK(reaches(lowest, *bound_in("-9223372036854775808.5")));
    CHECK_FALSE(reaches(lowest, *bound_in("-9223372036854775807.5")));
    CHECK(reaches(largest, *bound_in("18446744073709551614.5")));
    CHECK_FALSE(reaches(largest, *bound_in("18446744073709551615.5")));
    CHECK_FALSE(reaches(largest, *bound_in("nan")));
    CHECK(reaches(2.5, half) == false);
    CHECK(reaches(0x1p53, half));  // floats are compared with the nearest float
}
