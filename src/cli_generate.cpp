// The options of `voxcc generate`.
#include "src/cli_parts.h"

namespace voxcc::cli {
namespace {

/// An option that only some kinds look at.
struct Special {
    CLI::Option* option;
    std::vector<std::string> kinds;
};

void refuse_idle_options(const std::string& kind, const std::vector<Special>& specials) {
    for (const Special& special : specials)
        if (special.option->count() > 0 && std::find(special.kinds.begin(), special.kinds.end(), kind) == special.kinds.end())
            throw Error(ExitCode::usage, special.option->get_name(), "means nothing to '" + kind + "'");
}

}  // namespace

Subcommand add_generate(CLI::App& program) {
    const auto options = std::make_shared<GenerateOptions>();
    GenerateOptions& o = *options;
    CLI::App* app = program.add_subcommand("generate", "Write a test volume");
    add_talk(*app, o.talk);
    const std::vector<std::string> kinds{"hilbert", "random", "spiral", "blobs", "checkerboard", "solid"};
    app->add_option("KIND", o.kind, "hilbert, random, spiral, blobs, checkerboard or solid")->required()->type_name("");
    add_path(*app, "-o,--output", "volume; the format follows from the extension", o.output)->group("Writing");
    add_force(*app, o.existing);
    add_compress(*app, o.compress);
    CLI::Option* size = add_value(*app, "--size", "N", "edge of a cube, voxels (default 128)", [&o](const Argument& argument) {
        o.shape.fill(parse_whole(argument, {1, 10000}));
    });
    add_value(*app, "--shape", "X,Y,Z", "voxels along each axis; X,Y for an image", [&o](const Argument& argument) {
        o.shape = parse_shape(argument);
    })->excludes(size);
    const std::vector<Special> specials{
        {add_value(*app, "--order", "1..6", "hilbert: order of the curve (default 6)",
                   [&o](const Argument& argument) {
                       o.order = int(parse_whole(argument, {1, 6}));
                   }),
         {"hilbert"}},
        {add_value(*app, "--density", "0..1", "random, blobs: share of foreground (default 0.5)",
                   [&o](const Argument& argument) {
                       o.density = parse_real(argument, {0, 1});
                   }),
         {"random", "blobs"}},
        {add_value(*app, "--granularity", "1..16", "random: edge of equal blocks, voxels (default 1)",
                   [&o](const Argument& argument) {
                       o.granularity = int(parse_whole(argument, {1, 16}));
                   }),
         {"random"}},
        {add_value(*app, "--scale", "S", "blobs: standard deviation of the smoothing, voxels (default 8)",
                   [&o](const Argument& argument) {
                       o.scale = parse_real(argument, {0.1, 1000});
                   }),
         {"blobs"}},
        {add_value(*app, "--seed", "N", "random, blobs: the same number gives the same volume (default 1)",
                   [&o](const Argument& argument) {
                       o.seed = std::uint64_t(parse_whole(argument, {0, std::numeric_limits<std::int64_t>::max()}));
                   }),
         {"random", "blobs"}}};
    return {app, [options, kinds, specials] {
                parse_choice({"generate", options->kind}, kinds);
                refuse_idle_options(options->kind, specials);
                if (options->output.empty()) throw Error(ExitCode::usage, "generate", "needs an output", "name it with -o");
                return Command{[options] { return run_generate(*options); }, options->talk};
            }};
}

}  // namespace voxcc::cli
