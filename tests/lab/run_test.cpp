// Tests the table that a bench writes, but not the measured times.
#include "kernels3d/api/algorithm_functions.h"
#include "lab/evaluations/bench.h"

#include <doctest/doctest.h>

#include "device.h"

#include <algorithm>
#include <sstream>

using namespace voxcc;
using namespace voxcc::bench;

namespace {

struct Line {
    std::string test, algorithm, connectivity, volume, parameters, phase, statistic, unit;
    double value;
};

struct Ran {
    std::vector<Line> lines;
    std::int64_t done = 0, total = 0;

    std::vector<Line> where(const std::string& test, const std::string& algorithm, const std::string& phase,
                            const std::string& statistic) const {
        std::vector<Line> found;
        for (const Line& l : lines)
            if (l.test == test && l.algorithm == algorithm && l.phase == phase && l.statistic == statistic) found.push_back(l);
        return found;
    }
};

/// Runs a bench with the given options and parses its table. The parsed columns must not contain quotes.
Ran ran(const std::vector<std::pair<const char*, const char*>>& given, const std::vector<Volume>& inputs = {}) {
    Options options;
    options.device = test_device();
    for (const auto& [name, text] : given)
        for (const OptionText& option : option_texts())
            if (option.name == name) option.assign(options, text);
    std::string table;
    Ran ran;
    run(options, "version-1", inputs, [&](std::string_view text) { table += text; },
        {[&](std::int64_t done, std::int64_t total) { ran.done = done, ran.total = total; }, [](const std::string&) {}});
    std::istringstream text(table);
    std::string line;
    std::getline(text, line);
    CHECK(line == "machine,device,driver,date,version,test,algorithm,connectivity,volume,parameters,phase,statistic,value,unit");
    while (std::getline(text, line)) {
        const std::size_t version = line.find(",version-1,");
        REQUIRE(version != std::string::npos);
        std::istringstream columns(line.substr(version + 11));
        Line l;
        std::string value;
        for (std::string* column : {&l.test, &l.algorithm, &l.connectivity, &l.volume, &l.parameters, &l.phase, &l.statistic, &value})
            std::getline(columns, *column, ',');
        std::getline(columns, l.unit);
        l.value = std::stod(value);
        ran.lines.push_back(l);
    }
    return ran;
}

}  // namespace

TEST_CASE("bench: average and steps of all algorithms on a named volume") {
    const Ran r = ran({{"--tests", "average,steps"}, {"--volumes", "checkerboard"}, {"--size", "12"}, {"--repeat", "2"}});
    CHECK(r.done == r.total);
    for (const Algorithm& algorithm : all_algorithms()) {
        const std::string name(algorithm.name);
        CAPTURE(name);
        const bool runs =
            supports(algorithm, Connectivity::c26) && (test_device().kind == Device::Kind::cpu || algorithm.functions->run_cuda);
        const auto components = r.where("average", name, "labelling", "components");
        REQUIRE(components.size() == (runs ? 1 : 0));
        if (!runs) continue;
        CHECK(components[0].value == 1);
        CHECK(components[0].parameters == "shape=12x12x12");
        CHECK(r.where("average", name, "labelling", "median").size() == 1);
        const auto time = [&](const char* phase) { return r.where("average", name, phase, "max").at(0).value; };
        CHECK(time("labelling") <= time("with allocation"));
        CHECK(time("with allocation") <= time("with allocation and transfers"));
        CHECK(r.where("average", name, "labelling", "share of ceiling").size() == 1);
        const double median = r.where("average", name, "labelling", "median")[0].value;
        CHECK(r.where("average", name, "labelling", "fps")[0].value == doctest::Approx(1000 / median));
        const auto own = r.where("average", name, "labelling", "own memory"),
                   allocated = r.where("average", name, "labelling", "allocated");
        CHECK(own.size() == (algorithm.is_published() || test_device().kind == Device::Kind::cuda ? 1 : 0));
        REQUIRE(allocated.size() == own.size());
        if (!own.empty()) CHECK(allocated[0].value >= own[0].value);
        CHECK(r.where("steps", name, "allocation", "median").size() == 1);
        CHECK(r.where("steps", name, "number", "median").size() == 1);
    }
    CHECK(r.where("average", "ceiling", "labelling", "median").size() == 1);
}

TEST_CASE("bench: phases of an algorithm, grouped") {
    const Ran r = ran({{"--tests", "steps"}, {"--volumes", "solid"}, {"--size", "8"}, {"--repeat", "1"}, {"--algorithms", "le-hle"}});
    for (const char* phase :
         {"init/prelabel", "merge/first scan", "merge/scan", "compress/analysis", "compress/update", "number", "paint"}) {
        CAPTURE(phase);
        CHECK(r.where("steps", "le-hle", phase, "median").size() == 1);
    }
}

