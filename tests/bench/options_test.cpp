// Tests the options of the bench.
#include "bench/evaluations/options.h"

#include <doctest/doctest.h>

#include "bench/evaluations/volumes.h"

#include <algorithm>

using namespace voxcc;
using namespace voxcc::bench;

namespace {

Options with(const std::string& name, const std::string& text) {
    Options options;
    const auto& texts = option_texts();
    const auto option = std::find_if(texts.begin(), texts.end(), [&](const OptionText& o) { return o.name == name; });
    REQUIRE(option != texts.end());
    option->assign(options, text);
    return options;
}

std::int64_t set_voxels(const Volume& volume) {
    const auto voxels = volume.voxels();
    CHECK(std::int64_t(voxels.size()) == volume.extent.voxels());
    return std::count(voxels.begin(), voxels.end(), 1);
}

}  // namespace

TEST_CASE("bench options: lists, words and numbers") {
    CHECK(with("--algorithms", "all").algorithms.empty());
    const Options two = with("--algorithms", "uf,block-runs");
    REQUIRE(two.algorithms.size() == 2);
    CHECK(two.algorithms[1]->name == "block-runs");
    CHECK(with("--tests", "all").tests.size() == 7);
    CHECK(with("--tests", "model,steps").tests == std::set{Test::steps, Test::model});
    CHECK(name_of(Test::granularity) == "granularity");
    CHECK(with("--relabel", "scan").relabel == Relabel::scan);
    CHECK(with("--relabel", "marks").relabel == Relabel::marks);
    CHECK(with("--connectivity", "6,8").connectivities == std::vector{Connectivity::c6, Connectivity::c8});
    CHECK(with("--device", "cuda:3,1").device.numbers == std::vector{3, 1});
    CHECK(with("--measure", "analysis,late-per-voxel").measures == std::vector{Measure::analysis, Measure::late_per_voxel});
    CHECK(*with("--shape", "4,5").shape == Extent{4, 5, 1});
    CHECK(*with("--shape", "4,5,6").shape == Extent{4, 5, 6});
}

TEST_CASE("bench options: invalid values are refused") {
    for (const auto& [name, text] : {std::pair("--algorithms", "uf,bfu"),
                                     {"--algorithms", ""},
                                     {"--tests", "speed"},
                                     {"--relabel", "list"},
                                     {"--connectivity", "5"},
                                     {"--device", "gpu"},
                                     {"--repeat", "0"},
                                     {"--measure", "none,later"},
                                     {"--passes", "3"},
                                     {"--size", "1.5"},
                                     {"--shape", "4"},
                                     {"--shape", "4,,4"}}) {
        CAPTURE(name);
        CHECK_THROWS_AS(with(name, text), Error);
    }
}

TEST_CASE("bench volumes: named volumes") {
    CHECK(set_voxels(named_volume("solid", {3, 4, 5})) == 60);
    CHECK(set_voxels(named_volume("random-0-g1", {16, 16, 16})) == 0);
    CHECK(set_voxels(named_volume("random-100-g4", {16, 16, 16})) == 4096);
    CHECK(set_voxels(named_volume("blobs-50", {16, 16, 16})) == 2048);
    CHECK(named_volume("random-30-g2", {8, 8, 8}).parameters == "density=30 granularity=2");
    for (const char* name : {"cube", "random-50", "random-50-g1x", "hilbert-"}) CHECK_THROWS_AS(named_volume(name, {8, 8, 8}), Error);
    CHECK(random_grid({8, 8, 8}, std::array{1, 4}).size() == 22);
}

TEST_CASE("bench volumes: the families") {
    const std::vector<Volume> all = families(64);
    const auto members = [&](const char* name) {
        return std::count_if(all.begin(), all.end(), [&](const Volume& v) { return v.name == name; });
    };
    CHECK(members("leveling") == 5);
    CHECK(members("scaling") == 11);
    CHECK(members("subdivision") == 3);
    CHECK(members("random-instancing") == 11);
    CHECK(members("random-merging") == 11);
    CHECK(members("spiral") == 11);
    for (const Volume& volume : all) {
        CAPTURE(volume.name);
        CAPTURE(volume.parameters);
        CHECK(volume.extent == Extent{64, 64, 1});
        const bool empty =
            volume.parameters.ends_with("factor=0") || (volume.name == "random-instancing" && volume.parameters.ends_with("probability=0"));
        CHECK((set_voxels(volume) == 0) == empty);
    }
    CHECK_NOTHROW(families(16));
}
