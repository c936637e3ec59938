// The options of `voxcc map`.
#include "io/table.h"
#include "src/cli/cli_parts.h"
#include "src/errors/program_error.h"
#include "src/options/map_parts.h"
#include "src/parts/plan_file.h"
#include "src/parts/unsupported.h"
#include "src/pipeline/expression.h"

namespace voxcc::cli {
namespace {

[[noreturn]] void refuse_map(const std::string& subject, const std::string& cause, const std::string& remedy) {
    throw ProgramError(ErrorKind::invalid_argument, subject, cause, remedy);
}

void check_map(const MapOptions& o, const std::optional<MapOptions::Missing>& missing) {
    const bool fills = o.holes == LabelOptions::Holes::fill;
    if (o.table.empty() && o.merge.empty() && !fills)
        refuse_map("map", "needs new numbers",
                   "name a table with --table, or a table of contacts with --merge, or fill holes with --fill-holes");
    for (const auto& [option, is_given] : {std::pair("--connectivity", o.connectivity != 0),
                                           {"--max-hole", o.max_hole.has_value()},
                                           {"--max-memory", o.max_memory.has_value()}})
        if (is_given && !fills) refuse_map(option, "is for holes, which are not filled", "add --fill-holes");
    if (!o.table.empty() && !o.merge.empty()) refuse_map("--merge", "cannot be combined with --table", "use one of them");
    if (!o.where.empty() && o.merge.empty()) refuse_map("--where", "chooses rows of --merge, which is not given", "add --merge");
    if (missing && o.table.empty())
        refuse_map("--missing", "is for --table; without a table, labels keep their numbers", "leave --missing out");
    for (const std::string& table : {o.table, o.merge})
        if (!table.empty()) io::table_format(table);
}

/// Whether the command writes the output, and not only parts.
bool writes_output(const MapParts& o) { return o.parts == 0 || o.step == MapParts::Step::finish; }

/// @throw ProgramError invalid_argument for options that are not possible in parts, and for options of parts without their number
void check_map_parts(const MapParts& o) {
    if (!writes_output(o) && !o.map.output.empty()) refuse_map("--output", "is written only when all parts are written", "add --finish");
    if (writes_output(o) && o.map.output.empty()) refuse_map("map", "needs an output", "name it with -o, as in -o mapped.nii.gz");
    if (!o.map.output.empty()) check_zarr_form(o.map.zarr, o.map.output);
    if (o.parts == 0) {
        for (const auto& [option, is_given] :
             {std::pair("STATE", !o.state.empty()), {"--part", o.chosen.has_value()}, {"--finish", o.step == MapParts::Step::finish}})
            if (is_given) refuse_map(option, "is for a volume in parts", "state their number with --parts");
        return;
    }
    if (o.state.empty()) refuse_map("map", "needs a folder for the parts", "name it after the label volume, as in labels.zarr state/");
    if (o.chosen && o.step == MapParts::Step::finish) refuse_map("--part", "cannot be combined with --finish", "use one of them");
    if (o.map.holes == LabelOptions::Holes::fill)
        refuse_map("--fill-holes", "is not possible in parts, because a hole can be in several parts",
                   "fill the holes in one piece, without --parts");
    if (o.chosen && o.chosen->last >= o.parts)
        refuse_map("--part", "the parts are 0.." + std::to_string(o.parts - 1), "choose some of them");
    parts::refuse_pipe(o.map.labels);
}

}  // namespace

Subcommand add_map(CLI::App& program) {
    const auto options = std::make_shared<MapParts>();
    const auto missing = std::make_shared<std::optional<MapOptions::Missing>>();
    MapOptions& o = options->map;
    CLI::App* app = program.add_subcommand("map", "give labels new numbers, unite labels that touch, or fill holes");
    add_message_options(*app, o.messages);
    add_file(*app, "LABELS", "label volume", o.labels);
    app->add_option("STATE", options->state, "folder of the files of all parts; needs --parts")->type_name("FILE");
    add_path(*app, "--table", "table with the columns label and new: .csv .tsv .json; not with --merge", o.table)
        ->type_name("FILE")
        ->group(help_group::input);
    using Missing = MapOptions::Missing;
    add_choice<Missing>(*app, "--missing", "labels that --table does not have: keep, zero or error (default: error)",
                        {{"keep", Missing::keep}, {"zero", Missing::zero}, {"error", Missing::refuse}},
                        [missing](Missing choice) { *missing = choice; })
        ->option_text("A")
        ->group(help_group::selection);
    add_path(*app, "--merge", "unite the pairs of this table, of --contacts; not with --table", o.merge)
        ->type_name("FILE")
        ->group(help_group::input);
    add_value(*app, "--where", "EXPR", "condition on rows of --merge, as in 'faces >= 50' (default: all rows)",
              [&o](const Argument& argument) {
                  Expression(argument.text, argument.option);
                  o.where = argument.text;
              })
        ->group(help_group::selection);
    add_switch(*app, "--fill-holes", "fill holes that have one label around them, after the new numbers", [&o] {
        o.holes = LabelOptions::Holes::fill;
    })->group(help_group::selection);
    add_value(*app, "--max-hole", "SIZE", "fill only holes of at most SIZE: voxels, 5mm3, 5um3; in 2D 5mm2; needs --fill-holes",
              [&o](const Argument& argument) { o.max_hole = parse_size_limit(argument); })
        ->group(help_group::selection);
    add_connectivity_number(*app, "neighbours in labels, for --fill-holes: 6 18 26 (3D), 4 8 (2D) (default: 26, 2D: 8)", o.connectivity)
        ->group(help_group::connectivity);
    add_value(*app, "--parts", "N", "write the volume in N parts, on several machines; see --part and --finish",
              [options](const Argument& argument) {
                  options->parts = parse_whole(argument, {1, parts::most_parts});
              })
        ->group(help_group::input);
    add_part_range(*app, options->chosen);
    add_switch(*app, "--finish", "write the output from all parts; not with --part", [options] {
        options->step = MapParts::Step::finish;
    })->group(help_group::output);
    add_path(*app, "-o,--output", "label volume (required); its extension sets the format; - for stdout", o.output)
        ->group(help_group::output);
    add_dtype(*app, o.dtype);
    add_compress(*app, o.compress);
    add_zarr_form(*app, o.zarr);
    add_force(*app, o.existing);
    add_threads(*app, o.threads);
    add_value(*app, "--max-memory", "SIZE", "limit to find holes; larger volumes run in slabs (default: free memory)",
              [&o](const Argument& argument) { o.max_memory = parse_bytes(argument); })
        ->group(help_group::resources);
    add_input(*app, o.input);
    add_spacing(*app, o.input);
    return {app, [options, missing] {
                options->map.missing = missing->value_or(MapOptions{}.missing);
                check_map(options->map, *missing);
                check_map_parts(*options);
                return Command{[options] { return options->parts > 0 ? run_map_parts(*options) : run_map(options->map); },
                               options->map.messages};
            }};
}

}  // namespace voxcc::cli
