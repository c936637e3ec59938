// The options of `voxcc generate`.
#include "src/cli/cli_parts.h"
#include "src/cli/help/wrap.h"
#include "src/errors/program_error.h"
#include "src/options/test_volume_options.h"

namespace voxcc::cli {

Subcommand add_generate(CLI::App& program) {
    const auto options = std::make_shared<GenerateOptions>();
    GenerateOptions& o = *options;
    o.recipe = default_test_volume(TestVolumeKind::solid);
    CLI::App* app = program.add_subcommand("generate", "write a test volume with a known structure");
    add_message_options(*app, o.messages);
    app->option_defaults()->group(help_group::input);
    app->add_option("KIND", o.kind, "hilbert, random, spiral, zigzag-spiral, dry-earth, ridge, blobs, checkerboard or solid")
        ->required()
        ->type_name(joined(test_volume_kinds(), "|"));
    add_path(*app, "-o,--output", "volume (required); its extension sets the format", o.output)->group(help_group::output);
    add_force(*app, o.existing);
    add_zarr_form(*app, o.zarr);
    add_compress(*app, o.compress);
    std::vector<std::pair<CLI::Option*, const TestVolumeOption*>> added;
    for (const TestVolumeOption& option : test_volume_options()) {
        const auto set = [&o, &option](const Argument& argument) { option.set(o.recipe, argument); };
        CLI::Option* const of_app = add_value(*app, "--" + option.name, option.metavar, option.help, set);
        if (!option.shown_metavar.empty()) of_app->option_text(option.shown_metavar);
        added.emplace_back(of_app, &option);
    }
    return {app, [options, added] {
                options->recipe.kind = test_volume_kind({"generate", options->kind});
                std::vector<std::pair<std::string, const TestVolumeOption*>> given;
                for (const auto& [of_app, option] : added)
                    if (of_app->count() > 0) given.emplace_back(of_app->get_name(), option);
                check_given(options->recipe, given);
                if (options->output.empty())
                    throw ProgramError(ErrorKind::invalid_argument, "generate", "needs an output",
                                       "name it with -o, as in -o volume.nii.gz");
                check_zarr_form(options->zarr, options->output);
                return Command{[options] { return run_generate(*options); }, options->messages};
            }};
}

}  // namespace voxcc::cli
