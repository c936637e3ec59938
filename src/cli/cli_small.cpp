// The options of `voxcc stats`, `compare`, `info`, `verify` and `algorithms`.
#include "src/cli/cli_parts.h"
#include "src/messages/program_error.h"

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
    CLI::App* app = add_command(program, "stats", "Measure an existing label volume", *options);
    add_file(*app, "LABELS", "label volume", options->labels);
    add_path(*app, "-o,--output", "table: .csv .tsv .json, or - for stdout", options->output)->group("Writing");
    add_force(*app, options->existing);
    add_path(*app, "--intensity", "add the columns of this image's values", options->intensity);
    add_input(*app, options->input);
    add_spacing(*app, options->input);
    return {app, [options] {
                if (options->output.empty())
                    throw ProgramError(ErrorKind::invalid_argument, "stats", "needs an output", "name it with -o, as in -o table.csv");
                return Command{[options] { return run_stats(*options); }, options->messages};
            }};
}

Subcommand add_compare(CLI::App& program) {
    const auto options = std::make_shared<CompareOptions>();
    CLI::App* app = add_command(program, "compare", "Are two labellings the same partition? Exit 0: yes, 1: no", *options);
    add_file(*app, "A", "label volume", options->a);
    add_file(*app, "B", "label volume", options->b);
    add_switch(*app, "--exact", "the numbers must be equal, too", [options] { options->equality = CompareOptions::Equality::exact; });
    add_input(*app, options->input);
    return {app, [options] {
                refuse_all_volumes(options->input);
                return Command{[options] { return run_compare(*options); }, options->messages};
            }};
}

Subcommand add_info(CLI::App& program) {
    const auto options = std::make_shared<InfoOptions>();
    CLI::App* app = add_command(program, "info", "Show what a file holds", *options);
    add_file(*app, "FILE", "volume, folder of slices, or template", options->path);
    add_json(*app, options->format);
    add_switch(*app, "--no-range", "do not read the voxels for the range of values",
               [options] { options->range = InfoOptions::Range::skip; });
    add_input(*app, options->input);
    add_spacing(*app, options->input);
    return {app, [options] {
                refuse_all_volumes(options->input);
                return Command{[options] { return run_info(*options); }, options->messages};
            }};
}

Subcommand add_verify(CLI::App& program) {
    const auto options = std::make_shared<VerifyOptions>();
    CLI::App* app = add_command(program, "verify", "Are files whole? Reads every volume to its end", *options);
    add_files(*app, "FILE", "volumes", options->paths)->required();
    add_input(*app, options->input);
    return {app, [options] { return Command{[options] { return run_verify(*options); }, options->messages}; }};
}

Subcommand add_algorithms(CLI::App& program) {
    const auto options = std::make_shared<AlgorithmsOptions>();
    CLI::App* app = program.add_subcommand("algorithms", "List the algorithms: name, connectivities, devices, origin");
    add_json(*app, options->format);
    return {app, [options] { return Command{[options] { return run_algorithms(*options); }, {}}; }};
}

}  // namespace voxcc::cli
