// The options of `voxcc bench`. lab/interface/options.cpp defines most of them, with their help texts.
#include "src/cli/cli_parts.h"
#include "src/errors/program_error.h"
#include "src/laboratory/laboratory.h"

#include <algorithm>
#include <array>

namespace voxcc::cli {
namespace {

/// The group of an option of lab/evaluations, and the values that completions offer (see add_value).
struct Place {
    std::string_view name, group, values;
};
constexpr std::array places{Place{"--csv", help_group::output, "PATH"},
                            Place{"--list", help_group::output, ""},
                            Place{"--volumes", help_group::input, "LIST"},
                            Place{"--density-step", help_group::input, "N"},
                            Place{"--images", help_group::input, "N"},
                            Place{"--size", help_group::input, "N"},
                            Place{"--shape", help_group::input, "X,Y[,Z]"},
                            Place{"--connectivity", help_group::connectivity, "4|8|6|18|26|LIST"},
                            Place{"--algorithms", help_group::measures, "all|ALGORITHM"},
                            Place{"--tests", help_group::measures, "all|average|steps|granularity|density|memory|properties|model"},
                            Place{"--measure", help_group::measures, "none|early|late|late-per-voxel|analysis"},
                            Place{"--relabel", help_group::measures, "marks|scan"},
                            Place{"--allocation", help_group::measures, "pool|fresh"},
                            Place{"--paper", help_group::measures, "allegretti|hennequin|asad|ziegler|shibata"},
                            Place{"--device", help_group::resources, "cpu|cuda[:N,...]|all"},
                            Place{"--threads", help_group::resources, "N"}};

void add_option(CLI::App& app, const bench::OptionText& text, const std::shared_ptr<BenchOptions>& options) {
    const auto* const place = std::ranges::find(places, text.name, &Place::name);
    CLI::Option* option =
        text.metavar.empty()
            ? add_switch(app, text.name, text.help, [options, assign = text.assign] { assign(options->bench, {}); })
            : add_value(app, text.name, text.metavar, text.help, [options, assign = text.assign](const Argument& argument) {
                  lab_module("bench");  // --algorithms looks the names up
                  assign(options->bench, argument.text);
              });
    option->group(std::string(place == places.end() ? help_group::measures : place->group));
    if (place != places.end() && !text.metavar.empty()) option->option_text(text.metavar)->type_name(std::string(place->values));
}

}  // namespace

Subcommand add_bench(CLI::App& program) {
    const auto options = std::make_shared<BenchOptions>();
    options->input.colours = io::Colours::pack;
    CLI::App* app = program.add_subcommand("bench", "measure the algorithms, or repeat the benchmarks of the source papers");
    add_message_options(*app, options->messages);
    add_files(*app, "IN", "volumes; nonzero voxels are foreground (default: generated volumes)", options->inputs);
    for (const bench::OptionText& text : bench::option_texts()) add_option(*app, text, options);
    add_isa(*app, options->isa);
    add_force(*app, options->existing);
    add_input(*app, options->input, Volumes::one);
    return {app, [options] {
                refuse_all_volumes(options->input);
                if (!options->inputs.empty() && !options->bench.volumes.empty())
                    throw ProgramError(ErrorKind::invalid_argument, "--volumes", "cannot be given with files", "use one of them");
                return Command{[options] { return run_bench(*options); }, options->messages};
            }};
}

}  // namespace voxcc::cli
