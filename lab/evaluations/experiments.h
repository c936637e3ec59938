// The experiments of the source papers, as options of the bench.
#pragma once
#include "lab/interface/options.h"

#include <span>

namespace voxcc::bench {

/// The volumes on which a trial runs: generated volumes, files of the user, or files if there are any and generated volumes otherwise.
enum class Source : std::uint8_t { generated, files, either };

/// One run of the bench.
struct Trial {
    Source source;
    std::string options;     // as on the command line; the user may give --size, --repeat and the like in place of them
    std::string fixed = {};  // options that replace the options of the user
};

/// A table or figure of a paper. Several have more than one name: "table1 table3 table5".
struct Experiment {
    std::string paper, items;
    std::string what;
    std::vector<Trial> trials;  // if one needs files, all do
};
/// All experiments, by paper.
std::span<const Experiment> all_experiments();

/// The experiments of options.paper, or of all papers, with the options of their trials, as text.
/// @throw Error invalid_argument if the paper is not known
std::string list_of_experiments(const Options& options);

/// The options of a trial, after the options of the user.
struct PlannedTrial {
    Options options;
    Source source;  // generated or files
};
/// The trials that options.paper and options.items select. Trials without one of the algorithms of the user are left out.
/// @param files number of input files
/// @param note receives a message about everything that is left out
/// @throw Error invalid_argument if the paper or an item is not known, or if an option is given that the experiments set
std::vector<PlannedTrial> planned_trials(const Options& options, std::size_t files, const std::function<void(const std::string&)>& note);

}  // namespace voxcc::bench
