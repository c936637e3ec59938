// The options of a bench and their help texts; shared by `voxcc bench` and bench_algorithms.
#pragma once
#include <voxcc/algorithms.h>
#include <voxcc/phases.h>

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace voxcc::bench {

/// docs/bench.md describes what each test measures, and names the source papers.
enum class Test : std::uint8_t { average, steps, granularity, density, memory, properties, model };
std::string_view name_of(Test test);

struct Options {
    std::vector<const Algorithm*> algorithms;  // algorithms; empty: all algorithms of the registry
    Device device;
    std::set<Test> tests{Test::average};
    std::vector<Connectivity> connectivities;      // empty: 26 for volumes, 8 for images
    std::vector<std::string> volumes;              // names (volumes.h); empty: the default set of the test
    std::optional<std::int64_t> size;              // edge of cubes and square images, in voxels; default: depends on the test
    std::optional<Extent> shape;                   // extent of named volumes, in place of a cube
    int repeat = 10, threads = 0;                  // timed runs per algorithm; CPU threads, 0: all
    std::vector<Measure> measures{Measure::none};  // ways to compute sums; each algorithm runs once per way that it supports
    enum class Passes : std::uint8_t { sum, each } passes = Passes::sum;  // each: `steps` also writes the times of each call of a phase
    Relabel relabel = Relabel::marks;                                     // algorithms that do not support it are left out
    double patience = 60;                                                 // an algorithm is skipped after this many seconds on one volume
    std::string csv;                                                      // path of the table; empty: stdout
};

/// A command-line option with a value.
struct OptionText {
    std::string name, metavar, help;
    std::function<void(Options&, const std::string& text)> assign;  // @throw Error invalid_argument if the text is not a valid value
};
/// All options, in the order of the help.
const std::vector<OptionText>& option_texts();

}  // namespace voxcc::bench
