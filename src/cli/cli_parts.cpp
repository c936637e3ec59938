#include "src/cli/cli_parts.h"

#include "io/sandbox.h"
#include "src/errors/program_error.h"
#include "src/options/raw_layout.h"
#include "src/pipeline/expression.h"

namespace voxcc::cli {
namespace {

// The name of an option in error messages: "-t,--threads" -> "--threads".
std::string long_name(const std::string& names) {
    const std::size_t at = names.find("--");
    return at == std::string::npos ? names : names.substr(at, names.find(',', at) - at);
}

}  // namespace

CLI::Option* add_value(CLI::App& app, const std::string& names, const std::string& metavar, const std::string& help,
                       std::function<void(const Argument&)> assign) {
    return add_values(app, names, metavar, help, [assign = std::move(assign)](const std::vector<Argument>& values) {
        if (values.size() != 1)
            throw ProgramError(ErrorKind::invalid_argument, values.front().option, "is given " + std::to_string(values.size()) + " times",
                               "give it once");
        assign(values.front());
    });
}

CLI::Option* add_values(CLI::App& app, const std::string& names, const std::string& metavar, const std::string& help,
                        std::function<void(const std::vector<Argument>&)> assign) {
    const CLI::callback_t callback = [assign = std::move(assign), name = long_name(names)](const CLI::results_t& values) {
        std::vector<Argument> arguments;
        for (const std::string& value : values) arguments.push_back({name, value});
        assign(arguments);
        return true;
    };
    return app.add_option(names, callback, help)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->type_name(metavar);
}

CLI::Option* add_path(CLI::App& app, const std::string& names, const std::string& help, std::string& path) {
    return add_value(app, names, "PATH", help, [&path](const Argument& argument) { path = parse_path(argument); });
}

CLI::Option* add_switch(CLI::App& app, const std::string& names, const std::string& help, std::function<void()> assign) {
    return app.add_flag_callback(names, std::move(assign), help);
}

CLI::Option* add_file(CLI::App& app, const std::string& metavar, const std::string& help, std::string& path) {
    return app.add_option(metavar, path, help)->required()->type_name("FILE");
}

CLI::Option* add_files(CLI::App& app, const std::string& metavar, const std::string& help, std::vector<std::string>& paths) {
    return app.add_option(metavar, paths, help)->type_name("FILE");
}

void add_message_options(CLI::App& app, MessageOptions& messages) {
    const char* group = help_group::messages;
    add_choice<Progress>(app, "--progress", "progress bar on stderr: auto, always or never (default: auto)",
                         {{"auto", Progress::automatic}, {"always", Progress::always}, {"never", Progress::never}},
                         [&messages](Progress progress) { messages.progress = progress; })
        ->option_text("WHEN")
        ->group(group);
    // The first value is kept: the command line is read before the environment and the configuration file.
    const auto say = [&messages](int verbosity) {
        if (messages.verbosity == MessageOptions{}.verbosity) messages.verbosity = verbosity;
    };
    CLI::Option* quiet = add_switch(app, "-q,--quiet", "print errors only; not with --verbose", [say] { say(0); });
    CLI::Option* verbose = add_switch(app, "-v,--verbose", "print more messages; not with --quiet", [say] { say(2); });
    quiet->group(group)->excludes(verbose);
    verbose->group(group);
    add_choice<LogFormat>(app, "--log-format", "format of messages on stderr: text or json (default: text)",
                          {{"text", LogFormat::text}, {"json", LogFormat::json}},
                          [&messages](LogFormat format) { messages.format = format; })
        ->option_text("FORMAT")
        ->group(group);
}

void add_unsandboxed(CLI::App& app) {
    add_switch(app, "--allow-unsandboxed", "read files although the process for it cannot be restricted", [] {
        io::set_unsandboxed(io::Unsandboxed::allow);
    })->group(help_group::input);
}

void add_input(CLI::App& app, InputOptions& input, Volumes volumes) {
    const char* group = help_group::input;
    add_value(app, "--dataset", "DATASET", "dataset of an HDF5, .npz, VTK or Zarr file (default: the only volume)",
              [&input](const Argument& argument) { input.dataset = parse_path(argument); })
        ->group(group);
    const bool all = volumes == Volumes::one_or_all;
    add_value(app, "--volume", all ? "N|all" : "N",
              std::string("volume of a 4D file, counted from 0") + (all ? ", or all" : "") + " (default: the only volume)",
              [&input](const Argument& argument) { input.volume = parse_volume(argument); })
        ->group(group);
    add_value(app, "--raw", "TYPE,XxYxZ,...", "read files without header, as in uint16,512x512x300[,big][,offset=N]",
              [&input](const Argument& argument) { input.raw = parse_raw(argument.text); })
        ->option_text("LAYOUT")
        ->group(group);
    add_switch(app, "--allow-external", "allow detached data, HDF5 links and OME-TIFF sets that the input names", [&input] {
        input.external = io::ExternalFiles::allow;
    })->group(group);
    add_unsandboxed(app);
    add_choice<io::MissingChunks>(app, "--missing-chunks", "missing chunks of Zarr and TIFF: fill or error (default: fill)",
                                  {{"fill", io::MissingChunks::fill}, {"error", io::MissingChunks::refuse}},
                                  [&input](io::MissingChunks missing) { input.missing_chunks = missing; })
        ->option_text("A")
        ->group(group);
    add_choice<io::ReaderChoice>(
        app, "--reader", "auto (ITK where voxcc has no reader), voxcc or itk (default: auto)",
        {{"auto", io::ReaderChoice::automatic}, {"voxcc", io::ReaderChoice::voxcc}, {"itk", io::ReaderChoice::itk}},
        [&input](io::ReaderChoice reader) { input.reader = reader; })
        ->option_text("READER")
        ->group(group);
}

void add_spacing(CLI::App& app, InputOptions& input) {
    add_value(app, "--spacing", "X,Y,Z", "voxel size in mm, or as in 0.26,0.26,0.29um; overrides the file",
              [&input](const Argument& argument) { input.spacing = parse_spacing(argument); })
        ->group(help_group::input);
}

void add_tolerance(CLI::App& app, InputOptions& input) {
    add_value(app, "--geometry-tolerance", "D", "distance of grid corners: 0.1 (voxels), 1mm, ignore (default: 0.01)",
              [&input](const Argument& argument) { input.tolerance = parse_tolerance(argument); })
        ->group(help_group::input);
}

void add_intensity(CLI::App& app, IntensityOptions& options) {
    add_values(app, "--intensity", "PATH", "measure this image, also NAME=PATH: mean, std, peak, ...; repeatable",
               [&options](const std::vector<Argument>& arguments) {
                   options.images.clear();
                   for (const Argument& argument : arguments) options.images.push_back(parse_intensity(argument));
               })
        ->group(help_group::measures);
    add_value(app, "--percentiles", "P,...", "percentiles of the intensities, as in 5,50,95; needs --intensity",
              [&options](const Argument& argument) { options.percentiles = parse_percentiles(argument); })
        ->group(help_group::measures);
    add_path(app, "--local-maxima", "table of the peaks inside each component; needs --intensity", options.local_maxima)
        ->group(help_group::output);
    add_value(app, "--peak-distance", "MM", "drop peaks nearer than MM (or 500um) to a greater one", [&options](const Argument& argument) {
        options.peak_distance = parse_distance(argument);
    })->group(help_group::measures);
}

void add_contacts(CLI::App& app, std::string& path) {
    add_path(app, "--contacts", "table of touching components: faces and area per pair; - for stdout", path)->group(help_group::output);
}

void add_table_choice(CLI::App& app, TableChoice& choice) {
    add_value(app, "--columns", "LIST", "columns or groups (size, centroid, box, ...) of the table, in this order",
              [&choice](const Argument& argument) { choice.columns = parse_columns(argument); })
        ->group(help_group::output);
    add_value(app, "--digits", "N", "significant digits of numbers in the table (default: all)", [&choice](const Argument& argument) {
        choice.digits = int(parse_whole(argument, {1, 17}));
    })->group(help_group::output);
}

void add_keep(CLI::App& app, std::string& expression) {
    add_value(app, "--keep", "EXPR", "keep components for which EXPR is true, as in 'voxels > 9 and elongation > 0.5'",
              [&expression](const Argument& argument) {
                  Expression(argument.text, argument.option);
                  expression = argument.text;
              })
        ->group(help_group::selection);
}

void add_summary(CLI::App& app, std::string& path) {
    add_path(app, "--summary", "table with one row per volume: number and sizes of its components", path)->group(help_group::output);
}

void add_shape(CLI::App& app, Shape& shape) {
    add_switch(app, "--shape", "measure surface, Euler number, diameters and axes; needs a table", [&shape] {
        shape = Shape::measure;
    })->group(help_group::measures);
}

void add_inside(CLI::App& app, Inside& inside) {
    add_switch(app, "--inside", "add a voxel inside each component to the table, also for rings", [&inside] {
        inside = Inside::find;
    })->group(help_group::measures);
}

void add_units(CLI::App& app, std::optional<Units>& units) {
    add_choice<std::optional<Units>>(
        app, "--units", "unit in tables: mm, um, nm, voxel, auto (of the file) (default: auto)",
        {{"mm", Units::mm}, {"um", Units::um}, {"nm", Units::nm}, {"voxel", Units::voxel}, {"auto", std::nullopt}},
        [&units](const std::optional<Units>& choice) { units = choice; })
        ->option_text("UNIT")
        ->group(help_group::measures);
}

CLI::Option* add_connectivity_number(CLI::App& app, const std::string& help, int& connectivity) {
    return add_choice<int>(app, "-c,--connectivity", help, {{"6", 6}, {"18", 18}, {"26", 26}, {"4", 4}, {"8", 8}},
                           [&connectivity](int number) { connectivity = number; })
        ->option_text("N");
}

void add_sidecar(CLI::App& app, Sidecar& sidecar) {
    add_switch(app, "--sidecar", "write a JSON beside the table with meaning and unit of each column", [&sidecar] {
        sidecar = Sidecar::write;
    })->group(help_group::output);
}

void add_compress(CLI::App& app, int& level) {
    add_value(app, "--compress", "0..9", "compression of gzip, TIFF and HDF5 (default: 1)", [&level](const Argument& argument) {
        level = int(parse_whole(argument, {0, 9}));
    })->group(help_group::output);
}

void add_zarr_form(CLI::App& app, io::ZarrForm& form) {
    using Ngff = io::ZarrForm::Ngff;
    using Pyramid = io::ZarrForm::Pyramid;
    add_choice<Ngff>(app, "--ngff", "version of OME-Zarr outputs: auto, 0.4, 0.5 or none (default: auto)",
                     {{"auto", Ngff::automatic}, {"0.4", Ngff::v0_4}, {"0.5", Ngff::v0_5}, {"none", Ngff::none}},
                     [&form](Ngff ngff) { form.ngff = ngff; })
        ->option_text("VERSION")
        ->group(help_group::output);
    add_choice<Pyramid>(app, "--pyramid", "levels of OME-Zarr: auto, mode, nearest or none (default: auto)",
                        {{"auto", Pyramid::automatic}, {"mode", Pyramid::mode}, {"nearest", Pyramid::nearest}, {"none", Pyramid::none}},
                        [&form](Pyramid pyramid) { form.pyramid = pyramid; })
        ->option_text("METHOD")
        ->group(help_group::output);
}

void check_zarr_form(const io::ZarrForm& form, const std::string& output) {
    if (form != io::ZarrForm{} && !io::is_zarr_output(output))
        throw ProgramError(ErrorKind::invalid_argument, "--ngff, --pyramid", "are for Zarr outputs", "name one, as in -o labels.zarr");
}

void add_force(CLI::App& app, LabelOptions::Existing& existing) {
    add_switch(app, "-f,--force", "overwrite existing outputs; inputs are never overwritten", [&existing] {
        existing = LabelOptions::Existing::overwrite;
    })->group(help_group::output);
}

void add_isa(CLI::App& app, std::optional<Isa>& isa) {
    std::vector<Choice<std::optional<Isa>>> choices{{"auto", std::nullopt}};
    for (const Isa one : all_isas) choices.push_back({name_of(one), one});
    add_choice<std::optional<Isa>>(app, "--isa", "instructions: auto (widest), portable, avx2, avx512 (default: auto)", choices,
                                   [&isa](const std::optional<Isa>& choice) { isa = choice; })
        ->option_text("ISA")
        ->group(help_group::resources);
}

void add_json(CLI::App& app, TextFormat& format) {
    add_switch(app, "--json", "print the result as JSON", [&format] { format = TextFormat::json; })->group(help_group::output);
}

void refuse_all_volumes(const InputOptions& input) {
    if (input.volume == "all")
        throw ProgramError(ErrorKind::invalid_argument, "--volume", "'all' is for label, stats, map, verify, and match with one file",
                           "give one number, counted from 0");
}

}  // namespace voxcc::cli
