// The options of `voxcc bench`. bench/evaluations/options.cpp defines most of them, with their help texts.
#include "src/cli/cli_parts.h"
#include "src/messages/program_error.h"

namespace voxcc::cli {

Subcommand add_bench(CLI::App& program) {
    const auto options = std::make_shared<BenchOptions>();
    options->input.colours = io::Colours::pack;
    CLI::App* app = program.add_subcommand("bench", "Measure the algorithms, as the papers do: docs/bench.md");
    add_message_options(*app, options->messages);
    add_files(*app, "IN", "volumes; foreground is what is not zero (default: generated ones)", options->inputs);
    for (const bench::OptionText& text : bench::option_texts()) {
        if (text.metavar.empty()) add_switch(*app, text.name, text.help, [options, assign = text.assign] { assign(options->bench, {}); });
        else
            add_value(*app, text.name, text.metavar, text.help,
                      [options, assign = text.assign](const Argument& argument) { assign(options->bench, argument.text); });
    }
    add_force(*app, options->existing);
    add_input(*app, options->input);
    return {app, [options] {
                refuse_all_volumes(options->input);
                if (!options->inputs.empty() && !options->bench.volumes.empty())
                    throw ProgramError(ErrorKind::invalid_argument, "--volumes", "cannot be given with files");
                return Command{[options] { return run_bench(*options); }, options->messages};
            }};
}

}  // namespace voxcc::cli
