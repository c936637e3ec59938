// Summaries are read with limits, because the file can be damaged or hostile.
#include "src/messages/summary_file.h"

#include <doctest/doctest.h>
#include <unistd.h>
#include <filesystem>
#include <fstream>

using namespace voxcc;

namespace {

std::optional<nlohmann::ordered_json> read(const std::string& text, std::int64_t most_bytes = 1 << 20) {
    const std::filesystem::path path = std::filesystem::temp_directory_path() / ("voxcc-summary-" + std::to_string(::getpid()) + ".json");
    std::ofstream(path) << text;
    const auto summary = read_summary(path.string(), most_bytes);
    std::filesystem::remove(path);
    return summary;
}

std::string repeated(const std::string& part, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += part;
    return text;
}

}  // namespace

TEST_CASE("only an object of voxcc is a summary") {
    CHECK(read(R"({"program": "voxcc", "count": 3})")->at("count") == 3);
    for (const char* text : {"", "{", "[]", "3", "null", R"({"program": "other"})", R"({"program": ["voxcc"]})", R"({"program": "voxcc")",
                             R"({"program": "voxcc"} x)", "{\"program\": \"voxcc\xff\"}"}) {
        CAPTURE(text);
        CHECK(!read(text));
    }
}

TEST_CASE("a file that is too long is not read") {
    const std::string text = R"({"program": "voxcc"})";
    CHECK(read(text, std::int64_t(text.size())));
    CHECK(!read(text, std::int64_t(text.size()) - 1));
}

TEST_CASE("deep values and members after the first 1000 are left out") {
    const auto deep = read(R"({"program": "voxcc", "a": )" + repeated("[", 5000) + repeated("]", 5000) + "}");
    REQUIRE(deep);
    CHECK(deep->at("a").dump().size() < 20);

    std::string members;
    for (int i = 0; i < 200'000; ++i) members += ", \"m" + std::to_string(i) + "\": 1";
    const auto wide = read(R"({"program": "voxcc")" + members + "}", 1 << 24);
    REQUIRE(wide);
    CHECK(wide->size() == 1000);
    CHECK(read(R"({"program": "voxcc", "list": [)" + repeated("{\"x\": 1}, ", 3000) + R"({"x": 1}], "last": 1})")->at("last") == 1);
}

TEST_CASE("members of values that are not objects are null") {
    CHECK(member(3, "a").is_null());
    CHECK(member(nlohmann::ordered_json::array({1}), "a").is_null());
    CHECK(text_in({{"a", 3}}, "a").empty());
    CHECK(text_in({{"a", "b"}}, "a") == "b");
}