TEST_CASE("bench: the global merges of tm are steps of their own") {
    const Ran r = ran({{"--tests", "steps"}, {"--volumes", "solid"}, {"--shape", "65,9"}, {"--repeat", "1"}, {"--algorithms", "tm"}});
    for (const char* phase : {"local/local merge", "merge/global merge 1", "merge/global merge 2", "compress/path compression"}) {
        CAPTURE(phase);
        CHECK(r.where("steps", "tm", phase, "median").size() == 1);
    }
    CHECK(r.where("steps", "tm", "merge/global merge 3", "median").empty());
}

TEST_CASE("bench: relabelling by a scan is named in the parameters, and left out where it does not exist") {
    const Ran r = ran({{"--tests", "average,memory"},
                       {"--volumes", "solid"},
                       {"--size", "8"},
                       {"--repeat", "1"},
                       {"--algorithms", "uf,buf,block-runs"},
                       {"--relabel", "scan"}});
    for (const char* test : {"average", "memory"}) {
        CAPTURE(test);
        const auto uf = r.where(test, "uf", "labelling", *test == 'a' ? "median" : "reads");
        REQUIRE(uf.size() == 1);
        CHECK(uf[0].parameters == "shape=8x8x8 relabel=scan");
    }
    CHECK(r.where("average", "uf", "labelling", "own memory")[0].value >= 4 * 512);  // one flag per voxel
    CHECK(r.where("average", "buf", "labelling", "median").empty());
    CHECK(r.where("average", "block-runs", "labelling", "median").empty());
}

TEST_CASE("bench: density and granularity are curves") {
    const Ran r = ran({{"--tests", "density,granularity"}, {"--size", "8"}, {"--repeat", "1"}, {"--algorithms", "uf"}});
    CHECK(r.where("density", "uf", "labelling", "median").size() == 11);
    CHECK(r.where("granularity", "uf", "labelling", "median").size() == 55);
    CHECK(r.where("granularity", "ceiling", "labelling", "median").size() == 55);
}

TEST_CASE("bench: the default sets follow the connectivity") {
    const Ran r = ran({{"--tests", "average"}, {"--size", "16"}, {"--repeat", "1"}, {"--algorithms", "uf"}, {"--connectivity", "6,26,8"}});
    const auto medians = r.where("average", "uf", "labelling", "median");
    const auto of = [&](const char* connectivity, const char* volume) {
        return std::count_if(medians.begin(), medians.end(),
                             [&](const Line& l) { return l.connectivity == connectivity && l.volume == volume; });
    };
    CHECK(medians.size() == 15);
    CHECK(of("6", "hilbert-4") == 1);
    CHECK(of("26", "hilbert-4") == 1);
    CHECK(of("8", "spiral") == 1);
}

TEST_CASE("bench: inputs are measured unchanged; connectivities 6 and 4 of an image once") {
    const Volume input{"mine", {}, {5, 4, 1}, [] { return std::vector<std::uint8_t>(20, 1); }};
    const Ran r = ran({{"--tests", "average,memory"}, {"--repeat", "1"}, {"--algorithms", "uf-flat"}, {"--connectivity", "6,4"}}, {input});
    CHECK(r.where("average", "uf-flat", "labelling", "components").size() == 1);
    const auto reads = r.where("memory", "uf-flat", "init", "reads");
    REQUIRE(reads.size() == 1);
    CHECK(reads[0].value == 1);
    CHECK(r.where("memory", "uf-flat", "init", "bytes written")[0].value == 4);
    CHECK(r.where("memory", "uf-flat", "labelling", "reads").size() == 1);
}

TEST_CASE("bench: properties and the model") {
    const Ran r = ran({{"--tests", "properties,model"}, {"--size", "70"}, {"--repeat", "1"}, {"--algorithms", "tm,le-hle,uf,block-runs"}});
    CHECK(r.done == r.total);
    for (const char* name : {"tm", "le-hle"}) {
        CAPTURE(name);
        CHECK(r.where("properties", name, "labelling", "components").size() == 4 * 52);
        CHECK(r.where("properties", name, "labelling", "mean").size() == 4 * 7);  // six families, and "all"
        const auto own = r.where("properties", name, "measure/properties", "own memory");
        for (const Line& l : own) {
            if (l.parameters.ends_with("properties=ordinary")) CHECK(l.value == 0);
            if (l.parameters.ends_with("properties=early")) CHECK(l.value >= 48 * 64 * 64);
        }
        CHECK(r.where("model", name, "labelling", "mean").size() == 4 * 3);
        for (const char* of : {"c of mean", "b of deviation", "rms error of mean", "max error of deviation"})
            CHECK(r.where("model", name, "labelling", of).size() == 4);
    }
    CHECK(r.where("properties", "uf", "labelling", "mean").empty());
    CHECK(r.where("properties", "block-runs", "labelling", "mean").size() == 2 * 7);  // ordinary and late
}

