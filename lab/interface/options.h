// The options of a bench and their help texts; shared by `voxcc bench` and bench_algorithms.
#pragma once
#include <voxcc/device.h>
#include "kernels3d/exec/phases.h"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace voxcc::bench {

/// docs/develop/bench.md describes what each test measures, and names the source papers.
enum class Test : std::uint8_t { average, steps, granularity, density, memory, properties, model };
std::string_view name_of(Test test);

/// Which neighbouring voxels are connected.
struct Criterion {
    Rule rule = Rule::foreground;
    double most = 0;  // Rule::gradient and Rule::colour: the largest difference that connects, inclusive
    bool operator==(const Criterion&) const = default;
};
/// "foreground", "equal", "difference:2.5", "colour:25"
std::string name_of(const Criterion& criterion);
/// The criterion with this name.
/// @throw Error invalid_argument if the text is not the name of a criterion
Criterion criterion_of(const std::string& text);

/// An option and its value, as the user gave them.
struct GivenOption {
    std::string name, text;
};

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
    std::vector<Criterion> criteria{Criterion{}};  // each volume is labelled once per criterion that suits it
    Allocation allocation = Allocation::pool;      // on one CUDA device
    enum class Passes : std::uint8_t { sum, each } passes = Passes::sum;  // each: `steps` also writes the times of each call of a phase
    Relabel relabel = Relabel::marks;                                     // algorithms that do not support it are left out
    double patience = 60;                                                 // an algorithm is skipped after this many seconds on one volume
    std::string csv;                                                      // path of the table; empty: stdout
    int density_step = 10, images = 1;                                    // see Sampling (volumes.h)
    std::string paper;               // runs the experiments of this paper (experiments.h); empty: runs the tests
    std::vector<std::string> items;  // tables and figures of the paper; empty: all
    enum class Action { measure, list } action = Action::measure;  // list: write the experiments instead
    std::string experiment;          // "allegretti/table2", if these options belong to an experiment; a parameter of all rows
    std::vector<GivenOption> given;  // all options that have been assigned, in order
};

/// A command-line option with a value, or without one if metavar is empty.
struct OptionText {
    std::string name, metavar, help;
    std::function<void(Options&, const std::string& text)> assign;  // @throw Error invalid_argument if the text is not a valid value
};
/// Assigns an option by its name. `text` is ignored for options without a value.
/// @throw Error invalid_argument if no option has this name, or the text is not a valid value
void assign(Options& options, const std::string& name, const std::string& text);
/// The words of a list: "a,b"  ->  ["a", "b"].
/// @param option for the error message
/// @throw Error invalid_argument if a word is empty
std::vector<std::string> split(const std::string& option, const std::string& text);
/// All options, in the order of the help.
const std::vector<OptionText>& option_texts();

}  // namespace voxcc::bench
