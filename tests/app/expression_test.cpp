// Tests conditions on the cells of a row.
#include "src/pipeline/expression.h"
#include "src/errors/program_error.h"

#include <doctest/doctest.h>

#include <limits>

using namespace voxcc;

namespace {

/// The value of an expression over the columns a and b, which must occur in this order.
bool value(const std::string& text, const io::Cell& a, const io::Cell& b = {}) {
    const Expression expression(text, "--keep");
    std::vector<io::Cell> cells;
    for (const std::string& name : expression.names()) cells.push_back(name == "a" ? a : b);
    return expression.is_true(cells);
}

const io::Cell n_a;

}  // namespace

TEST_CASE("comparisons of numbers") {
    const std::uint64_t big = std::numeric_limits<std::uint64_t>::max();
    CHECK(value("a > 3", std::uint64_t{4}));
    CHECK_FALSE(value("a > 3", std::uint64_t{3}));
    CHECK(value("a >= 3", 3.0));
    CHECK(value("a = 3 and a == 3", std::int64_t{3}));
    CHECK(value("a != 3", -0.5));
    CHECK(value("a = 18446744073709551615", big));
    CHECK(value("a > 18446744073709551614", big));
    CHECK(value("a<=.5", 0.5));
    CHECK(value("a = b", 2.0, std::uint64_t{2}));
    CHECK(value("a > -inf_is_no_name", 1.0, 0.0));  // a name
}

TEST_CASE("conditions") {
    CHECK(value("a = 1 or a = 2 and a = 3", 1.0));
    CHECK_FALSE(value("(a = 1 or a = 2) and a = 3", 1.0));
    CHECK(value("not a = 2", 1.0));
    CHECK_FALSE(value("not not a = 2", 1.0));
    CHECK(value("not (a = 2 or a = 3)", 1.0));
    CHECK(value("a = 1 and(a<2)", 1.0));
    CHECK(value("a = 1 AND NOT a = 2 Or a > 5", 1.0));
}

TEST_CASE("arithmetic") {
    CHECK(value("a - 2 - 3 = 5", 10.0));
    CHECK(value("2 + 3 * a = 14", 4.0));
    CHECK(value("-a * 2 < -7", 4.0));
    CHECK(value("a / 4 / 2 = 0.5", 4.0));
    CHECK(value("a / 0 > 1e300", 4.0));
    CHECK_FALSE(value("a / 0 = a / 0", 0.0));  // 0 / 0 is n/a
}

TEST_CASE("n/a and texts") {
    for (const char* const sign : {"<", "<=", ">", ">=", "=", "!="}) CHECK_FALSE(value(std::string("a ") + sign + " 1", n_a));
    CHECK(value("not a = 1", n_a));
    CHECK_FALSE(value("a + 1 > 0", n_a));
    CHECK_FALSE(value("a > 0", std::numeric_limits<double>::quiet_NaN()));
    CHECK(value("a = 'xz'", std::string("xz")));
    CHECK(value("a != \"x\"", std::string("xz")));
    CHECK_FALSE(value("a = 1", std::string("1")));
    CHECK(value("a != 1", std::string("1")));
    CHECK(value("a > 0", io::Numeral{"1e3"}));
}

TEST_CASE("texts that are not expressions") {
    for (const char* const text :
         {"",      "a",         "3",  "a >",       "a > > 3",         "a and b",   "a = 1 b = 2", "(a = 1", "a = 1)", "a = 'x",
          "a ! 1", "a = 1 and", "or", "a < b < 3", "a + (a = 1) > 2", "'x' < 'y'", "a = 1.2.3",   "a = 3x", "#",      "a = 1;"})
        CHECK_THROWS_AS(Expression(text, "--keep"), Error);
    CHECK_THROWS_AS(Expression(std::string(100'000, '('), "--keep"), Error);
    CHECK_THROWS_AS(Expression("a > " + std::string(5000, '-') + "1", "--keep"), Error);
    CHECK_THROWS_AS(Expression("a > " + std::string(20'000, '1'), "--keep"), Error);
}

TEST_CASE("the names of an expression occur once") {
    const Expression expression("b > 1 and a.b_c < 2 or b < 0", "--keep");
    CHECK(expression.names() == std::vector<std::string>{"b", "a.b_c"});
}
