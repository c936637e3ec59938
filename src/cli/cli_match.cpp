// The options of `voxcc match`.
#include "src/cli/cli_parts.h"
#include "src/cli/label_checks.h"
#include "src/errors/program_error.h"
#include "src/options/match_options.h"
#include "src/pipeline/chosen_volume.h"
#include "src/pipeline/track_tables.h"

namespace voxcc::cli {
namespace {

[[noreturn]] void refuse_match(const std::string& subject, const std::string& cause, const std::string& remedy) {
    throw ProgramError(ErrorKind::invalid_argument, subject, cause, remedy);
}

/// A part of 1, as a number or a percentage.
// "25%" -> 0.25; "0.5" -> 0.5
double parse_part(const Argument& argument) {
    constexpr double most = 1e9;
    if (argument.text.empty() || argument.text.back() != '%') return parse_real(argument, {0, most});
    return parse_real({argument.option, argument.text.substr(0, argument.text.size() - 1)}, {0, most}) / 100;
}

double parse_part_above_0(const Argument& argument) {
    const double part = parse_part(argument);
    if (part > 0 && part <= 1) return part;
    refuse_match(argument.option, "is not a part of 1: '" + argument.text + "'",
                 "give a number above 0 and up to 1, as in " + argument.option + " 0.5");
}

/// Sets the threshold of a rule, whose meaning depends on the rule.
void set_threshold(MatchOptions& options, const std::optional<Argument>& at) {
    MatchRule& rule = options.rule;
    if (rule.by == MatchRule::By::distance) {
        if (!at) refuse_match("--by distance", "needs the largest distance", "add it, as in --at 5mm");
        const Distance distance = parse_distance(*at);
        rule.at = distance.amount, options.unit = distance.unit;
        if (rule.at <= 0) refuse_match(at->option, "must be more than 0", "give the largest distance, as in --at 5mm");
        return;
    }
    if (at) rule.at = parse_part_above_0(*at);
}

/// The last of the volumes that were typed is B. A single volume is a series.
void take_b(MatchOptions& o) {
    if (o.inputs.empty()) refuse_match("match", "needs two volumes, or the frames of a series", "write 'voxcc match A B'");
    if (o.inputs.size() == 1 && o.list.empty()) {
        o.a = o.inputs.front();
        return;
    }
    o.b = o.inputs.back();
    o.inputs.pop_back();
}

bool is_series(const MatchOptions& o) { return o.b.empty(); }

/// Options that are for two volumes, or for a series.
/// @throw Error invalid_argument if one of them is given for the other
void check_form(const CLI::App& app, const MatchOptions& o) {
    const auto refuse_given = [&](std::initializer_list<const char*> names, const std::string& cause, const std::string& remedy) {
        for (const char* name : names)
            if (app.count(name) > 0) refuse_match(name, cause, remedy);
    };
    if (!is_series(o)) {
        refuse_all_volumes(o.input);
        return refuse_given({"--links", "--tracks", "--reach", "--inside"}, "is for a series, and there are two volumes",
                            "leave it out, or give one file and --volume all");
    }
    if (!chooses_list(o.a, o.input))
        refuse_match("match", "needs two volumes, or the frames of a series",
                     "add the second volume, or choose frames, as in --volume all or 'series.nii.gz[0..4]'");
    refuse_given(
        {"--pairs", "--stats", "--summary", "--longitudinal", "--least-change", "--dilate", "--min-lesion", "--shared", "--failed"},
        "is for two volumes, and a series has more", "leave it out; the tables of a series are --links and --tracks");
    if (o.series.reach && o.rule.by == MatchRule::By::distance)
        refuse_match("--reach", "links objects that overlap does not link, but --by distance does not use overlap", "use --at only");
}

/// The paths of all outputs. @throw Error unknown_format if a table is not a table
NamedPaths outputs_of(const MatchOptions& o) {
    NamedPaths tables{{"--pairs", o.pairs}, {"--stats", o.stats}, {"--summary", o.summary}, {"--links", o.series.links}},
        others{{"--json", o.json}, {"--failed", o.failed}, {"--output", o.output}};
    for (const std::string& path : o.series.tracks) (track_form(path) == TrackForm::table ? tables : others).emplace_back("--tracks", path);
    check_tables(tables);
    tables.insert(tables.end(), others.begin(), others.end());
    return tables;
}

void check_match(const MatchOptions& o) {
    check_different(outputs_of(o));
    if (o.companions == LabelOptions::Companions::shared && !is_batch(o))
        refuse_match("--shared", "is for several volumes A, but there is one", "leave it out");
    if (!o.failed.empty() && !is_batch(o))
        refuse_match("--failed", "lists the pairs that failed, but there is one pair", "leave it out, or give several volumes A");
    if (!o.output.empty()) check_zarr_form(o.zarr, o.output);
    if (o.connectivity != 0 && o.objects != MatchOptions::Objects::components && o.dilation == 0)
        refuse_match("--connectivity", "is for components, and the objects are labels", "add --components");
    if (o.least_change > 0 && o.changes != MatchOptions::Changes::add)
        refuse_match("--least-change", "needs changes", "add --longitudinal");
}

/// The options of a series.
void add_series(CLI::App& app, SeriesOptions& series) {
    add_value(app, "--inside", "PART", "series: least part of a split or merged object inside the other (default: 50%)",
              [&series](const Argument& argument) { series.inside = parse_part_above_0(argument); })
        ->group(help_group::measures);
    add_value(app, "--reach", "DISTANCE", "series: link centroids up to this distance, as in 5mm (default: by overlap only)",
              [&series](const Argument& argument) {
                  series.reach = parse_distance(argument);
                  if (series.reach->amount <= 0) refuse_match(argument.option, "must be more than 0", "give a distance, as in --reach 5mm");
              })
        ->group(help_group::measures);
    add_path(app, "--links", "series: table of links between frames: .csv, .tsv or .json; - for stdout", series.links)
        ->group(help_group::output);
    add_values(app, "--tracks", "PATH", "series: tracks as .csv .tsv .json, .txt (CTC) or .geff; repeatable",
               [&series](const std::vector<Argument>& arguments) {
                   for (const Argument& argument : arguments) series.tracks.push_back(parse_path(argument));
               })
        ->group(help_group::output);
}

}  // namespace

Subcommand add_match(CLI::App& program) {
    const auto options = std::make_shared<MatchOptions>();
    const auto at = std::make_shared<std::optional<Argument>>();
    CLI::App* app = program.add_subcommand("match", "match the objects of two label volumes, or of a series");
    add_message_options(*app, options->messages);
    // option_text: the usage shows A as required. The operands of A also receive B.
    add_files(*app, "A", "label volumes: the reference, the earlier one, or a series", options->inputs)->option_text("A");
    app->add_option("B", options->b, "label volume: the prediction, or the later one; for several A with words, as in 'pred/{stem}.nii.gz'")
        ->type_name("FILE");
    add_path(*app, "--list", "read more A from FILE, one per line; - for stdin", options->list)
        ->type_name("FILE")
        ->group(help_group::input);
    add_switch(*app, "--shared", "compare all A with the same B", [options] {
        options->companions = LabelOptions::Companions::shared;
    })->group(help_group::input);
    add_switch(*app, "--components", "the objects are the components of the voxels that are not 0", [options] {
        options->objects = MatchOptions::Objects::components;
    })->group(help_group::connectivity);
    add_connectivity_number(*app, "neighbours: 6 18 26 (3D), 4 8 (2D) (default: 26, 2D: 8)", options->connectivity)
        ->group(help_group::connectivity);
    using By = MatchRule::By;
    add_choice<By>(*app, "--by", "partners need this agreement: iou, dice, fraction or distance (default: iou)",
                   {{"iou", By::iou}, {"dice", By::dice}, {"fraction", By::fraction}, {"distance", By::distance}},
                   [options](By by) { options->rule.by = by; })
        ->option_text("RULE")
        ->group(help_group::measures);
    add_value(*app, "--at", "T", "least agreement, or largest distance, as in 5mm (default: 0.5)", [at](const Argument& argument) {
        *at = argument;
    })->group(help_group::measures);
    add_choice<Assignment>(*app, "--assign", "choice of partners: optimal, greedy or many (default: optimal)",
                           {{"optimal", Assignment::optimal}, {"greedy", Assignment::greedy}, {"many", Assignment::many}},
                           [options](Assignment assignment) { options->assignment = assignment; })
        ->option_text("HOW")
        ->group(help_group::measures);
    add_switch(*app, "--longitudinal", "state what became of each object: new, gone, grown or split", [options] {
        options->changes = MatchOptions::Changes::add;
    })->group(help_group::measures);
    add_value(*app, "--least-change", "PART", "smaller changes of voxels count as unchanged, as in 25% (default: 0)",
              [options](const Argument& argument) { options->least_change = parse_part(argument); })
        ->group(help_group::measures);
    add_value(*app, "--dilate", "N", "lesions: first dilate A, by N voxels; lesions that meet are one (default: 0)",
              [options](const Argument& argument) {
                  options->dilation = parse_whole(argument, {0, 1000});
              })
        ->group(help_group::measures);
    add_value(*app, "--min-lesion", "SIZE", "lesions: leave out lesions of A below SIZE: voxels, 5mm3, 0.5ml; in 2D 5mm2",
              [options](const Argument& argument) { options->min_lesion = parse_size_limit(argument); })
        ->group(help_group::measures);
    add_series(*app, options->series);
    add_path(*app, "--pairs", "table of pairs that share voxels: .csv, .tsv or .json; - for stdout", options->pairs)
        ->group(help_group::output);
    add_path(*app, "--stats", "table with one row per object; - for stdout", options->stats)->group(help_group::output);
    add_path(*app, "--json", "metrics as JSON; - for stdout", options->json)->group(help_group::output);
    add_path(*app, "--summary", "table with one row per pair of volumes: its metrics; - for stdout", options->summary)
        ->group(help_group::output);
    add_path(*app, "--failed", "list of the A whose pair failed, with the reasons, for --list", options->failed)->group(help_group::output);
    add_path(*app, "-o,--output", "label volume: B with the numbers of its partners in A, or the series of tracks", options->output)
        ->group(help_group::output);
    add_dtype(*app, options->dtype);
    add_compress(*app, options->compress);
    add_zarr_form(*app, options->zarr);
    add_force(*app, options->existing);
    add_units(*app, options->units);
    add_input(*app, options->input);
    add_spacing(*app, options->input);
    add_tolerance(*app, options->input);
    add_threads(*app, options->threads);
    return {
        app, [app, options, at] {
            take_b(*options);
            set_threshold(*options, *at);
            check_form(*app, *options);
            check_match(*options);
            return Command{[options] { return is_series(*options) ? run_match_series(*options) : run_match(*options); }, options->messages};
        }};
}

}  // namespace voxcc::cli
