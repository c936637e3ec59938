// The options of `voxcc map`.
#include "io/table.h"
#include "src/cli/cli_parts.h"
#include "src/errors/program_error.h"
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
    if (o.output.empty()) refuse_map("map", "needs an output", "name it with -o, as in -o mapped.nii.gz");
    for (const std::string& table : {o.table, o.merge})
        if (!table.empty()) io::table_format(table);
    check_zarr_form(o.zarr, o.output);
}

}  // namespace

Subcommand add_map(CLI::App& program) {
    const auto options = std::make_shared<MapOptions>();
    const auto missing = std::make_shared<std::optional<MapOptions::Missing>>();
    MapOptions& o = *options;
    CLI::App* app = program.add_subcommand("map", "give labels new numbers, unite labels that touch, or fill holes");
    add_message_options(*app, o.messages);
    add_file(*app, "LABELS", "label volume", o.labels);
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
                options->missing = missing->value_or(MapOptions{}.missing);
                check_map(*options, *missing);
                return Command{[options] { return run_map(*options); }, options->messages};
            }};
}

}  // namespace voxcc::cli
