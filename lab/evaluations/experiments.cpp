// The table of experiments, and their options.
#include "lab/evaluations/experiments.h"

#include <algorithm>
#include <array>
#include <sstream>

namespace voxcc::bench {
namespace {

const std::string allegretti_algorithms = "--algorithms buf,buf-ic,bke,bke-ic,be,uf,ole,lbuf,ke,dlp,block-runs";
const std::string hilbert_curves = " --volumes hilbert-* --size 128";
const std::string asad_algorithms = "--algorithms le-hybrid,tm,block-runs";

std::vector<Experiment> allegretti() {
    const std::string& all = allegretti_algorithms;
    const std::string without_ic = "--algorithms buf,bke,be,uf,ole,lbuf,ke,dlp,block-runs";
    const std::string grid = " --tests granularity --volumes random-*-g*-mt19937 --density-step 1 --images 10 --repeat 1";
    return {
        {"allegretti",
         "table2",
         "milliseconds per volume, and their mean per data set; without files: the Hilbert curves",
         {{Source::either, all + " --tests average --connectivity 26 --allocation fresh" + hilbert_curves}}},
        {"allegretti",
         "table3",
         "memory accesses per phase, with and without inline compression",
         {{Source::either,
           "--algorithms buf,buf-ic,bke,bke-ic --tests memory --connectivity 8 --size 1024 "
           "--volumes random-50-g1-mt19937,random-50-g4-mt19937,random-50-g16-mt19937,blobs-50"}}},
        {"allegretti",
         "table4",
         "calls per phase (iterations) by density, for the iterative algorithms",
         {{Source::generated,
           "--algorithms ole,be,le-hle,le-kle,le-hybrid --tests steps --connectivity 8 --size 2048 --volumes random-*-g1-mt19937 "
           "--density-step 10 --images 10"}}},
        {"allegretti",
         "fig13",
         "milliseconds per phase, images",
         {{Source::either,
           all + " --tests average,steps --connectivity 8 --size 2048 --allocation fresh --volumes random-50-g8-mt19937,blobs-50"}}},
        {"allegretti",
         "fig14",
         "milliseconds per phase, volumes",
         {{Source::either, all + " --tests average,steps --connectivity 26 --allocation fresh" + hilbert_curves}}},
        {"allegretti",
         "fig15",
         "random images: densities 0 to 100 %, granularities 1 to 16, ten images each",
         {{Source::generated, without_ic + grid + " --connectivity 8 --size 2048"}}},
        {"allegretti",
         "fig16",
         "block-runs on the CPU (in place of DRAG) and the GPU algorithms, with allocation and transfers",
         {{Source::either, "--tests average --connectivity 8 --size 2048 --volumes blobs-10", "--device cpu --algorithms block-runs"},
          {Source::either,
           "--algorithms buf,buf-ic,bke,bke-ic,block-runs --tests average --connectivity 8 --size 2048 --allocation fresh --volumes "
           "blobs-10"}}},
        {"allegretti",
         "fig17",
         "random volumes: densities 0 to 100 %, granularities 1 to 16, ten volumes each",
         {{Source::generated, without_ic + grid + " --connectivity 26 --size 256"}}},
        {"allegretti",
         "hilbert",
         "the Hilbert curves of orders 1 to 6, and their mean",
         {{Source::generated, all + " --tests average --connectivity 26,6 --allocation fresh" + hilbert_curves}}},
    };
}

std::vector<Experiment> hennequin() {
    const std::string images = " --connectivity 4 --size 2048", labelling = "--algorithms playne,playne-block,dlp,ha4,ha4-64,block-runs";
    const std::string analysis = "--algorithms ha4,ha4-64 --tests average,steps --volumes random-*-g4-mt19937 --density-step 5" + images;
    return {
        {"hennequin",
         "fig5",
         "milliseconds per phase by density, granularity 4; images per second",
         {{Source::generated, labelling + " --tests average,steps --volumes random-*-g4-mt19937 --density-step 5" + images}}},
        {"hennequin",
         "fig6",
         "analysis of components: without labels, after labelling by segments, and after labelling per voxel",
         {{Source::generated, analysis + " --measure analysis,late,late-per-voxel"}}},
        {"hennequin",
         "granularity",
         "densities 0 to 100 %, granularities 1 to 16",
         {{Source::generated, labelling + " --tests granularity --volumes random-*-g*-mt19937 --density-step 10" + images}}},
        {"hennequin",
         "percolation",
         "densities 59 to 69 %, granularity 4, around the percolation threshold of 4 neighbours",
         {{Source::generated,
           labelling + " --tests average,steps" + images +
               " --volumes random-59-g4-mt19937,random-60-g4-mt19937,random-61-g4-mt19937,random-62-g4-mt19937,random-63-g4-mt19937,"
               "random-64-g4-mt19937,random-65-g4-mt19937,random-66-g4-mt19937,random-67-g4-mt19937,random-68-g4-mt19937,"
               "random-69-g4-mt19937"}}},
    };
}

std::vector<Experiment> asad() {
    const std::string& all = asad_algorithms;
    const std::string images = " --connectivity 8 --size 8192";
    return {
        {"asad",
         "table3 table1 fig7 fig8 fig9",
         "six families of images: ordinary, early, late per voxel (the paper's late) and late; per phase, and mean and deviation per "
         "family",
         {{Source::generated, all + " --tests properties" + images}}},
        {"asad", "table4", "the same for 16384^2 pixels", {{Source::generated, all + " --tests properties --connectivity 8 --size 16384"}}},
        {"asad",
         "fig5",
         "neighbours in the first scan: F4 (le-hybrid), F8 and P4",
         {{Source::generated,
           "--algorithms le-hybrid,le-hybrid-f8,le-hybrid-p4 --tests steps"
           " --volumes subdivision-1-*,random-instancing-1-9-*" +
               images}}},
        {"asad",
         "fig6",
         "a flag per thread block (le-hybrid) and a global flag",
         {{Source::generated,
           "--algorithms le-hybrid,le-hybrid-global --tests steps"
           " --volumes leveling-*,subdivision-3-*,subdivision-5-*,random-instancing-3-5-*,random-instancing-5-5-*" +
               images}}},
        {"asad",
         "table5 table6",
         "data sets (files): ordinary, early, late per voxel (the paper's late) and late; mean and deviation over the images",
         {{Source::files, all + " --tests average --connectivity 8 --measure none,early,late-per-voxel,late"}}},
        {"asad",
         "table7 table8 fig10",
         "mean and deviation as functions of the number of pixels",
         {{Source::generated, all + " --tests model" + images}}},
    };
}

std::vector<Experiment> ziegler() {
    const std::string all =
        "--algorithms ziegler-gather,ziegler-masters,ziegler-max-gather,ziegler-links,ziegler-master-slave"
        " --tests average,steps --repeat 3 --connectivity ";
    const std::string rest = all + "4", volumes = " --volumes blobs-50,random-70-g8 --shape ";
    // The slides connect colours whose channels differ by less than 0.1 in total, where 1 is the largest value: 25 of 255.
    const std::string criteria = " --criterion equal,difference:25,colour:25";
    const std::string colours = criteria + " --volumes smooth-grey-4,random-rgb-2-g8,smooth-rgb-16,smooth-rgba-16 --shape ";
    return {
        {"ziegler",
         "iterations",
         "calls per phase (iterations) with and without links and masters, and milliseconds, for three sizes of images",
         {{Source::either, rest + volumes + "100,300"},
          {Source::generated, rest + volumes + "1024,768"},
          {Source::generated, rest + volumes + "4096,4096"}}},
        {"ziegler",
         "colours",
         "calls per phase (iterations) and milliseconds for grey and colour images: equal values, and differences up to a tenth",
         {{Source::either, all + "4,8" + colours + "100,300"},
          {Source::generated, all + "4,8" + colours + "1024,768"},
          {Source::generated, all + "4" + colours + "4096,4096"}}},
    };
}

std::vector<Experiment> shibata() {
    const std::string rest = " --tests average,steps --passes each --connectivity 8";
    const std::string earth = rest + " --volumes dry-earth --size 768", zigzag = rest + " --volumes zigzag-spiral --size 1280";
    const std::string all = "--algorithms shibata,shibata-slow,shibata-naive";
    return {
        {"shibata", "table1 table3 table5", "milliseconds per pass, dry earth", {{Source::either, "--algorithms shibata" + earth}}},
        {"shibata", "table2 table4 table6", "milliseconds per pass, zigzag spiral", {{Source::generated, "--algorithms shibata" + zigzag}}},
        {"shibata", "table7", "one CPU thread, dry earth", {{Source::either, "--algorithms shibata" + earth, "--device cpu --threads 1"}}},
        {"shibata",
         "table8",
         "one CPU thread, zigzag spiral",
         {{Source::generated, "--algorithms shibata" + zigzag, "--device cpu --threads 1"}}},
        {"shibata",
         "steps",
         "the naive, the slow and the fast kernel (sections 4 to 6)",
         {{Source::generated, all + rest + " --volumes spiral,zigzag-spiral,dry-earth --size 256 --repeat 3"}}},
    };
}

/// The options that experiments set.
constexpr std::array<std::string_view, 6> set_by_experiments{"--tests",   "--connectivity", "--volumes",
                                                             "--measure", "--shape",        "--criterion"};

std::string papers() {
    std::string names;
    for (const Experiment& e : all_experiments())
        if (names.find(e.paper) == std::string::npos) names += (names.empty() ? "" : ", ") + e.paper;
    return names;
}

void check_paper(const std::string& paper) {
    const auto all = all_experiments();
    if (std::none_of(all.begin(), all.end(), [&](const Experiment& e) { return e.paper == paper; }))
        throw Error(ErrorKind::invalid_argument, "--paper", "'" + paper + "' is not a paper", papers());
}

std::vector<std::string> words(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> all;
    for (std::string word; stream >> word;) all.push_back(word);
    return all;
}

bool has_item(const Experiment& e, const std::string& item) {
    const std::vector<std::string> names = words(e.items);
    return std::find(names.begin(), names.end(), item) != names.end();
}

/// The experiments that the options select.
std::vector<const Experiment*> selected(const Options& options) {
    std::vector<const Experiment*> of_paper, chosen;
    std::string names;
    for (const Experiment& e : all_experiments())
        if (e.paper == options.paper) {
            of_paper.push_back(&e);
            for (const std::string& name : words(e.items)) names += (names.empty() ? "" : ", ") + name;
        }
    for (const std::string& item : options.items)
        if (std::none_of(of_paper.begin(), of_paper.end(), [&](const Experiment* e) { return has_item(*e, item); }))
            throw Error(ErrorKind::invalid_argument, "--item", "'" + item + "' is not an item of the paper", names);
    for (const Experiment* e : of_paper)
        if (options.items.empty() ||
            std::any_of(options.items.begin(), options.items.end(), [&](const std::string& item) { return has_item(*e, item); }))
            chosen.push_back(e);
    return chosen;
}

/// Assigns the options of an experiment.
void assign_all(Options& options, const std::string& text) {
    const std::vector<std::string> parts = words(text);
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2) assign(options, parts[i], parts[i + 1]);
}

/// Replaces options of an experiment by the options of the user.
void assign_given(Options& options, const Options& user) {
    for (const GivenOption& given : user.given)
        if (given.name != "--algorithms") assign(options, given.name, given.text);
    if (!user.algorithms.empty())
        std::erase_if(options.algorithms, [&](const Algorithm* algorithm) {
            return std::find(user.algorithms.begin(), user.algorithms.end(), algorithm) == user.algorithms.end();
        });
    if (user.size && options.shape) {  // --size is the longest edge of the shape
        Extent& e = *options.shape;
        const std::int64_t longest = std::max({e.nx, e.ny, e.nz});
        for (std::int64_t* n : {&e.nx, &e.ny, &e.nz}) *n = std::max<std::int64_t>(*n * *user.size / longest, 1);
    }
}

}  // namespace

