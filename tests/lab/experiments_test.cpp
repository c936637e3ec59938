// Tests the experiments of the papers: their options, and that each of them runs.
#include "lab/evaluations/experiments.h"
#include "lab/evaluations/bench.h"

#include <doctest/doctest.h>

#include "device.h"

#include <algorithm>
#include <sstream>

using namespace voxcc;
using namespace voxcc::bench;

namespace {

using Given = std::initializer_list<std::pair<const char*, const char*>>;

Options with(const Given& given) {
    Options options;
    options.device = test_device();
    for (const auto& [name, text] : given) assign(options, name, text);
    return options;
}

struct Planned {
    std::vector<PlannedTrial> trials;
    std::vector<std::string> notes;
};
Planned planned(const Given& given, std::size_t files = 0) {
    Planned p;
    p.trials = planned_trials(with(given), files, [&](const std::string& text) { p.notes.push_back(text); });
    return p;
}

struct Ran {
    std::vector<std::string> lines, notes;
    /// The number of lines that contain all the texts.
    int count(std::initializer_list<const char*> texts) const {
        return int(std::count_if(lines.begin(), lines.end(), [&](const std::string& line) {
            return std::all_of(texts.begin(), texts.end(), [&](const char* text) { return line.find(text) != std::string::npos; });
        }));
    }
};
Ran ran(const Given& given, const std::vector<Volume>& inputs = {}) {
    std::string table;
    Ran r;
    run(with(given), "version-1", inputs, [&](std::string_view text) { table += text; },
        {[](std::int64_t, std::int64_t) {}, [&](const std::string& text) { r.notes.push_back(text); }});
    std::istringstream text(table);
    for (std::string line; std::getline(text, line);) r.lines.push_back(line);
    return r;
}

Volume file(const std::string& name) {
    return {.name = name,
            .parameters = {},
            .extent = {6, 5, 1},
            .voxels = [] { return std::vector<std::uint8_t>(30, 1); },
            .data_set = "xdocs"};
}

}  // namespace

TEST_CASE("experiments: each option is known, and so is each algorithm") {
    for (const Experiment& e : all_experiments())
        for (const Trial& trial : e.trials) {
            std::istringstream stream(trial.options + " " + trial.fixed);
            for (std::string name, text; stream >> name >> text;) {
                CAPTURE(e.paper);
                CAPTURE(e.items);
                CAPTURE(name);
                CAPTURE(text);
                Options options;
                CHECK_NOTHROW(assign(options, name, text));
            }
        }
}

TEST_CASE("experiments: options of the user override options of the experiment") {
    const Planned p = planned({{"--paper", "allegretti"}, {"--item", "fig15,table3"}, {"--size", "32"}, {"--images", "2"}});
    REQUIRE(p.trials.size() == 2);
    CHECK(p.trials[0].options.experiment == "allegretti/table3");
    const Options& fig15 = p.trials[1].options;
    CHECK(fig15.experiment == "allegretti/fig15");
    CHECK(fig15.tests == std::set{Test::granularity});
    CHECK(fig15.connectivities == std::vector{Connectivity::c8});
    CHECK(fig15.size == 32);
    CHECK(fig15.images == 2);
    CHECK(fig15.density_step == 1);
    const Planned one = planned({{"--paper", "allegretti"}, {"--item", "table3"}, {"--algorithms", "buf,uf"}});
    REQUIRE(one.trials.size() == 1);
    REQUIRE(one.trials[0].options.algorithms.size() == 1);
    CHECK(one.trials[0].options.algorithms[0]->name == "buf");
    CHECK(one.trials[0].options.size == 1024);
    const Planned scaled = planned({{"--paper", "ziegler"}, {"--item", "iterations"}, {"--size", "64"}});
    REQUIRE(scaled.trials.size() == 3);
    CHECK(*scaled.trials[0].options.shape == Extent{21, 64, 1});
    CHECK(*scaled.trials[1].options.shape == Extent{64, 48, 1});
    const Planned fixed = planned({{"--paper", "shibata"}, {"--item", "table7"}, {"--threads", "3"}});
    REQUIRE(fixed.trials.size() == 1);
    CHECK(fixed.trials[0].options.threads == 1);
}

TEST_CASE("experiments: a figure has several names") {
    CHECK(planned({{"--paper", "asad"}, {"--item", "fig7"}}).trials[0].options.experiment == "asad/table3");
    CHECK(planned({{"--paper", "asad"}, {"--item", "fig7,table3"}}).trials.size() == 1);
}

