// The options of `voxcc generate`.
#include "src/cli/cli_parts.h"
#include "src/cli/help/wrap.h"
#include "src/messages/program_error.h"

namespace voxcc::cli {
namespace {

/// An option that only some kinds, or some families of ridge, use.
struct Special {
    CLI::Option* option;
    std::vector<std::string> users;  // names of these kinds or families
};

/// @throw Error invalid_argument if an option is given that `user` does not use
void refuse_idle_options(const std::string& user, const std::vector<Special>& specials) {
    for (const Special& special : specials)
        if (special.option->count() > 0 && std::find(special.users.begin(), special.users.end(), user) == special.users.end())
            throw ProgramError(ErrorKind::invalid_argument, special.option->get_name(), "is not used by '" + user + "'", "leave it out");
}

const std::vector<Choice<RidgeFamily>> families{{"leveling", RidgeFamily::leveling},
                                                {"scaling", RidgeFamily::scaling},
                                                {"subdivision", RidgeFamily::subdivision},
                                                {"random-instancing", RidgeFamily::random_instancing},
                                                {"random-merging", RidgeFamily::random_merging}};

std::string name_of(RidgeFamily family) {
    return std::find_if(families.begin(), families.end(), [family](const auto& choice) { return choice.value == family; })->word;
}

/// Adds the options of ridge. @return the options, each with the families that use it
std::vector<Special> add_ridge(CLI::App& app, RidgeRecipe& ridge) {
    std::vector<std::string> all;
    for (const auto& choice : families) all.push_back(choice.word);
    return {{add_choice<RidgeFamily>(app, "--family", "ridge: family of images, see docs/test-volumes.md (default: leveling)", families,
                                     [&ridge](RidgeFamily family) { ridge.family = family; })
                 ->option_text("FAMILY"),
             all},
            {add_value(app, "--level", "L", "ridge: passes of label equivalence (default: 3)",
                       [&ridge](const Argument& argument) {
                           ridge.level = int(parse_whole(argument, {1, 30}));
                       }),
             all},
            {add_value(app, "--factor", "0..1", "ridge scaling: size relative to the largest pattern (default: 0.5)",
                       [&ridge](const Argument& argument) {
                           ridge.factor = parse_real(argument, {0, 1});
                       }),
             {"scaling"}},
            {add_value(app, "--subdivisions", "S", "ridge subdivision, random-*: 4^S patterns (default: 2)",
                       [&ridge](const Argument& argument) {
                           ridge.subdivisions = int(parse_whole(argument, {0, 15}));
                       }),
             {"subdivision", "random-instancing", "random-merging"}},
            {add_value(app, "--probability", "0..1", "ridge random-*: probability of a pattern, or of a join (default: 0.5)",
                       [&ridge](const Argument& argument) {
                           ridge.probability = parse_real(argument, {0, 1});
                       }),
             {"random-instancing", "random-merging"}}};
}

}  // namespace

Subcommand add_generate(CLI::App& program) {
    const auto options = std::make_shared<GenerateOptions>();
    GenerateOptions& o = *options;
    CLI::App* app = program.add_subcommand("generate", "write a test volume with a known structure");
    add_message_options(*app, o.messages);
    const std::vector<std::string> kinds{"hilbert", "random", "spiral",       "zigzag-spiral", "dry-earth",
                                         "ridge",   "blobs",  "checkerboard", "solid"};
    app->option_defaults()->group(help_group::input);
    app->add_option("KIND", o.kind, "hilbert, random, spiral, zigzag-spiral, dry-earth, ridge, blobs, checkerboard or solid")
        ->required()
        ->type_name(joined(kinds, "|"));
    add_path(*app, "-o,--output", "volume (required); its extension sets the format", o.output)->group(help_group::output);
    add_force(*app, o.existing);
    add_zarr_form(*app, o.zarr);
    add_compress(*app, o.compress);
    CLI::Option* size =
        add_value(*app, "--size", "N", "edge of a cube in voxels; not with --shape (default: 128)", [&o](const Argument& argument) {
            o.shape.fill(parse_whole(argument, {1, 10000}));
        });
    add_value(*app, "--shape", "X,Y,Z", "voxels along each axis; X,Y for an image; not with --size", [&o](const Argument& argument) {
        o.shape = parse_shape(argument);
    })->excludes(size);
    std::vector<Special> specials{
        {add_value(*app, "--order", "1..10", "hilbert: order of the curve (default: 6)",
                   [&o](const Argument& argument) {
                       o.order = int(parse_whole(argument, {1, 10}));
                   }),
         {"hilbert"}},
        {add_value(*app, "--density", "0..1", "random, blobs: fraction of foreground voxels (default: 0.5)",
                   [&o](const Argument& argument) {
                       o.density = parse_real(argument, {0, 1});
                   }),
         {"random", "blobs"}},
        {add_value(*app, "--granularity", "1..16", "random: edge of blocks of equal voxels, in voxels (default: 1)",
                   [&o](const Argument& argument) {
                       o.granularity = int(parse_whole(argument, {1, 16}));
                   }),
         {"random"}},
        {add_value(*app, "--scale", "S", "blobs: standard deviation of the smoothing, in voxels (default: 8)",
                   [&o](const Argument& argument) {
                       o.scale = parse_real(argument, {0.1, 1000});
                   }),
         {"blobs"}}};
    specials.push_back({add_choice<Generator>(*app, "--generator", "random: mt19937 or mt19937-64 (32 or 64 bits) (default: mt19937-64)",
                                              {{"mt19937", Generator::mt19937}, {"mt19937-64", Generator::mt19937_64}},
                                              [&o](Generator generator) { o.generator = generator; })
                            ->option_text("NAME"),
                        {"random"}});
    CLI::Option* seed = add_value(*app, "--seed", "N", "random, dry-earth, blobs, ridge random-*: random seed (default: 1)",
                                  [&o](const Argument& argument) {
                                      o.seed = std::uint64_t(parse_whole(argument, {0, std::numeric_limits<std::int64_t>::max()}));
                                  });
    specials.push_back({seed, {"random", "dry-earth", "blobs", "ridge"}});
    std::vector<Special> of_ridge = add_ridge(*app, o.ridge);
    for (const Special& special : of_ridge) specials.push_back({special.option, {"ridge"}});
    of_ridge.push_back({seed, {"random-instancing", "random-merging"}});
    return {app, [options, kinds, specials, of_ridge] {
                parse_choice({"generate", options->kind}, kinds);
                refuse_idle_options(options->kind, specials);
                if (options->kind == "ridge") refuse_idle_options(name_of(options->ridge.family), of_ridge);
                if (options->output.empty())
                    throw ProgramError(ErrorKind::invalid_argument, "generate", "needs an output",
                                       "name it with -o, as in -o volume.nii.gz");
                if (options->zarr != io::ZarrForm{} && !io::is_zarr_output(options->output))
                    throw ProgramError(ErrorKind::invalid_argument, "--ngff, --pyramid", "are for Zarr outputs",
                                       "name one, as in -o volume.zarr");
                return Command{[options] { return run_generate(*options); }, options->messages};
            }};
}

}  // namespace voxcc::cli
