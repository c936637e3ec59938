// The options of `voxcc match`.
#include "src/cli/cli_parts.h"
#include "src/cli/label_checks.h"
#include "src/errors/program_error.h"
#include "src/options/match_options.h"

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
    if (!at) return;
    rule.at = parse_part(*at);
    if (!(rule.at > 0 && rule.at <= 1))
        refuse_match(at->option, "is not a part of 1: '" + at->text + "'", "give a number above 0 and up to 1, as in --at 0.5");
}

/// The last of the volumes that were typed is B.
void take_b(MatchOptions& o) {
    if (o.inputs.empty() || (o.inputs.size() == 1 && o.list.empty())) refuse_match("match", "needs two volumes", "write 'voxcc match A B'");
    o.b = o.inputs.back();
    o.inputs.pop_back();
}

void check_match(const MatchOptions& o) {
    const NamedPaths tables{{"--pairs", o.pairs}, {"--stats", o.stats}, {"--summary", o.summary}};
    check_tables(tables);
    NamedPaths outputs = tables;
    outputs.insert(outputs.end(), {{"--json", o.json}, {"--failed", o.failed}, {"--output", o.output}});
    check_different(outputs);
    const bool is_batch = o.inputs.size() > 1 || !o.list.empty();
    if (o.companions == LabelOptions::Companions::shared && !is_batch)
        refuse_match("--shared", "is for several volumes A, but there is one", "leave it out");
    if (!o.failed.empty() && !is_batch)
        refuse_match("--failed", "lists the pairs that failed, but there is one pair", "leave it out, or give several volumes A");
    if (!o.output.empty()) check_zarr_form(o.zarr, o.output);
    if (o.connectivity != 0 && o.objects != MatchOptions::Objects::components && o.dilation == 0)
        refuse_match("--connectivity", "is for components, and the objects are labels", "add --components");
    if (o.least_change > 0 && o.changes != MatchOptions::Changes::add)
        refuse_match("--least-change", "needs changes", "add --longitudinal");
}

}  // namespace

Subcommand add_match(CLI::App& program) {
    const auto options = std::make_shared<MatchOptions>();
    const auto at = std::make_shared<std::optional<Argument>>();
    CLI::App* app = program.add_subcommand("match", "match the objects of two label volumes");
    add_message_options(*app, options->messages);
    // option_text: the usage shows A and B as required. The operands of A also receive B.
    add_files(*app, "A", "label volumes: the reference, or the earlier one", options->inputs)->option_text("A");
    app->add_option("B", options->b, "label volume: the prediction, or the later one; for several A with words, as in 'pred/{stem}.nii.gz'")
        ->type_name("FILE")
        ->option_text("B");
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
    add_path(*app, "--pairs", "table of pairs that share voxels: .csv, .tsv or .json; - for stdout", options->pairs)
        ->group(help_group::output);
    add_path(*app, "--stats", "table with one row per object; - for stdout", options->stats)->group(help_group::output);
    add_path(*app, "--json", "metrics as JSON; - for stdout", options->json)->group(help_group::output);
    add_path(*app, "--summary", "table with one row per pair of volumes: its metrics; - for stdout", options->summary)
        ->group(help_group::output);
    add_path(*app, "--failed", "list of the A whose pair failed, with the reasons, for --list", options->failed)->group(help_group::output);
    add_path(*app, "-o,--output", "label volume: B with the numbers of its partners in A", options->output)->group(help_group::output);
    add_dtype(*app, options->dtype);
    add_compress(*app, options->compress);
    add_zarr_form(*app, options->zarr);
    add_force(*app, options->existing);
    add_units(*app, options->units);
    add_input(*app, options->input, Volumes::one);
    add_spacing(*app, options->input);
    add_tolerance(*app, options->input);
    add_threads(*app, options->threads);
    return {app, [options, at] {
                refuse_all_volumes(options->input);
                take_b(*options);
                set_threshold(*options, *at);
                check_match(*options);
                return Command{[options] { return run_match(*options); }, options->messages};
            }};
}

}  // namespace voxcc::cli