TEST_CASE("experiments: what is not possible is refused, or left out with a note") {
    CHECK_THROWS_AS(planned({{"--paper", "rosenfeld"}}), Error);
    CHECK_THROWS_AS(planned({{"--paper", "asad"}, {"--item", "table99"}}), Error);
    CHECK_THROWS_AS(planned({{"--paper", "asad"}, {"--tests", "memory"}}), Error);
    CHECK_THROWS_AS(ran({{"--item", "table2"}}), Error);
    CHECK_THROWS_AS(ran({{"--paper", "asad"}, {"--item", "table5"}}), Error);
    const Planned p = planned({{"--paper", "asad"}, {"--item", "table5"}});
    CHECK(p.trials.empty());
    REQUIRE(p.notes.size() == 1);
    CHECK(p.notes[0] == "asad/table5 is left out: it needs files");
    CHECK(planned({{"--paper", "asad"}, {"--item", "table5"}}, 1).trials.size() == 1);
}

TEST_CASE("experiments: colour images need a criterion that compares colours") {
    Volume image = file("a.png");
    image.channels = 3;
    image.value_type = ScalarType::u32;
    image.values = [] { return std::vector<std::byte>(120, std::byte{7}); };
    const Ran both = ran({{"--paper", "ziegler"}, {"--repeat", "1"}, {"--size", "16"}, {"--algorithms", "ziegler-links"}}, {image});
    REQUIRE(both.notes.size() == 2);
    CHECK(both.notes[0] == "a.png is left out: a colour image needs --criterion equal or colour:T");
    CHECK(both.notes[1].starts_with("ziegler/iterations is left out in part"));
    CHECK(both.count({",4,a.png,", "criterion=equal experiment=ziegler/colours,labelling,components,1,"}) == 1);
    CHECK(both.count({",4,a.png,", "criterion=colour:25 experiment=ziegler/colours,labelling,components,1,"}) == 1);
    CHECK(both.count({"a.png", "difference"}) == 0);
    CHECK_THROWS_AS(planned({{"--paper", "ziegler"}, {"--criterion", "equal"}}), Error);
}

TEST_CASE("experiments: the list shows every item") {
    const std::string all = list_of_experiments(with({{"--list", ""}}));
    const std::string asad = list_of_experiments(with({{"--list", ""}, {"--paper", "asad"}}));
    CHECK(all.find("hennequin fig5: ") != std::string::npos);
    CHECK(asad.find("asad table5 table6: ") != std::string::npos);
    CHECK(asad.find("hennequin") == std::string::npos);
    CHECK_THROWS_AS(list_of_experiments(with({{"--paper", "none"}})), Error);
}

TEST_CASE("experiments: all run on small volumes") {
    for (const Experiment& e : all_experiments()) {
        const std::string item = e.items.substr(0, e.items.find(' ')), name = "experiment=" + e.paper + "/" + item;
        if (e.trials.front().source == Source::files) continue;
        CAPTURE(name);
        const Ran r = ran({{"--paper", e.paper.c_str()},
                           {"--item", item.c_str()},
                           {"--size", e.trials.front().options.find("model") == std::string::npos ? "16" : "64"},
                           {"--repeat", "1"},
                           {"--images", "1"},
                           {"--density-step", "50"},
                           {"--patience", "1"}});
        CHECK(r.count({name.c_str()}) > 0);
        CHECK(r.count({"machine,"}) == 1);
        CHECK(r.count({name.c_str()}) == int(r.lines.size()) - 1);
    }
}

TEST_CASE("experiments: files replace the volumes, and data sets have a mean") {
    const Ran r = ran({{"--paper", "allegretti"}, {"--item", "table2"}, {"--repeat", "1"}}, {file("a.png"), file("b.png")});
    CHECK(r.count({"hilbert"}) == 0);
    CHECK(r.count({",buf,8,a.png,shape=6x5x1 experiment=allegretti/table2", ",labelling,median"}) == 1);
    const char* const data_set = ",buf,8,xdocs,experiment=allegretti/table2";
    CHECK(r.count({data_set, ",labelling,mean"}) == 1);
    CHECK(r.count({data_set, ",labelling,images,2,"}) == 1);
    CHECK(r.count({data_set, ",with allocation,mean"}) == 1);
    CHECK((r.count({"allocation=fresh"}) > 0) == (test_device().kind == Device::Kind::cuda));  // the CPU has one way to allocate
    const Ran early = ran({{"--paper", "asad"}, {"--item", "table6"}, {"--repeat", "1"}}, {file("a.png"), file("b.png")});
    for (const char* properties : {"none", "early", "late-per-voxel", "late"}) {
        CAPTURE(properties);
        const std::string parameters = ",tm,8,xdocs,properties=" + std::string(properties) + " experiment=asad/table5,";
        CHECK(early.count({parameters.c_str(), "labelling,mean"}) == 1);
        CHECK(early.count({parameters.c_str(), "labelling,images,2,"}) == 1);
    }
    CHECK(ran({{"--paper", "allegretti"}, {"--item", "hilbert"}, {"--repeat", "1"}, {"--size", "16"}, {"--algorithms", "buf"}},
              {file("a.png")})
              .count({"a.png"}) == 0);
}
