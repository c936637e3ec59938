// Tests the options of the bench.
#include "lab/interface/options.h"

#include <doctest/doctest.h>

#include "kernels/volumes.h"
#include "lab/evaluations/volumes.h"

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

/// The volume of a name without *.
Volume only(const std::string& name, const Extent& extent) {
    const auto volumes = named_volumes(name, extent);
    REQUIRE(volumes.size() == 1);
    return volumes.front();
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
    CHECK(with("--measure", "early").measures == std::vector{Measure::early});
    CHECK(with("--criterion", "foreground,equal,difference:2.5,colour:25").criteria ==
          std::vector<Criterion>{{}, {Rule::equal_values}, {Rule::gradient, 2.5}, {Rule::colour, 25}});
    for (const char* name : {"foreground", "equal", "difference:2.5", "colour:25"}) CHECK(name_of(criterion_of(name)) == name);
    CHECK(with("--allocation", "fresh").allocation == Allocation::fresh);
    CHECK(Options{}.allocation == Allocation::pool);
    CHECK(with("--item", "table2,fig5").items == std::vector<std::string>{"table2", "fig5"});
    CHECK(with("--list", "").action == Options::Action::list);
    const Options recorded = with("--size", "9");
    REQUIRE(recorded.given.size() == 1);
    CHECK(recorded.given[0].name == "--size");
    CHECK(recorded.given[0].text == "9");
}

TEST_CASE("bench options: invalid values are refused") {
    for (const auto& [name, text] : {std::pair("--algorithms", "uf,bfu"),
                                     {"--algorithms", ""},
                                     {"--tests", "speed"},
                                     {"--relabel", "list"},
                                     {"--connectivity", "5"},
                                     {"--device", "gpu"},
                                     {"--repeat", "0"},
                                     {"--density-step", "0"},
                                     {"--images", "0"},
                                     {"--allocation", "stack"},
                                     {"--measure", "sometimes"},
                                     {"--measure", "none,later"},
                                     {"--criterion", "similar"},
                                     {"--criterion", "equal:1"},
                                     {"--criterion", "colour"},
                                     {"--criterion", "colour:"},
                                     {"--criterion", "colour:-1"},
                                     {"--criterion", "colour:1x"},
                                     {"--criterion", "difference:nan"},
                                     {"--criterion", "difference:inf"},
                                     {"--passes", "3"},
                                     {"--size", "1.5"},
                                     {"--shape", "4"},
                                     {"--shape", "4,,4"}}) {
        CAPTURE(name);
        CHECK_THROWS_AS(with(name, text), Error);
    }
}

TEST_CASE("bench volumes: named volumes") {
    CHECK(set_voxels(only("solid", {3, 4, 5})) == 60);
    CHECK(set_voxels(only("random-0-g1", {16, 16, 16})) == 0);
    CHECK(set_voxels(only("random-100-g4", {16, 16, 16})) == 4096);
    CHECK(set_voxels(only("blobs-50", {16, 16, 16})) == 2048);
    CHECK(only("random-30-g2", {8, 8, 8}).parameters == "density=30 granularity=2");
    CHECK(only("random-30-g2-mt19937", {8, 8, 8}).parameters == "density=30 granularity=2 generator=mt19937");
    CHECK(only("random-instancing-1-2-30", {32, 32, 1}).parameters == "level=1 subdivisions=2 probability=0.3");
    CHECK(only("hilbert-3", {8, 8, 8}).data_set == "hilbert");
    CHECK(only("random-50-g1-mt19937", {64, 64, 1}).voxels() != only("random-50-g1", {64, 64, 1}).voxels());
    CHECK(only("dry-earth", {64, 64, 1}).voxels() == volumes::made({.kind = TestVolumeKind::dry_earth, .extent = {64, 64, 1}}));
    CHECK(only("zigzag-spiral", {64, 64, 1}).form == Volume::Form::path);
    for (const char* name :
         {"cube", "random-50", "random-50-g1x", "hilbert-", "random-50-g1-mt", "random--5-g1", "random-101-g1", "hilbert-4", "leveling-1"})
        CHECK_THROWS_AS(named_volumes(name, {8, 9, 8}), Error);
}

TEST_CASE("bench volumes: * stands for all values, and seeds make several images") {
    const auto names = [](const std::string& name, const Extent& extent, const Sampling& sampling = {}) {
        std::string all;
        for (const Volume& volume : named_volumes(name, extent, sampling)) all += volume.name + " ";
        return all;
    };
    CHECK(names("random-*-g4", {8, 8, 1}, {.density_step = 50}) == "random-0-g4 random-50-g4 random-100-g4 ");
    CHECK(named_volumes("random-*-g*-mt19937", {8, 8, 1}, {.density_step = 1}).size() == 101 * 16);
    CHECK(names("hilbert-*", {64, 64, 64}) == "hilbert-1 hilbert-2 hilbert-3 hilbert-4 hilbert-5 hilbert-6 ");
    CHECK(names("leveling-*", {16, 16, 1}) == "leveling-1 leveling-2 leveling-3 ");
    CHECK(names("subdivision-1-*", {16, 16, 1}) == "subdivision-1-0 subdivision-1-1 subdivision-1-2 ");
    const auto images = named_volumes("random-50-g1", {32, 32, 1}, {.images = 3});
    REQUIRE(images.size() == 3);
    CHECK(images[2].parameters == "density=50 granularity=1 seed=3");
    CHECK(images[2].data_set == "random-50-g1");
    CHECK(images[0].voxels() == only("random-50-g1", {32, 32, 1}).voxels());
    CHECK(images[0].voxels() != images[1].voxels());
    CHECK(named_volumes("solid", {8, 8, 1}, {.images = 3}).size() == 1);
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