std::span<const Experiment> all_experiments() {
    static const std::vector<Experiment> all = [] {
        std::vector<Experiment> experiments;
        for (const auto& of_paper : {allegretti(), hennequin(), asad(), ziegler(), shibata()})
            experiments.insert(experiments.end(), of_paper.begin(), of_paper.end());
        return experiments;
    }();
    return all;
}

std::string list_of_experiments(const Options& options) {
    if (!options.paper.empty()) check_paper(options.paper);
    std::string text;
    for (const Experiment& e : all_experiments()) {
        if (!options.paper.empty() && e.paper != options.paper) continue;
        text += e.paper + " " + e.items + ": " + e.what + "\n";
        for (const Trial& trial : e.trials)
            text += "    " + trial.options + (trial.fixed.empty() ? "" : " " + trial.fixed) +
                    (trial.source == Source::files ? " IN..." : "") + "\n";
    }
    return text;
}

std::vector<PlannedTrial> planned_trials(const Options& user, std::size_t files, const std::function<void(const std::string&)>& note) {
    check_paper(user.paper);
    for (const GivenOption& given : user.given)
        if (std::find(set_by_experiments.begin(), set_by_experiments.end(), given.name) != set_by_experiments.end())
            throw Error(ErrorKind::invalid_argument, given.name, "cannot be given with --paper, which sets it; leave it out");
    std::vector<PlannedTrial> planned;
    for (const Experiment* e : selected(user)) {
        const std::string name = e->paper + "/" + words(e->items).front();
        if (e->trials.front().source == Source::files && files == 0) {
            note(name + " is left out: it needs files");
            continue;
        }
        for (const Trial& trial : e->trials) {
            Options options;
            assign_all(options, trial.options);
            assign_given(options, user);
            assign_all(options, trial.fixed);
            options.experiment = name;
            if (options.algorithms.empty()) {
                note(name + " is left out in part: none of its algorithms is in --algorithms");
                continue;
            }
            const bool reads_files = trial.source != Source::generated && files > 0;
            if (reads_files) options.volumes.clear(), options.size.reset(), options.shape.reset();
            planned.push_back({std::move(options), reads_files ? Source::files : Source::generated});
        }
    }
    return planned;
}

}  // namespace voxcc::bench
