#include "src/options/threshold.h"
#include "src/errors/program_error.h"

#include <voxcc/error.h>

#include <doctest/doctest.h>
#include <limits>

using namespace voxcc;
using Kind = ForegroundRule::Kind;
using Method = LevelRule::Method;

namespace {

ForegroundRule rule_in(const std::string& text) {
    const ThresholdRule threshold = parse_threshold(text);
    CHECK_FALSE(threshold.level);
    return threshold.rule;
}

}  // namespace

TEST_CASE("every form of a threshold") {
    CHECK(rule_in("nonzero") == ForegroundRule{});
    CHECK(rule_in(">5") == ForegroundRule{.kind = Kind::above, .low = 5});
    CHECK(rule_in(">=5") == ForegroundRule{.kind = Kind::at_least, .low = 5});
    CHECK(rule_in("<5") == ForegroundRule{.kind = Kind::below, .high = 5});
    CHECK(rule_in("<=5") == ForegroundRule{.kind = Kind::at_most, .high = 5});
    CHECK(rule_in("5") == ForegroundRule{.kind = Kind::at_least, .low = 5});
    CHECK(rule_in("2:5") == ForegroundRule{.kind = Kind::range, .low = 2, .high = 5});
    CHECK(rule_in("2:") == ForegroundRule{.kind = Kind::at_least, .low = 2});
    CHECK(rule_in(":5") == ForegroundRule{.kind = Kind::at_most, .high = 5});
    CHECK(rule_in("==5") == ForegroundRule{.kind = Kind::one_of, .values = {5}});
    CHECK(rule_in("==5,-1,2.5") == ForegroundRule{.kind = Kind::one_of, .values = {5, -1, 2.5}});
    CHECK(rule_in("!=5,2") == ForegroundRule{.kind = Kind::none_of, .values = {5, 2}});
    CHECK(rule_in("abs>2.3") == ForegroundRule{.kind = Kind::abs_above, .low = 2.3});
    CHECK(rule_in("abs>=2.3") == ForegroundRule{.kind = Kind::abs_at_least, .low = 2.3});
    const ForegroundRule above{.kind = Kind::above};
    CHECK(parse_threshold("otsu") == ThresholdRule{above, LevelRule{Method::otsu}});
    CHECK(parse_threshold("li") == ThresholdRule{above, LevelRule{Method::li}});
    CHECK(parse_threshold("triangle") == ThresholdRule{above, LevelRule{Method::triangle}});
    CHECK(parse_threshold("yen") == ThresholdRule{above, LevelRule{Method::yen}});
    CHECK(parse_threshold("p99") == ThresholdRule{above, LevelRule{Method::percentile, 99}});
    CHECK(parse_threshold("p99.5") == ThresholdRule{above, LevelRule{Method::percentile, 99.5}});
    CHECK(parse_threshold("40%") == ThresholdRule{{.kind = Kind::at_least}, LevelRule{Method::range, 40}});
}

TEST_CASE("blanks in a threshold") {
    for (const auto& [with, without] : {std::pair{"> 5", ">5"},
                                        {" >= 5 ", ">=5"},
                                        {"<\t5", "<5"},
                                        {"2 : 5", "2:5"},
                                        {" 2 :", "2:"},
                                        {": 5", ":5"},
                                        {"== 1 , 2", "==1,2"},
                                        {"!= 3", "!=3"},
                                        {"abs > 2", "abs>2"},
                                        {"abs>= 2", "abs>=2"},
                                        {" otsu ", "otsu"},
                                        {"40 %", "40%"},
                                        {" 5", "5"}}) {
        CAPTURE(with);
        CHECK(parse_threshold(with) == parse_threshold(without));
    }
}

TEST_CASE("numbers of a threshold") {
    CHECK(rule_in("-500").low == -500);
    CHECK(rule_in(">-500").low == -500);
    CHECK(rule_in(">=-0.5e-3").low == -0.5e-3);
    CHECK(rule_in("-7:-3") == ForegroundRule{.kind = Kind::range, .low = -7, .high = -3});
    CHECK(rule_in("3:3") == ForegroundRule{.kind = Kind::range, .low = 3, .high = 3});
    CHECK(rule_in("-inf:0").low == -std::numeric_limits<double>::infinity());
    CHECK(rule_in("0.1").low == 0.1);
    CHECK(rule_in(">9007199254740993").low == 9007199254740993);
    CHECK(rule_in("==18446744073709551615").values[0] == 18446744073709551615u);
    CHECK(rule_in("<-9223372036854775807").high == -9223372036854775807);
    CHECK(parse_threshold("p0").level->percent == 0);
    CHECK(parse_threshold("p100").level->percent == 100);
    CHECK(parse_threshold("0%").level->percent == 0);
    CHECK(parse_threshold("12.5%").level->percent == 12.5);
}

TEST_CASE("one text per rule") {
    for (const auto& [text, want] : {std::pair{"2.50", ">=2.5"},
                                     {"2:", ">=2"},
                                     {":2", "<=2"},
                                     {"==3,1,3.0", "==1,3"},
                                     {"!= 2", "!=2"},
                                     {"abs > 1e1", "abs>10"},
                                     {"<9007199254740993", "<9007199254740993"},
                                     {">=-9007199254740993", ">=-9007199254740993"},
                                     {"==9007199254740993e0,9007199254740992.25", "==9007199254740992.5,9007199254740993"},
                                     {"p99.50", "p99.5"},
                                     {"40.0%", "40%"},
                                     {"1 : 2", "1:2"},
                                     {"li", "li"},
                                     {"nonzero", "nonzero"}}) {
        CAPTURE(text);
        CHECK(text_of(parse_threshold(text)) == want);
        CHECK(parse_threshold(text_of(parse_threshold(text))) == parse_threshold(want));
    }
}

TEST_CASE("an invalid threshold is a usage error that names the option") {
    for (const char* text : {"",       " ",     "bright", ">",    ">=",     "=5",    "= 5",   "> = 5", "5x",   "1e999",  "nan",  ">nan",
                             ">=-nan", "nan:1", "0:nan",  "5:2",  ":",      " : ",   "1:2:3", "p",     "p-1",  "p100.5", "pnan", "p99%",
                             "Otsu",   "0x10",  "1,5",    "2 5",  "<",      "<nan",  "==",    "==1,",  "==,1", "==nan",  "!=",   "!=1 2",
                             "!5",     "abs",   "abs5",   "abs>", "abs>-1", "abs<5", "%",     "-1%",   "101%"}) {
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
