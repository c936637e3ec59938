#include "src/options/nearest.h"

#include <doctest/doctest.h>

using namespace voxcc;

TEST_CASE("the nearest name, if one is similar enough") {
    const std::vector<std::string> names{"label", "stats", "compare", "info"};
    CHECK(nearest_hint("lable", names) == ", nearest: 'label'");
    CHECK(nearest_hint("labels", names) == ", nearest: 'label'");
    CHECK(nearest_hint("inf", names) == ", nearest: 'info'");
    CHECK(nearest_hint("bogus", names).empty());
    CHECK(nearest_hint("x", names).empty());
    CHECK(nearest_hint("", names).empty());
    CHECK(nearest_hint("label", {}).empty());
}