TEST_CASE("bench: --measure runs each algorithm in each way that it supports") {
    const Ran r = ran({{"--tests", "average,steps"},
                       {"--volumes", "random-30-g2"},
                       {"--size", "40"},
                       {"--repeat", "1"},
                       {"--algorithms", "ha4,uf,le-kle,block-runs"},
                       {"--connectivity", "4"},
                       {"--measure", "none,early,late,late-per-voxel,analysis"}});
    CHECK(r.done == r.total);
    const auto ways = [&](const char* algorithm, const char* phase) {
        std::vector<std::string> found;
        for (const Line& l : r.where("steps", algorithm, phase, "median"))
            found.push_back(l.parameters.substr(l.parameters.rfind(' ') + 1));
        return found;
    };
    using Ways = std::vector<std::string>;
    CHECK(ways("ha4", "measure/properties") == Ways{"properties=late", "properties=late-per-voxel", "properties=analysis"});
    CHECK(ways("ha4", "compress/relabel") == Ways{"properties=none", "properties=late", "properties=late-per-voxel"});
    CHECK(ways("uf", "paint") == Ways{"properties=none", "properties=late", "properties=late-per-voxel"});
    CHECK(ways("le-kle", "measure/properties") == Ways{"properties=early", "properties=late", "properties=late-per-voxel"});
    CHECK(r.where("average", "block-runs", "labelling", "median").size() == 2);
    const auto components = r.where("average", "ha4", "labelling", "components");
    REQUIRE(components.size() == 4);
    for (const Line& l : components) CHECK(l.value == components[0].value);
    CHECK_THROWS_AS(ran({{"--algorithms", "uf"}, {"--measure", "analysis"}, {"--size", "8"}}), Error);
}

TEST_CASE("bench: steps have the calls of each phase, and on request the time of each pass") {
    const std::initializer_list<std::pair<const char*, const char*>> given{
        {"--tests", "steps"}, {"--volumes", "spiral"}, {"--size", "16"}, {"--repeat", "1"}, {"--algorithms", "shibata-naive,uf-flat"},
        {"--threads", "1"}};
    const Ran sum = ran(given);
    const auto calls = sum.where("steps", "shibata-naive", "merge/propagate", "calls");
    REQUIRE(calls.size() == 1);
    CHECK(calls[0].value > 3);
    CHECK(sum.where("steps", "uf-flat", "merge", "calls").at(0).value == 1);
    CHECK(sum.where("steps", "shibata-naive", "merge/propagate 1", "median").empty());

    std::vector<std::pair<const char*, const char*>> with_passes(given);
    with_passes.emplace_back("--passes", "each");
    const Ran each = ran(with_passes);
    const int passes = int(each.where("steps", "shibata-naive", "merge/propagate", "calls").at(0).value);
    double total = 0;
    for (int pass = 1; pass <= passes; ++pass) {
        const auto lines = each.where("steps", "shibata-naive", "merge/propagate " + std::to_string(pass), "median");
        REQUIRE(lines.size() == 1);
        total += lines[0].value;
    }
    CHECK(each.where("steps", "shibata-naive", "merge/propagate " + std::to_string(passes + 1), "median").empty());
    CHECK(total == doctest::Approx(each.where("steps", "shibata-naive", "merge/propagate", "median").at(0).value));
    CHECK(each.where("steps", "uf-flat", "merge 1", "median").empty());
}

TEST_CASE("bench: with zero patience, the warm-up run is the result") {
    const Ran r = ran({{"--tests", "average"}, {"--volumes", "solid"}, {"--size", "8"}, {"--patience", "0"}, {"--algorithms", "uf"}});
    CHECK(r.done == r.total);
    CHECK(r.where("average", "uf", "labelling", "runs")[0].value == 1);
}

TEST_CASE("bench: path-walking algorithms run only if they are named") {
    const auto runs = [](const char* algorithms) {
        return ran({{"--volumes", "hilbert-2"}, {"--size", "4"}, {"--repeat", "1"}, {"--algorithms", algorithms}})
            .where("average", "ziegler-gather", "labelling", "runs")
            .size();
    };
    CHECK(runs("all") == 0);
    CHECK(runs("ziegler-gather") == 1);
}

TEST_CASE("bench: a bench without measurements is an error") {
    CHECK_THROWS_AS(ran({{"--tests", "properties"}, {"--size", "8"}}), Error);
    CHECK_THROWS_AS(ran({{"--tests", "properties"}, {"--size", "64"}, {"--algorithms", "uf"}}), Error);
    CHECK_THROWS_AS(ran({{"--tests", "average"}, {"--algorithms", "ha4"}, {"--connectivity", "26"}}), Error);
    CHECK_THROWS_AS(ran({{"--tests", "average"}, {"--algorithms", "buf"}, {"--relabel", "scan"}}), Error);
}
