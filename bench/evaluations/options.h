// What a bench is asked for, and the texts of that; shared by `voxcc bench` and bench_algorithms.
#pragma once
#include <voxcc/algorithms.h>
#include "kernels3d/algorithms/problem.h"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace voxcc::bench {

/// docs/bench.md says what each measures, and after which paper.
enum class Test : std::uint8_t { average, steps, granularity, density, memory, properties, model };
std::string_view name_of(Test test);

struct Options {
    std::vector<const AlgorithmRow*> rows;  // empty: all of the registry
    Device device;
    std::set<Test> tests{Test::average};
    std::vector<Connectivity> connectivities;  // empty: 26 for volumes, 8 for images
    std::vector<std::string> volumes;          // names (volumes.h); empty: a default set
    std::optional<std::int64_t> size;          // edge of cubes and of square images, where a test's own default is not wanted
    std::optional<Extent> shape;               // of named volumes instead of a cube
    int repeat = 10, threads = 0;              // threads 0: all
    algorithms::Measure measure = algorithms::Measure::none;  // late: labelling contains the sums of all components
    double patience = 60;                                     // seconds that a row may spend on a volume before it is not called again
    std::string csv;                                          // empty: stdout
};

/// An option with a value.
struct OptionText {
    std::string name, metavar, help;
    std::function<void(Options&, const std::string& text)> assign;  // @throw Error usage for a text that is not a value of its kind
};
const std::vector<OptionText>& option_texts();

}  // namespace voxcc::bench
