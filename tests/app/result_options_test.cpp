// Every option of `voxcc label` has a decision whether it changes the contents of the outputs.
#include "src/options/result_options.h"
#include "src/cli/cli_parts.h"
#include "src/cli/help/page.h"

#include <doctest/doctest.h>
#include <algorithm>
#include <set>

using namespace voxcc;

namespace {

/// The long names of the options of `voxcc label`.
std::set<std::string> names_of_command() {
    CLI::App program("", "voxcc");
    std::string config;
    std::set<std::string> names;
    for (const cli::HelpEntry& entry : cli::page_of(*cli::add_label(program, {}, config).app).entries()) {
        if (entry.is_operand()) continue;
        const auto name = std::ranges::find_if(entry.names, [](const std::string& text) { return text.starts_with("--"); });
        REQUIRE(name != entry.names.end());
        names.insert(name->substr(2));
    }
    return names;
}

std::string value_of(const std::string& name, const LabelOptions& options) {
    for (const auto& [option, value] : result_options(options))
        if (option == name) return value;
    return "absent";
}

}  // namespace

TEST_CASE("every option of label has a decision whether it changes results") {
    std::set<std::string> decided;
    for (const OptionDecision& decision : option_decisions()) CHECK(decided.insert(std::string(decision.name)).second);
    CHECK(decided == names_of_command());
}

TEST_CASE("the same rule has the same value, however it was written") {
    LabelOptions a, b;
    a.threshold = "2.50", b.threshold = ">=2.5";
    CHECK(value_of("threshold", a) == ">=2.5");
    CHECK(result_options(a) == result_options(b));
    b.threshold = ">2.5";
    CHECK(value_of("threshold", b) == ">2.5");
    b.threshold = "-inf:5";
    CHECK(value_of("threshold", b) == "-inf:5");
    b.threshold = "p99.50";
    CHECK(value_of("threshold", b) == "p99.5");
}

TEST_CASE("a size in voxels differs from a size in mm3, and 0 from no limit") {
    LabelOptions options;
    CHECK(value_of("min-size", options) == "none");
    options.min_size = SizeLimit{0};
    CHECK(value_of("min-size", options) == "0");
    options.min_size = SizeLimit{5, io::LengthUnit::mm};
    CHECK(value_of("min-size", options) == "5mm3");
}

TEST_CASE("options that do not change results are absent from the list") {
    LabelOptions options;
    options.threads = 3, options.jobs = 2, options.device = "cpu", options.algorithm = "ke", options.max_memory = 1 << 30;
    options.existing = LabelOptions::Existing::overwrite;
    CHECK(result_options(options) == result_options({}));
}
