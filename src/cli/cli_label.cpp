// The options of `voxcc label`. label_checks.cpp checks their combinations.
#include "io/anndata.h"
#include "io/format_names.h"
#include "src/cli/cli_parts.h"
#include "src/cli/label_checks.h"
#include "src/errors/program_error.h"
#include "src/options/threshold.h"
#include "src/pipeline/input_list.h"

#include <algorithm>
#include <array>

namespace voxcc::cli {
namespace {

constexpr std::int64_t any_count = std::numeric_limits<std::int64_t>::max();

void add_outputs(CLI::App& app, LabelOptions& o) {
    const char* group = help_group::output;
    add_path(app, "-o,--output", "label volume: " + io::joined(io::usual_output_extensions()) + " ..., FOLDER/, - for stdout", o.output)
        ->group(group);
    const auto add_volume = [&](const std::string& name, const std::string& help, std::string& path) {
        add_path(app, name, help, path)->option_text("OUT")->group(group);
    };
    add_volume("--masked-output", "volume: the input values inside components, 0 elsewhere", o.masked_output);
    add_volume("--size-output", "volume: the number of voxels of the component of each voxel", o.size_output);
    add_volume("--mask-output", "volume: 1 inside components, 0 elsewhere", o.mask_output);
    add_path(app, "--stats", "table: " + io::component_table_extensions() + "; - for stdout", o.stats)->group(group);
    add_table_choice(app, o.table);
    add_summary(app, o.summary);
    add_path(app, "--failed", "list of the inputs that failed, with the reasons, for --list", o.failed)->group(group);
    add_sidecar(app, o.sidecar);
    add_switch(app, "--bids", "-o is a BIDS dataset: write label volume, table and sidecar into it", [&o] {
        o.bids = LabelOptions::Bids::write;
    })->group(group);
    add_contacts(app, o.contacts);
    add_path(app, "--json", "summary and provenance as JSON; - for stdout, not with --stats -", o.json)->group(group);
    add_path(app, "--preview", "picture of the components in three views, or with a tile per volume: .png", o.preview)->group(group);
    add_path(app, "--preview-image", "draw outlines over this image (default: the first --intensity)", o.preview_image)
        ->option_text("IN")
        ->group(group);
    add_path(app, "--lut", "label colours for viewers: .txt, .lut, .ctbl or .json", o.lut)->group(group);
    add_switch(app, "--colour-table", "store colours in a .tif of up to 255 labels, as Fiji shows them", [&o] {
        o.colour_table = LabelOptions::ColourTable::store;
    })->group(group);
    add_dtype(app, o.dtype);
    add_zarr_form(app, o.zarr);
    add_compress(app, o.compress);
    add_force(app, o.existing);
    add_switch(app, "--skip-existing", "skip inputs that an earlier run has completed; needs --json", [&o] {
        o.completed = LabelOptions::Completed::skip;
    })->group(group);
    add_switch(app, "--mkdir", "make missing output folders", [&o] { o.folders = LabelOptions::Folders::make; })->group(group);
    add_switch(app, "--dry-run", "print the plan and its memory as JSON; not with --stats - or --json -", [&o] {
        o.run = LabelOptions::Run::dry_run;
    })->group(group);
}

void add_foreground(CLI::App& app, LabelOptions& o) {
    const char* group = help_group::foreground;
    add_value(app, "--threshold", "nonzero|otsu|RULE", "foreground: nonzero, '>T', '<T', LO:HI, otsu, p99 (default: nonzero)",
              [&o](const Argument& argument) {
                  parse_threshold(argument.text);
                  o.threshold = argument.text;
              })
        ->option_text("RULE")
        ->group(group);
    add_value(app, "--seed-threshold", "RULE", "hysteresis: keep components of --threshold with a voxel of RULE",
              [&o](const Argument& argument) {
                  parse_threshold(argument.text, argument.option);
                  o.seed_threshold = argument.text;
              })
        ->group(group);
    add_path(app, "--threshold-from", "compute otsu, or the level of --threshold, from IN for all inputs", o.threshold_from)
        ->option_text("IN")
        ->group(group);
    add_switch(app, "--invert", "label the background, except NaN; not with --multilabel", [&o] {
        o.polarity = Polarity::background;
    })->group(group);
    add_path(app, "--mask", "label only voxels where this volume is neither 0 nor NaN", o.mask)->group(group);
}

void add_connectivity(CLI::App& app, LabelOptions& o) {
    const char* group = help_group::connectivity;
    add_connectivity_number(app, "neighbours per voxel: 6, 18, 26; in 2D 4 or 8 (default: 26; in 2D 8)", o.connectivity)->group(group);
    add_choice<Axis>(app, "--per-slice", "label and number slice by slice across this axis; -c is 4 or 8",
                     {{"x", Axis::x}, {"y", Axis::y}, {"z", Axis::z}}, [&o](Axis axis) { o.per_slice = axis; })
        ->group(group);
    add_value(app, "--periodic", "AXES", "connect opposite borders, as in xy; not along the axis of --per-slice",
              [&o](const Argument& argument) { o.periodic = parse_axes(argument); })
        ->group(group);
    add_switch(app, "--multilabel", "connect only voxels with equal values; not with --invert", [&o] {
        o.mode = LabelOptions::Mode::multilabel;
    })->group(group);
    add_switch(app, "--split-signs", "separate positive from negative values; not with --multilabel", [&o] {
        o.signs = LabelOptions::Signs::split;
    })->group(group);
    add_value(app, "--delta,--gradient", "T", "connect values at most T apart; not with --multilabel", [&o](const Argument& argument) {
        o.gradient = parse_bound(argument, {0, 1e308});
    })->group(group);
    add_value(app, "--colour", "T", "connect colours within T; not with --threshold, --multilabel, --delta",
              [&o](const Argument& argument) {
                  o.colour = parse_real(argument, {0, 1e308});
                  o.input.colours = io::Colours::pack;
              })
        ->group(group);
}

void add_selection(CLI::App& app, LabelOptions& o) {
    const char* group = help_group::selection;
    const auto add_limit = [&](const std::string& name, const std::string& help, std::optional<SizeLimit>& limit) {
        add_value(app, name, "SIZE", help, [&limit](const Argument& argument) { limit = parse_size_limit(argument); })->group(group);
    };
    add_limit("--min-size", "drop components below SIZE: voxels, 5mm3, 5um3, 0.5ml; in 2D 5mm2", o.min_size);
    add_limit("--max-size", "drop components above SIZE", o.max_size);
    add_value(app, "--keep-largest", "K", "keep the K largest components (ties: the one that starts first)",
              [&o](const Argument& argument) {
                  o.keep_largest = std::uint64_t(parse_whole(argument, {1, any_count}));
              })
        ->group(group);
    add_switch(app, "--per-value", "--keep-largest of each value; needs --multilabel", [&o] {
        o.largest = LabelOptions::Largest::of_each_value;
    })->group(group);
    add_keep(app, o.keep);
    add_choice<SortOrder>(app, "--sort", "number by first voxel (raster) or largest = 1 (size) (default: raster)",
                          {{"raster", SortOrder::raster}, {"size", SortOrder::size}}, [&o](SortOrder order) { o.sort = order; })
        ->group(group);
    add_switch(app, "--fill-holes", "fill enclosed background before labelling", [&o] {
        o.holes = LabelOptions::Holes::fill;
    })->group(group);
    add_limit("--max-hole", "fill only holes of at most SIZE; needs --fill-holes", o.max_hole);
    add_switch(app, "--clear-border", "drop components that touch the border; periodic faces are not border", [&o] {
        o.border = LabelOptions::Border::clear;
    })->group(group);
    add_switch(app, "--clear-mask-border", "drop components that touch voxels outside --mask", [&o] {
        o.mask_border = LabelOptions::Border::clear;
    })->group(group);
}

void add_resources(CLI::App& app, LabelOptions& o) {
    const char* group = help_group::resources;
    add_value(app, "--device", "auto|cpu|cuda[:N,...]|all", "auto, cpu, cuda, GPUs as in cuda:0,1, or all (default: auto)",
              [&o](const Argument& argument) { o.device = parse_device(argument); })
        ->option_text("DEVICE")
        ->group(group);
    add_value(app, "--algorithm", "auto|ALGORITHM", "a name from 'voxcc algorithms' (default: auto)",
              [&o](const Argument& argument) { o.algorithm = parse_algorithm(argument); })
        ->option_text("NAME")
        ->group(group);
    add_isa(app, o.isa);
    add_threads(app, o.threads);
    add_value(app, "--max-memory", "SIZE", "limit, as in 8GiB; larger volumes run in slabs (default: free memory)",
              [&o](const Argument& argument) { o.max_memory = parse_bytes(argument); })
        ->group(group);
    add_value(app, "-j,--jobs", "N", "volumes processed at the same time (default: 1)", [&o](const Argument& argument) {
        o.jobs = int(parse_whole(argument, {1, 4096}));
    })->group(group);
}

void add_steps(CLI::App& app, PartOptions& steps) {
    add_path(app, "--plan", "label parts of a volume: a plan of 'voxcc split'; -o is then a folder", steps.plan)
        ->type_name("FILE")
        ->group(help_group::input);
    add_part_range(app, steps.parts);
    add_background(app, steps, "label the background of parts, for 'voxcc merge --background'");
    add_path(app, "--holes", "fill holes and label parts; folder of 'voxcc merge --background'", steps.holes)
        ->type_name("FILE")
        ->group(help_group::input);
}

/// Checks the options of a step of a plan. @throw Error invalid_argument
void check_step(const CLI::App& app, const LabelOptions& o, PartOptions& steps) {
    constexpr std::array allowed{"--plan", "--part",     "--background", "--holes",   "--output",     "--threads",
                                 "--isa",  "--progress", "--quiet",      "--verbose", "--log-format", "--help"};
    for (const CLI::Option* option : app.get_options())
        if (option->count() > 0 && std::ranges::none_of(allowed, [&](const char* name) { return option->check_name(name); }))
            throw ProgramError(ErrorKind::invalid_argument, option->get_positional() ? o.inputs.front().name : option->get_name(),
                               "cannot be combined with --plan, which states it", "give it to 'voxcc split'");
    if (o.output.empty())
        throw ProgramError(ErrorKind::invalid_argument, "label", "needs a folder for the states of the parts",
                           "name it with -o, as in -o state/");
    if (steps.round == PartRound::background && !steps.holes.empty())
        throw ProgramError(ErrorKind::invalid_argument, "--holes", "cannot be combined with --background, the step before it",
                           "use one of them");
    steps.state = o.output;
    steps.threads = o.threads;
    steps.isa = o.isa;
    steps.messages = o.messages;
}

}  // namespace

void add_rules_of_label(CLI::App& app, LabelOptions& o) {
    add_input(app, o.input);
    add_spacing(app, o.input);
    add_tolerance(app, o.input);
    add_foreground(app, o);
    add_connectivity(app, o);
    add_selection(app, o);
    add_intensity(app, o.intensity);
    add_shape(app, o.shape);
    add_inside(app, o.inside);
    add_units(app, o.units);
}

void add_dtype(CLI::App& app, std::optional<ScalarType>& type) {
    add_choice<std::optional<ScalarType>>(app, "--dtype", "auto (smallest), uint8 to uint64, int16 or int32 (default: auto)",
                                          {{"auto", std::nullopt},
                                           {"uint8", ScalarType::u8},
                                           {"uint16", ScalarType::u16},
                                           {"int16", ScalarType::i16},
                                           {"uint32", ScalarType::u32},
                                           {"int32", ScalarType::i32},
                                           {"uint64", ScalarType::u64}},
                                          [&type](const std::optional<ScalarType>& choice) { type = choice; })
        ->option_text("TYPE")
        ->group(help_group::output);
}

void add_threads(CLI::App& app, int& threads) {
    add_value(app, "-t,--threads", "N", "CPU threads (not a threshold) (default: all)", [&threads](const Argument& argument) {
        // In FSL, `cluster -t 3.1` sets a threshold.
        const bool is_fraction = argument.text.find('.') != std::string::npos;
        threads = int(parse_whole(argument, {1, 4096}, is_fraction ? "for a threshold, write --threshold '>" + argument.text + "'" : ""));
    })->group(help_group::resources);
}

Subcommand add_label(CLI::App& program, const std::vector<std::string>& arguments, std::string& config) {
    const auto options = std::make_shared<LabelOptions>();
    const auto inputs = std::make_shared<std::vector<std::string>>();
    const auto steps = std::make_shared<PartOptions>();
    LabelOptions& o = *options;
    o.arguments = arguments;
    CLI::App* app = program.add_subcommand("label", "label connected components, and write a label volume and a table");
    add_message_options(*app, o.messages);
    // option_text: the usage shows IN as required. Only --list makes it optional.
    add_files(*app, "IN", "files, folders of slices, templates (s%04d.tif), or - for stdin", *inputs)->option_text("IN");
    add_path(*app, "--list", "read inputs from FILE: one per line, or a table; - for stdin", o.list)
        ->type_name("FILE")
        ->group(help_group::input);
    add_switch(*app, "--shared", "use the same --mask, --intensity and --preview-image for all inputs", [&o] {
        o.companions = LabelOptions::Companions::shared;
    })->group(help_group::input);
    add_outputs(*app, o);
    add_rules_of_label(*app, o);
    add_resources(*app, o);
    add_path(*app, "--config", "TOML file with values for these options", config)->type_name("FILE")->group(help_group::input);
    add_steps(*app, *steps);
    return {app, [app, options, inputs, steps, &config] {
                for (const std::string& name : *inputs) options->inputs.push_back({name});
                const bool is_background = steps->round == PartRound::background;
                for (const auto& [option, is_given] :
                     {std::pair("--part", steps->parts.has_value()), {"--background", is_background}, {"--holes", !steps->holes.empty()}})
                    if (is_given && steps->plan.empty())
                        throw ProgramError(ErrorKind::invalid_argument, option, "needs a plan",
                                           "make one with 'voxcc split', and add --plan");
                if (!steps->plan.empty()) {
                    check_step(*app, *options, *steps);
                    return Command{[steps] { return run_label_parts(*steps); }, options->messages};
                }
                options->config = config;
                add_list(*options);
                name_bids_outputs(*options);
                check_label_options(*options);
                return Command{[options] { return run_label(*options); }, options->messages};
            }};
}

}  // namespace voxcc::cli
