#include "src/cli/threshold.h"
#include "src/messages/program_error.h"

#include <voxcc/error.h>

#include <doctest/doctest.h>
#include <limits>

using namespace voxcc;
using Kind = ThresholdRule::Kind;

TEST_CASE("every form of a threshold") {
    CHECK(parse_threshold("nonzero") == ThresholdRule{.kind = Kind::nonzero});
    CHECK(parse_threshold("otsu") == ThresholdRule{.kind = Kind::otsu});
    CHECK(parse_threshold(">5") == ThresholdRule{.kind = Kind::above, .low = 5});
    CHECK(parse_threshold(">=5") == ThresholdRule{.kind = Kind::at_least, .low = 5});
    CHECK(parse_threshold("5") == ThresholdRule{.kind = Kind::at_least, .low = 5});
    CHECK(parse_threshold("2:5") == ThresholdRule{.kind = Kind::range, .low = 2, .high = 5});
    CHECK(parse_threshold("p99") == ThresholdRule{.kind = Kind::percentile, .percentile = 99});
    CHECK(parse_threshold("p99.5") == ThresholdRule{.kind = Kind::percentile, .percentile = 99.5});
}

TEST_CASE("numbers of a threshold") {
    CHECK(parse_threshold("-500").low == -500);
    CHECK(parse_threshold(">-500").low == -500);
    CHECK(parse_threshold(">=-0.5e-3").low == -0.5e-3);
    CHECK(parse_threshold("-7:-3") == ThresholdRule{.kind = Kind::range, .low = -7, .high = -3});
    CHECK(parse_threshold("3:3") == ThresholdRule{.kind = Kind::range, .low = 3, .high = 3});
    CHECK(parse_threshold("-inf:0").low == -std::numeric_limits<double>::infinity());
    CHECK(parse_threshold("0.1").low == 0.1);
    CHECK(parse_threshold("p0").percentile == 0);
    CHECK(parse_threshold("p100").percentile == 100);
}

TEST_CASE("an invalid threshold is a usage error that names the option") {
    for (const char* text :
         {"",      " ",     "bright", ">",  ">=", "=5",    "<5", "> 5", "5 ",     "5x",   "1e999", "nan",  ">nan", ">=-nan",
          "nan:1", "0:nan", "5:2",    ":5", "5:", "1:2:3", "p",  "p-1", "p100.5", "pnan", "p99%",  "Otsu", "0x10", "1,5"}) {
        CAPTURE(text);
        try {
            parse_threshold(text);
            FAIL_CHECK("accepted");
        } catch (const ProgramError& error) {
            CHECK(error.kind() == ErrorKind::invalid_argument);
            CHECK(error.subject() == "--threshold");
            CHECK_FALSE(error.remedy().empty());
        }
    }
}
