// The options of `voxcc label`. label_checks.cpp checks their combinations.
#include "src/cli/cli_parts.h"
#include "src/cli/label_checks.h"
#include "src/cli/threshold.h"

namespace voxcc::cli {
namespace {

constexpr std::int64_t any_count = std::numeric_limits<std::int64_t>::max();

void add_outputs(CLI::App& app, LabelOptions& o) {
    const char* group = "Writing";
    add_path(app, "-o,--output",
             "label volume: .nii .nii.gz .h5 .tif .nrrd .mha, a folder with / at its end or a template; {stem} for several inputs",
             o.output)
        ->group(group);
    add_path(app, "--stats", "table: .csv .tsv .json, or - for stdout", o.stats)->group(group);
    add_path(app, "--json", "summary and provenance, - for stdout", o.json)->group(group);
    add_path(app, "--preview", "picture of three maximum projections: .png", o.preview)->group(group);
    add_choice<std::optional<ScalarType>>(app, "--dtype", "type of a label; auto: the smallest that fits",
                                          {{"auto", std::nullopt},
                                           {"uint8", ScalarType::u8},
                                           {"uint16", ScalarType::u16},
                                           {"int16", ScalarType::i16},
                                           {"uint32", ScalarType::u32},
                                           {"int32", ScalarType::i32},
                                           {"uint64", ScalarType::u64}},
                                          [&o](const std::optional<ScalarType>& type) { o.dtype = type; })
        ->group(group);
    add_compress(app, o.compress);
    add_force(app, o.existing);
    add_switch(app, "--mkdir", "make missing output folders", [&o] { o.folders = LabelOptions::Folders::make; })->group(group);
    add_switch(app, "--dry-run", "print the plan and the memory it needs, as JSON; exit 71 if a volume does not fit", [&o] {
        o.run = LabelOptions::Run::dry_run;
    })->group(group);
}

void add_foreground(CLI::App& app, LabelOptions& o) {
    const char* group = "What is labelled";
    add_value(app, "--threshold", "RULE", "nonzero (default), '>T', '>=T', T (= >=T), LO:HI, otsu, p99", [&o](const Argument& argument) {
        parse_threshold(argument.text);
        o.threshold = argument.text;
    })->group(group);
    add_switch(app, "--invert", "label the background instead; NaN stays background", [&o] {
        o.polarity = Polarity::background;
    })->group(group);
    add_switch(app, "--multilabel", "only voxels of equal value are neighbours", [&o] {
        o.mode = LabelOptions::Mode::multilabel;
    })->group(group);
    add_value(app, "--gradient", "T", "only voxels whose stored values differ by at most T are neighbours", [&o](const Argument& argument) {
        o.gradient = parse_real(argument, {0, 1e308});
    })->group(group);
    add_value(app, "--colour", "T", "only voxels whose colours differ by at most T, summed over the channels, are neighbours",
              [&o](const Argument& argument) {
                  o.colour = parse_real(argument, {0, 1e308});
                  o.input.colours = io::Colours::pack;
              })
        ->group(group);
    add_path(app, "--mask", "label only voxels where this volume is neither 0 nor NaN", o.mask)->group(group);
    add_choice<int>(app, "-c,--connectivity", "neighbours (default 26, in 2D 8)", {{"6", 6}, {"18", 18}, {"26", 26}, {"4", 4}, {"8", 8}},
                    [&o](int number) { o.connectivity = number; })
        ->group(group);
    add_choice<Axis>(app, "--per-slice", "label each slice across this axis on its own", {{"x", Axis::x}, {"y", Axis::y}, {"z", Axis::z}},
                     [&o](Axis axis) { o.per_slice = axis; })
        ->group(group);
    add_value(app, "--periodic", "AXES", "wrap around, as in xy", [&o](const Argument& argument) {
        o.periodic = parse_axes(argument);
    })->group(group);
}

void add_selection(CLI::App& app, LabelOptions& o) {
    const char* group = "What is kept";
    const auto add_limit = [&](const std::string& name, const std::string& help, std::optional<SizeLimit>& limit) {
        add_value(app, name, "N|Vmm3", help, [&limit](const Argument& argument) { limit = parse_size_limit(argument); })->group(group);
    };
    add_limit("--min-size", "drop smaller components: voxels, or a volume as in 5mm3", o.min_size);
    add_limit("--max-size", "drop larger components", o.max_size);
    add_value(app, "--keep-largest", "K", "keep the K largest; of equals the first", [&o](const Argument& argument) {
        o.keep_largest = std::uint64_t(parse_whole(argument, {1, any_count}));
    })->group(group);
    add_choice<SortOrder>(app, "--sort", "numbering by first voxel, or largest = 1",
                          {{"raster", SortOrder::raster}, {"size", SortOrder::size}}, [&o](SortOrder order) { o.sort = order; })
        ->group(group);
    add_switch(app, "--fill-holes", "fill cavities", [&o] { o.holes = LabelOptions::Holes::fill; })->group(group);
    add_switch(app, "--clear-border", "drop components that touch the border", [&o] {
        o.border = LabelOptions::Border::clear;
    })->group(group);
}

void add_resources(CLI::App& app, LabelOptions& o) {
    const char* group = "Resources";
    add_value(app, "--device", "auto|cpu|cuda[:N,...]|all", "where to label", [&o](const Argument& argument) {
        o.device = parse_device(argument);
    })->group(group);
    add_value(app, "--algorithm", "NAME", "a name that 'voxcc algorithms' lists", [&o](const Argument& argument) {
        o.algorithm = parse_algorithm(argument);
    })->group(group);
    add_value(app, "-t,--threads", "N", "CPU threads (default: all that affinity and cgroups allow)", [&o](const Argument& argument) {
        // In FSL, `cluster -t 3.1` sets a threshold.
        const bool is_fraction = argument.text.find('.') != std::string::npos;
        o.threads = int(parse_whole(argument, {1, 4096}, is_fraction ? "for a threshold, write --threshold '>" + argument.text + "'" : ""));
    })->group(group);
    add_value(app, "--max-memory", "SIZE",
              "memory limit, as in 8GiB; larger volumes are processed slab by slab (default: free memory, at most what cgroups allow)",
              [&o](const Argument& argument) { o.max_memory = parse_bytes(argument); })
        ->group(group);
    add_value(app, "-j,--jobs", "N", "volumes in flight (default 1)", [&o](const Argument& argument) {
        o.jobs = int(parse_whole(argument, {1, 4096}));
    })->group(group);
}

}  // namespace

Subcommand add_label(CLI::App& program, const std::vector<std::string>& arguments, std::string& config) {
    const auto options = std::make_shared<LabelOptions>();
    LabelOptions& o = *options;
    o.arguments = arguments;
    CLI::App* app = program.add_subcommand("label", "Label connected components, measure them, write volume and table");
    add_message_options(*app, o.messages);
    add_files(*app, "IN", "volumes: files, folders of slices, templates as in s%04d.tif", o.inputs);
    add_path(*app, "--list", "file with further inputs, one a line", o.list)->group("Reading");
    add_path(*app, "--intensity", "add the columns of this image's values", o.intensity)->group("Reading");
    add_input(*app, o.input);
    add_spacing(*app, o.input);
    add_outputs(*app, o);
    add_foreground(*app, o);
    add_selection(*app, o);
    add_resources(*app, o);
    add_path(*app, "--config", "TOML file with defaults for these options", config)->group("Reading");
    return {app, [options, &config] {
                options->config = config;
                check_label_options(*options);
                return Command{[options] { return run_label(*options); }, options->messages};
            }};
}

}  // namespace voxcc::cli
