// The options of `voxcc split`, `merge` and `relabel`: the steps of a labelling in parts.
#include "io/anndata.h"
#include "src/cli/cli_parts.h"
#include "src/cli/label_checks.h"
#include "src/errors/program_error.h"
#include "src/parts/unsupported.h"
#include "src/pipeline/component_output.h"

namespace voxcc::cli {
namespace {

[[noreturn]] void refuse_step(const std::string& subject, const std::string& cause, const std::string& remedy) {
    throw ProgramError(ErrorKind::invalid_argument, subject, cause, remedy);
}

/// The name of the table of `voxcc split --shape`, which `voxcc relabel` will name.
constexpr const char* stats_named_later = "stats.csv";

/// What `voxcc relabel` does: paints parts, or writes the outputs.
enum class PartSwitch : std::uint8_t { parts, finish };

void add_plan(CLI::App& app, std::string& plan) {
    add_path(app, "--plan", "the plan (required), of 'voxcc split'", plan)->type_name("FILE")->group(help_group::input);
}

void require_plan(const std::string& command, const PartOptions& o) {
    if (o.plan.empty()) refuse_step(command, "needs a plan", "make one with 'voxcc split', and name it with --plan");
}

}  // namespace

void add_part_range(CLI::App& app, std::optional<PartRange>& parts) {
    add_value(app, "--part", "K|A..B", "numbers of parts, from 0 on, as in 3 or 0..31 (default: all parts)",
              [&parts](const Argument& argument) { parts = parse_part_range(argument); })
        ->option_text("PARTS")
        ->group(help_group::input);
}

void add_background(CLI::App& app, PartOptions& steps, const std::string& help) {
    add_switch(app, "--background", help, [&steps] { steps.round = PartRound::background; })->group(help_group::input);
}

Subcommand add_split(CLI::App& program) {
    const auto options = std::make_shared<SplitOptions>();
    const auto input = std::make_shared<std::string>();
    LabelOptions& o = options->label;
    CLI::App* app = program.add_subcommand("split", "plan the labelling of one volume in parts, for several machines");
    add_message_options(*app, o.messages);
    add_file(*app, "IN", "volume; the plan keeps the options of the labelling", *input);
    add_path(*app, "-o,--output", "the plan (required, except with --dry-run): .json", options->plan)->group(help_group::output);
    add_force(*app, o.existing);
    add_switch(*app, "--dry-run", "print the number of parts and the sizes, and write no plan", [&o] {
        o.run = LabelOptions::Run::dry_run;
    })->group(help_group::output);
    add_choice<PartShape>(*app, "--parts", "cubes (bricks) or complete slices (slabs) (default: bricks)",
                          {{"bricks", PartShape::bricks}, {"slabs", PartShape::slabs}},
                          [options](PartShape shape) { options->shape = shape; })
        ->option_text("SHAPE")
        ->group(help_group::resources);
    add_value(*app, "--part-size", "N", "voxels per edge of a brick, or slices per slab (default: 1024)",
              [options](const Argument& argument) {
                  options->part_size = parse_whole(argument, {1, 1 << 30});
              })
        ->group(help_group::resources);
    add_rules_of_label(*app, o);
    add_switch(*app, "--contacts", "count the contacts of components, for --contacts of 'voxcc relabel'", [&o] {
        o.contacts = table_named_later;
    })->group(help_group::measures);
    for (const char* option : parts::unsupported_options) app->get_option(option)->group(help_group::none);
    return {app, [options, input, &o] {
                o.inputs = {{*input}};
                if (options->plan.empty() && o.run != LabelOptions::Run::dry_run)
                    refuse_step("split", "needs a name for the plan", "name it with -o, as in -o plan.json");
                refuse_all_volumes(o.input);
                parts::refuse_unsupported(*options);
                if (o.shape == Shape::measure || !o.intensity.images.empty() || o.units) o.stats = stats_named_later;
                check_label_options(o);
                return Command{[options] { return run_split(*options); }, o.messages};
            }};
}

Subcommand add_merge(CLI::App& program) {
    const auto options = std::make_shared<PartOptions>();
    CLI::App* app = program.add_subcommand("merge", "join the components of all parts of a plan, and number them");
    add_message_options(*app, options->messages);
    app->add_option("STATE", options->state, "folder of the states of all parts")->required()->type_name("FILE");
    add_plan(*app, options->plan);
    add_background(*app, *options, "find the holes, after 'voxcc label --background'");
    add_path(*app, "-o,--output", "folder for the numbers of all parts (required)", options->merged)->group(help_group::output);
    return {app, [options] {
                require_plan("merge", *options);
                if (options->merged.empty()) refuse_step("merge", "needs a folder for its results", "name it with -o, as in -o merged/");
                return Command{[options] { return run_merge(*options); }, options->messages};
            }};
}

Subcommand add_relabel(CLI::App& program) {
    const auto options = std::make_shared<PartOptions>();
    const auto finishes = std::make_shared<PartSwitch>(PartSwitch::parts);
    CLI::App* app = program.add_subcommand("relabel", "paint parts with their final numbers; write the label volume and the table");
    add_message_options(*app, options->messages);
    app->add_option("STATE", options->state, "folder of the states of all parts")->required()->type_name("FILE");
    app->add_option("MERGED", options->merged, "folder of 'voxcc merge'")->required()->type_name("FILE");
    add_plan(*app, options->plan);
    add_part_range(*app, options->parts);
    add_unsandboxed(*app);
    add_switch(*app, "--finish", "write the outputs from all painted parts; not with --part", [finishes] {
        *finishes = PartSwitch::finish;
    })->group(help_group::output);
    add_path(*app, "-o,--output", "label volume; needs --finish", options->output)->group(help_group::output);
    add_path(*app, "--stats", "table: " + io::component_table_extensions() + "; - for stdout; needs --finish", options->stats)
        ->group(help_group::output);
    add_path(*app, "--contacts", "table of touching components; needs --finish", options->contacts)->group(help_group::output);
    add_dtype(*app, options->dtype);
    add_compress(*app, options->compress);
    add_zarr_form(*app, options->zarr);
    add_force(*app, options->existing);
    add_threads(*app, options->threads);
    add_isa(*app, options->isa);
    return {app, [options, finishes] {
                require_plan("relabel", *options);
                const bool has_output = !options->output.empty() || !options->stats.empty() || !options->contacts.empty();
                if (*finishes == PartSwitch::parts) {
                    if (has_output) refuse_step("relabel", "writes outputs only when all parts are painted", "add --finish");
                    return Command{[options] { return run_relabel_parts(*options); }, options->messages};
                }
                if (options->parts) refuse_step("--part", "cannot be combined with --finish", "use one of them");
                if (!has_output)
                    refuse_step("relabel", "needs an output with --finish",
                                "name it with -o, as in -o labels.nii.gz, or --stats or --contacts");
                check_zarr_form(options->zarr, options->output);
                const NamedPaths tables{{"--stats", options->stats}, {"--contacts", options->contacts}};
                check_component_output(options->stats, {}, {});
                check_tables({{"--contacts", options->contacts}});
                check_different(tables);
                for (const auto& table : tables) check_different({{"--output", options->output}, table});
                return Command{[options] { return run_finish_parts(*options); }, options->messages};
            }};
}

}  // namespace voxcc::cli
