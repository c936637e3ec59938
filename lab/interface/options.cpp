// Parses the options of a bench.
#include "lab/interface/options.h"

#include "lab/interface/option_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <sstream>

namespace voxcc::bench {
namespace {

constexpr std::array<std::pair<std::string_view, Test>, 7> tests{{{"average", Test::average},
                                                                  {"steps", Test::steps},
                                                                  {"granularity", Test::granularity},
                                                                  {"density", Test::density},
                                                                  {"memory", Test::memory},
                                                                  {"properties", Test::properties},
                                                                  {"model", Test::model}}};

/// The names of criteria. A difference or a colour difference follows names that end with a colon.
constexpr std::array<std::pair<std::string_view, Rule>, 4> criteria{
    {{"foreground", Rule::foreground}, {"equal", Rule::equal_values}, {"difference:", Rule::gradient}, {"colour:", Rule::colour}}};

bool has_amount(Rule rule) { return rule == Rule::gradient || rule == Rule::colour; }

std::string real_text(double value) {
    std::array<char, 32> text;
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

void assign_algorithms(Options& options, const std::string& text) {
    options.algorithms.clear();
    if (text == "all") return;
    for (const std::string& name : split("--algorithms", text)) {
        const Algorithm* algorithm = find_algorithm(name);
        if (!algorithm) throw Error(ErrorKind::no_such_algorithm, "--algorithms", "'" + name + "' is not an algorithm");
        options.algorithms.push_back(algorithm);
    }
}

void assign_device(Options& options, const std::string& text) {
    const auto device = device_of(text);
    if (!device) throw Error(ErrorKind::invalid_argument, "--device", "'" + text + "' is not a valid device", std::string(device_texts));
    options.device = *device;
}

void assign_tests(Options& options, const std::string& text) {
    options.tests.clear();
    std::string names;
    for (const auto& [name, test] : tests) {
        if (text == "all") options.tests.insert(test);
        names += (names.empty() ? "" : ", ") + std::string(name);
    }
    if (text == "all") return;
    for (const std::string& wanted : split("--tests", text)) {
        const auto found = std::find_if(tests.begin(), tests.end(), [&](const auto& t) { return t.first == wanted; });
        if (found == tests.end()) throw Error(ErrorKind::invalid_argument, "--tests", "'" + wanted + "' is not a test", "all, " + names);
        options.tests.insert(found->second);
    }
}

void assign_connectivities(Options& options, const std::string& text) {
    options.connectivities.clear();
    for (const std::string& number : split("--connectivity", text))
        options.connectivities.push_back(connectivity_of("--connectivity", number));
}

void assign_shape(Options& options, const std::string& text) {
    const std::vector<std::string> parts = split("--shape", text);
    if (parts.size() < 2 || parts.size() > 3)
        throw Error(ErrorKind::invalid_argument, "--shape", "'" + text + "' is not X,Y or X,Y,Z", "whole numbers, as in 256,256,100");
    const auto along = [&](std::size_t axis) { return axis < parts.size() ? integer_of("--shape", parts[axis], 1, 1 << 30) : 1; };
    options.shape = Extent{along(0), along(1), along(2)};
}

void assign_allocation(Options& options, const std::string& text) {
    if (text != "pool" && text != "fresh")
        throw Error(ErrorKind::invalid_argument, "--allocation", "'" + text + "' is not a valid value", "pool or fresh");
    options.allocation = text == "fresh" ? Allocation::fresh : Allocation::pool;
}

void assign_measures(Options& options, const std::string& text) {
    options.measures.clear();
    for (const std::string& name : split("--measure", text)) {
        const auto found = std::find_if(all_measures.begin(), all_measures.end(), [&](Measure m) { return name_of(m) == name; });
        if (found == all_measures.end())
            throw Error(ErrorKind::invalid_argument, "--measure", "'" + name + "' is not a valid value",
                        "none, early, late, late-per-voxel, analysis");
        options.measures.push_back(*found);
    }
}

void assign_criteria(Options& options, const std::string& text) {
    options.criteria.clear();
    for (const std::string& name : split("--criterion", text)) options.criteria.push_back(criterion_of(name));
}

void assign_passes(Options& options, const std::string& text) {
    if (text != "sum" && text != "each")
        throw Error(ErrorKind::invalid_argument, "--passes", "'" + text + "' is not a valid value", "sum or each");
    options.passes = text == "each" ? Options::Passes::each : Options::Passes::sum;
}

void assign_relabel(Options& options, const std::string& text) {
    if (text != "marks" && text != "scan")
        throw Error(ErrorKind::invalid_argument, "--relabel", "'" + text + "' is not a valid value", "marks or scan");
    options.relabel = text == "scan" ? Relabel::scan : Relabel::marks;
}

}  // namespace

std::vector<std::string> split(const std::string& option, const std::string& text) {
    std::vector<std::string> parts;
    std::istringstream stream(text + ",");
    for (std::string part; std::getline(stream, part, ',');) {
        if (part.empty())
            throw Error(ErrorKind::invalid_argument, option, "'" + text + "' is not a list",
                        "names with commas and without blanks between them");
        parts.push_back(part);
    }
    return parts;
}

std::string name_of(const Criterion& criterion) {
    for (const auto& [name, rule] : criteria)
        if (rule == criterion.rule) return std::string(name) + (has_amount(rule) ? real_text(criterion.most) : "");
    throw Error(ErrorKind::internal, "criterion", "unknown rule " + std::to_string(int(criterion.rule)));
}

Criterion criterion_of(const std::string& text) {
    for (const auto& [name, rule] : criteria) {
        if (!has_amount(rule) && text == name) return {rule, 0};
        if (!has_amount(rule) || !text.starts_with(name)) continue;
        double most = 0;
        const char* const end = text.data() + text.size();
        const auto [after, error] = std::from_chars(text.data() + name.size(), end, most);
        if (error == std::errc{} && after == end && most >= 0 && std::isfinite(most)) return {rule, most};
        throw Error(ErrorKind::invalid_argument, "--criterion",
                    "'" + text + "' is not a criterion; write a number of at least 0 after '" + std::string(name) + "'");
    }
    throw Error(ErrorKind::invalid_argument, "--criterion", "'" + text + "' is none of foreground, equal, difference:T, colour:T");
}

std::string_view name_of(Test test) { return tests[std::size_t(test)].first; }

void assign(Options& options, const std::string& name, const std::string& text) {
    const auto& texts = option_texts();
    const auto option = std::find_if(texts.begin(), texts.end(), [&](const OptionText& o) { return o.name == name; });
    if (option == texts.end()) throw Error(ErrorKind::invalid_argument, name, "is not an option");
    option->assign(options, text);
}

namespace {

/// The options without the list of given options.
std::vector<OptionText> plain_option_texts() {
    return {{"--algorithms", "LIST", "names from 'voxcc algorithms', or all (default: all)", assign_algorithms},
            {"--device", "DEVICE", "cpu, cuda:N, all, or several GPUs as in cuda:0,1 (default: cpu)", assign_device},
            {"--tests", "LIST", "names of tests, see docs/develop/bench.md, or all (default: average)", assign_tests},
            {"--repeat", "N", "timed runs per algorithm, after one warm-up run (default: 10)",
             [](Options& o, const std::string& text) { o.repeat = int(integer_of("--repeat", text, 1, 1'000'000)); }},
            {"--patience", "S", "skip an algorithm after S seconds on one volume (default: 60)",
             [](Options& o, const std::string& text) { o.patience = double(integer_of("--patience", text, 0, 1'000'000)); }},
            {"--measure", "LIST", "sums: none, early, late, late-per-voxel, analysis (default: none)", assign_measures},
            {"--criterion", "LIST", "foreground, equal, difference:T, colour:T (default: foreground)", assign_criteria},
            {"--passes", "sum|each", "times of a phase in 'steps': the sum, or also each pass (default: sum)", assign_passes},
            {"--relabel", "WAY", "numbering of roots: marks, or scan (only on voxels) (default: marks)", assign_relabel},
            {"--allocation", "WAY", "CUDA memory: pool, or fresh for every array (default: pool)", assign_allocation},
            {"--csv", "PATH", "table of results (default: stdout)", [](Options& o, const std::string& text) { o.csv = text; }},
            {"--connectivity", "LIST", "4, 8, 6, 18, 26 (default: 26 for volumes, 8 for images)", assign_connectivities},
            {"--volumes", "LIST", "such as random-50-g1, blobs-50; not with IN (default: a set per test)",
             [](Options& o, const std::string& text) { o.volumes = split("--volumes", text); }},
            {"--density-step", "N", "step between densities from 0 to 100, in % (default: 10)",
             [](Options& o, const std::string& text) { o.density_step = int(integer_of("--density-step", text, 1, 100)); }},
            {"--images", "N", "random volumes per name, with seeds 1 to N (default: 1)",
             [](Options& o, const std::string& text) { o.images = int(integer_of("--images", text, 1, 1'000'000)); }},
            {"--size", "N", "edge of volumes and images in voxels (default: depends on the test)",
             [](Options& o, const std::string& text) { o.size = integer_of("--size", text, 1, 1 << 20); }},
            {"--shape", "X,Y[,Z]", "extent of volumes in voxels, in place of a cube", assign_shape},
            {"--threads", "N", "CPU threads (default: all)",
             [](Options& o, const std::string& text) { o.threads = int(integer_of("--threads", text, 1, 4096)); }},
            {"--paper", "NAME", "experiments of allegretti, hennequin, asad, ziegler or shibata",
             [](Options& o, const std::string& text) { o.paper = text; }},
            {"--item", "LIST", "with --paper: tables and figures, such as table2,fig5 (default: all)",
             [](Options& o, const std::string& text) { o.items = split("--item", text); }},
            {"--list", "", "list the experiments of --paper, or of all papers",
             [](Options& o, const std::string&) { o.action = Options::Action::list; }}};
}

}  // namespace

const std::vector<OptionText>& option_texts() {
    static const std::vector<OptionText> texts = [] {
        std::vector<OptionText> recording = plain_option_texts();
        for (OptionText& option : recording)
            option.assign = [name = option.name, assign = option.assign](Options& options, const std::string& text) {
                assign(options, text);
                options.given.push_back({name, text});
            };
        return recording;
    }();
    return texts;
}

}  // namespace voxcc::bench
