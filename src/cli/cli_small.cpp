// The options of `voxcc stats`, `compare`, `info`, `verify`, `join` and `algorithms`.
#include "io/anndata.h"
#include "src/cli/cli_parts.h"
#include "src/cli/label_checks.h"
#include "src/errors/program_error.h"
#include "src/pipeline/component_output.h"
#include "src/pipeline/naming.h"
#include "src/pipeline/sidecar.h"

namespace voxcc::cli {
namespace {

template <class Options>
CLI::App* add_command(CLI::App& program, const std::string& name, const std::string& help, Options& options) {
    CLI::App* app = program.add_subcommand(name, help);
    add_message_options(*app, options.messages);
    return app;
}

}  // namespace

Subcommand add_stats(CLI::App& program) {
    const auto options = std::make_shared<StatsOptions>();
    CLI::App* app = add_command(program, "stats", "measure the components of an existing label volume", *options);
    add_file(*app, "LABELS", "label volume", options->labels);
    add_path(*app, "-o,--output", "table (required): " + io::component_table_extensions() + "; - for stdout", options->output)
        ->group(help_group::output);
    add_table_choice(*app, options->table);
    add_summary(*app, options->summary);
    add_keep(*app, options->keep);
    add_contacts(*app, options->contacts);
    add_sidecar(*app, options->sidecar);
    add_force(*app, options->existing);
    add_intensity(*app, options->intensity);
    add_shape(*app, options->shape);
    add_inside(*app, options->inside);
    add_units(*app, options->units);
    add_connectivity_number(*app, "neighbours for --contacts, and --shape (default: 26; in 2D 8)", options->connectivity)
        ->group(help_group::measures);
    add_input(*app, options->input);
    add_spacing(*app, options->input);
    add_tolerance(*app, options->input);
    add_isa(*app, options->isa);
    return {app, [options] {
                if (options->output.empty())
                    throw ProgramError(ErrorKind::invalid_argument, "stats", "needs an output", "name it with -o, as in -o table.csv");
                if (options->input.tolerance != GridTolerance{} && options->intensity.images.empty())
                    throw ProgramError(ErrorKind::invalid_argument, "--geometry-tolerance",
                                       "compares the grids of two volumes, but there is only one", "add --intensity");
                if (options->connectivity && options->shape == Shape::skip && options->contacts.empty())
                    throw ProgramError(ErrorKind::invalid_argument, "--connectivity",
                                       "is used by --shape and --contacts, which are not given",
                                       "add --shape or --contacts, or leave out --connectivity");
                *options = without_words(*options);
                check_sidecar(options->sidecar, options->output, "--output");
                check_intensity(options->intensity);
                check_component_output(options->output, options->table, with_images(options->intensity));
                NamedPaths tables{{"--summary", options->summary},
                                  {"--contacts", options->contacts},
                                  {"--local-maxima", options->intensity.local_maxima},
                                  {"--sidecar", options->sidecar == Sidecar::write ? sidecar_path(options->output) : ""}};
                check_tables(tables);
                tables.insert(tables.begin(), {"--output", options->output});
                check_different(tables);
                return Command{[options] { return run_stats(*options); }, options->messages};
            }};
}

Subcommand add_compare(CLI::App& program) {
    const auto options = std::make_shared<CompareOptions>();
    CLI::App* app = add_command(program, "compare", "compare the components of two label volumes", *options);
    add_file(*app, "A", "label volume", options->a);
    add_file(*app, "B", "label volume", options->b);
    add_switch(*app, "--exact", "also require equal label numbers", [options] {
        options->equality = CompareOptions::Equality::exact;
    })->group(help_group::measures);
    add_input(*app, options->input, Volumes::one);
    add_tolerance(*app, options->input);
    return {app, [options] {
                refuse_all_volumes(options->input);
                return Command{[options] { return run_compare(*options); }, options->messages};
            }};
}

Subcommand add_info(CLI::App& program) {
    const auto options = std::make_shared<InfoOptions>();
    CLI::App* app = add_command(program, "info", "show the shape, voxel type, spacing and range of values of a file", *options);
    add_file(*app, "FILE", "volume, folder of slices, or template such as s%04d.tif", options->path);
    add_json(*app, options->format);
    add_switch(*app, "--no-range", "skip the range of values (does not read the voxels)", [options] {
        options->range = InfoOptions::Range::skip;
    })->group(help_group::output);
    add_input(*app, options->input, Volumes::one);
    add_spacing(*app, options->input);
    return {app, [options] {
                refuse_all_volumes(options->input);
                return Command{[options] { return run_info(*options); }, options->messages};
            }};
}

Subcommand add_verify(CLI::App& program) {
    const auto options = std::make_shared<VerifyOptions>();
    CLI::App* app = add_command(program, "verify", "check files for truncation and corruption (reads all data)", *options);
    add_files(*app, "FILE", "volumes", options->paths)->required();
    add_input(*app, options->input);
    return {app, [options] { return Command{[options] { return run_verify(*options); }, options->messages}; }};
}

Subcommand add_join(CLI::App& program) {
    const auto options = std::make_shared<JoinOptions>();
    CLI::App* app = add_command(program, "join", "combine several tables into one table", *options);
    add_files(*app, "TABLE", "tables with the same columns: .csv .tsv .json", options->tables)->option_text("TABLE");
    add_path(*app, "--list", "read more table names from FILE, one per line; - for stdin", options->list)
        ->type_name("FILE")
        ->group(help_group::input);
    add_path(*app, "-o,--output", "table (required): .csv, .tsv or .json; - for stdout", options->output)->group(help_group::output);
    add_summary(*app, options->summary);
    add_value(*app, "--file", "NAME", "cells of the column file, as in {stem}.nii.gz (default: {table})",
              [options](const Argument& argument) { options->file = argument.text; })
        ->group(help_group::output);
    add_force(*app, options->existing);
    return {app, [options] {
                if (options->tables.empty() && options->list.empty())
                    throw ProgramError(ErrorKind::invalid_argument, "join", "needs a table", "write 'voxcc join TABLE... -o TABLE'");
                if (options->output.empty())
                    throw ProgramError(ErrorKind::invalid_argument, "join", "needs an output", "name it with -o, as in -o all.csv");
                check_tables({{"--output", options->output}, {"--summary", options->summary}});
                return Command{[options] { return run_join(*options); }, options->messages};
            }};
}

Subcommand add_algorithms(CLI::App& program) {
    const auto options = std::make_shared<AlgorithmsOptions>();
    CLI::App* app = program.add_subcommand("algorithms", "list the algorithms: name, connectivities, devices, origin");
    add_json(*app, options->format);
    return {app, [options] { return Command{[options] { return run_algorithms(*options); }, {}}; }};
}

}  // namespace voxcc::cli
