// The options of `voxcc tree`.
#include "src/cli/cli_parts.h"
#include "src/cli/label_checks.h"
#include "src/errors/program_error.h"
#include "src/options/tree_options.h"

#include <limits>

namespace voxcc::cli {
namespace {

using Sign = TreeOptions::Sign;
constexpr double largest = std::numeric_limits<double>::max();

[[noreturn]] void refuse_tree(const std::string& subject, const std::string& cause, const std::string& remedy) {
    throw ProgramError(ErrorKind::invalid_argument, subject, cause, remedy);
}

NamedPaths volumes_of(const TreeOptions& o) {
    return {{"--tfce", o.tfce}, {"--h-maxima", o.h_maxima}, {"--area-opening", o.area_opening}, {"--dynamics", o.dynamics}};
}

void check_tree(const TreeOptions& o) {
    const NamedPaths tables{{"--nodes", o.nodes}, {"--counts", o.counts}};
    check_tables(tables);
    NamedPaths outputs = tables;
    const NamedPaths volumes = volumes_of(o);
    outputs.insert(outputs.end(), volumes.begin(), volumes.end());
    check_different(outputs);
    if (std::ranges::all_of(outputs, [](const auto& output) { return output.second.empty(); }))
        refuse_tree("tree", "needs an output", "name one, as in --nodes maxima.csv or --tfce enhanced.nii.gz");
    if (!o.thresholds.empty() && o.counts.empty()) refuse_tree("--thresholds", "are for --counts, which is not given", "add --counts");
    if (o.tfce.empty() && (o.rule.e != TfceRule{}.e || o.rule.h != TfceRule{}.h || o.rule.step))
        refuse_tree("--tfce-e, --tfce-h, --tfce-step", "are for --tfce, which is not given", "add --tfce");
    if (o.sign != Sign::both) return;
    for (const auto& [option, path] : outputs)
        if (!path.empty() && option != "--tfce")
            refuse_tree(option, "cannot be combined with --sign both, which is for --tfce", "choose --sign positive or negative");
}

/// "exact", or a number above 0.
std::optional<double> parse_step(const Argument& argument) {
    if (argument.text == "exact") return std::nullopt;
    const double step = parse_real(argument, {0, largest});
    if (step == 0) refuse_tree(argument.option, "is 0, but a step must be above 0", "give a larger step, as in 0.1, or exact");
    return step;
}

std::vector<double> parse_thresholds(const Argument& argument) {
    std::vector<double> thresholds;
    for (const std::string& text : split_at_commas(argument.text))
        thresholds.push_back(parse_real({argument.option, text}, {-largest, largest}));
    return thresholds;
}

void add_tfce(CLI::App& app, TreeOptions& o) {
    add_path(app, "--tfce", "volume: threshold-free cluster enhancement of values above 0", o.tfce)->group(help_group::output);
    add_value(app, "--tfce-e", "E", "exponent of the extent (default: 0.5)", [&o](const Argument& argument) {
        o.rule.e = parse_real(argument, {0, 100});
    })->group(help_group::measures);
    add_value(app, "--tfce-h", "H", "exponent of the height (default: 2)", [&o](const Argument& argument) {
        o.rule.h = parse_real(argument, {0, 100});
    })->group(help_group::measures);
    add_value(app, "--tfce-step", "exact|DH", "exact integral, or the sum over the multiples of DH (default: exact)",
              [&o](const Argument& argument) { o.rule.step = parse_step(argument); })
        ->group(help_group::measures);
}

/// Adds an option with two values: a number, and the path of a volume.
/// @param assign is called with the number
void add_filter(CLI::App& app, const std::string& name, const std::string& metavar, const std::string& help, std::string& path,
                std::function<void(const Argument&)> assign) {
    add_values(app, name, metavar + " PATH", help,
               [=, &path](const std::vector<Argument>& values) {
                   if (values.size() != 2) refuse_tree(name, "is given several times", "give it once");
                   assign(values[0]);
                   path = parse_path(values[1]);
               })
        ->type_size(2)
        ->group(help_group::output);
}

void add_filters(CLI::App& app, TreeOptions& o) {
    add_filter(app, "--h-maxima", "H", "volume: 1 in maxima with dynamics of at least H, 0 elsewhere", o.h_maxima,
               [&o](const Argument& argument) {
                   o.height = parse_real(argument, {0, largest});
               });
    add_filter(app, "--area-opening", "N", "volume: values without the peaks of fewer than N voxels", o.area_opening,
               [&o](const Argument& argument) {
                   o.least_voxels = std::uint64_t(parse_whole(argument, {1, std::numeric_limits<std::int64_t>::max()}));
               });
    add_path(app, "--dynamics", "volume: the dynamics of each maximum in its voxels, 0 elsewhere", o.dynamics)->group(help_group::output);
}

}  // namespace

Subcommand add_tree(CLI::App& program) {
    const auto options = std::make_shared<TreeOptions>();
    TreeOptions& o = *options;
    CLI::App* app = program.add_subcommand("tree", "components of all thresholds: maxima, TFCE, h-maxima, area opening");
    add_message_options(*app, o.messages);
    add_file(*app, "IMAGE", "volume", o.image);
    add_path(*app, "--mask", "use only voxels where this volume is neither 0 nor NaN", o.mask)->group(help_group::input);
    add_connectivity_number(*app, "neighbours: 6 18 26 (3D), 4 8 (2D) (default: 26, 2D: 8)", o.connectivity)
        ->group(help_group::connectivity);
    add_choice<Sign>(*app, "--sign", "positive: maxima; negative: minima; both: for --tfce (default: positive)",
                     {{"positive", Sign::positive}, {"negative", Sign::negative}, {"both", Sign::both}}, [&o](Sign sign) { o.sign = sign; })
        ->option_text("SIGN")
        ->group(help_group::foreground);
    add_path(*app, "--nodes", "table with one row per maximum: position, death, persistence; - for stdout", o.nodes)
        ->group(help_group::output);
    add_path(*app, "--counts", "table with the number of components per threshold; - for stdout", o.counts)->group(help_group::output);
    add_value(*app, "--thresholds", "T,...", "thresholds for --counts (default: all distinct values)", [&o](const Argument& argument) {
        o.thresholds = parse_thresholds(argument);
    })->group(help_group::measures);
    add_tfce(*app, o);
    add_filters(*app, o);
    add_compress(*app, o.compress);
    add_force(*app, o.existing);
    add_units(*app, o.units);
    add_input(*app, o.input, Volumes::one);
    add_spacing(*app, o.input);
    add_tolerance(*app, o.input);
    add_threads(*app, o.threads);
    return {app, [options] {
                refuse_all_volumes(options->input);
                check_tree(*options);
                if (options->input.tolerance != GridTolerance{} && options->mask.empty())
                    refuse_tree("--geometry-tolerance", "compares the grids of two volumes, but there is only one", "add --mask");
                return Command{[options] { return run_tree(*options); }, options->messages};
            }};
}

}  // namespace voxcc::cli
