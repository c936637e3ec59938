#include "src/cli/label_checks.h"

#include <voxcc/device.h>
#include "io/files/checked_file.h"
#include "io/format_names.h"
#include "src/errors/program_error.h"
#include "src/laboratory/laboratory.h"
#include "src/options/nearest.h"
#include "src/options/threshold.h"
#include "src/pipeline/bids.h"
#include "src/pipeline/channel_images.h"
#include "src/pipeline/component_table.h"
#include "src/pipeline/device.h"
#include "src/pipeline/input_list.h"
#include "src/pipeline/label_colours.h"
#include "src/pipeline/label_side_tables.h"
#include "src/pipeline/label_table.h"
#include "src/pipeline/naming.h"
#include "src/pipeline/sidecar.h"
#include "src/pipeline/volume_outputs.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace voxcc {
namespace {

[[noreturn]] void refuse(const std::string& option, const std::string& cause, const std::string& remedy = {}) {
    throw ProgramError(ErrorKind::invalid_argument, option, cause, remedy);
}

void check_inputs(const LabelOptions& o) {
    if (o.inputs.empty() && o.list.empty()) refuse("label", "needs an input", "write 'voxcc label IN -o OUT'");
    if (!has_several_inputs(o)) return;
    for (const auto& [option, path] : outputs_per_volume(o)) {
        const bool is_sheet = option == "--preview" && !has_words(path);  // one picture of all inputs
        if (!is_sheet && !names_each_input(path))
            refuse(option, "'" + path + "' is a single file, but there are several inputs",
                   "use {stem}, as in out/{stem}" + std::string(option == "--preview" ? ".png" : ".nii.gz"));
    }
}

void check_colour_table(const LabelOptions& o) {
    if (o.colour_table == LabelOptions::ColourTable::none) return;
    if (o.output.empty() || !io::stores_colours(o.output))
        refuse("--colour-table", "is a part of a label volume in a .tif, but no such volume is written", "name one, as in -o labels.tif");
}

void check_zarr_form(const LabelOptions& o) {
    const auto outputs = volume_paths(o);
    if (o.zarr == io::ZarrForm{} || std::ranges::any_of(outputs, [](const auto& output) { return io::is_zarr_output(output.second); }))
        return;
    refuse("--ngff, --pyramid", "are for Zarr outputs, but no output is a Zarr folder", "name one, as in -o labels.ome.zarr");
}

void check_preview(const std::string& path) {
    if (path.empty()) return;
    if (io::is_stdout(path)) refuse("--preview", "cannot be written to stdout", "name a file");
    std::string extension = std::filesystem::path(path).extension().string();
    std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return std::tolower(c); });
    if (extension != ".png") refuse("--preview", "'" + path + "' does not end in .png", "use a name such as preview.png");
}

NamedPaths side_tables_of(const LabelOptions& o) { return {{"--contacts", o.contacts}, {"--local-maxima", o.intensity.local_maxima}}; }

/// The outputs that may be written to stdout.
NamedPaths texts_of(const LabelOptions& o) {
    NamedPaths texts = side_tables_of(o);
    texts.insert(texts.begin(), {{"--stats", o.stats}, {"--summary", o.summary}, {"--json", o.json}});
    return texts;
}

/// Checks the formats of the outputs of one input, and that they are different files.
void check_files(const LabelOptions& o) {
    check_preview(o.preview);
    if (!o.lut.empty()) colour_list(o.lut);
    check_colour_table(o);
    check_zarr_form(o);
    check_sidecar(o.sidecar, o.stats, "--stats");
    const std::string sidecar = o.sidecar == Sidecar::write ? sidecar_path(o.stats) : "";
    NamedPaths all = outputs_per_volume(o);
    for (const auto& text : texts_of(o)) all.push_back(text);
    all.emplace_back("--sidecar", sidecar);
    all.emplace_back("--lut", o.lut);
    all.emplace_back("--failed", o.failed);
    check_different(all);
    check_tables(side_tables_of(o));
    check_tables({{"--summary", o.summary}});
}

/// Checks the outputs. If columns of the list name outputs, checks the outputs of each row.
void check_outputs(const LabelOptions& o) {
    LabelOptions one = o;
    one.inputs.clear();
    if (o.list_columns.empty()) check_files(one);
    else
        for (const BatchInput& input : o.inputs) check_files(options_for(one, input));
    if (!o.lut.empty() && is_common_output(o.lut, o))
        refuse("--lut", "'" + o.lut + "' is a single file, but there are several inputs",
               "use {stem}, as in out/{stem}" + std::filesystem::path(o.lut).extension().string());
    for (const auto& [option, path] : {std::pair("--summary", o.summary), std::pair("--failed", o.failed)})
        if (names_each_input(path)) refuse(option, "'" + path + "' is one file for all inputs", "leave out the words in braces");
    if (o.run != LabelOptions::Run::dry_run) return;
    for (const auto& [option, path] : texts_of(o))
        if (path == "-")
            refuse("--dry-run", "prints the plan to stdout, so the tables and the summary cannot be written there",
                   "name a file for " + option);
}

void check_shape(const LabelOptions& o) {
    if (o.shape == Shape::measure && o.stats.empty() && o.keep.empty())
        refuse("--shape", "adds columns to the table, but no table is written", "add --stats, as in --stats table.csv");
    if (o.inside == Inside::find && o.stats.empty() && o.keep.empty())
        refuse("--inside", "adds columns to the table, but no table is written", "add --stats, as in --stats table.csv");
}

/// Refuses options that would have no effect without a table or a second volume.
void check_effects(const LabelOptions& o) {
    const bool has_companions = !o.mask.empty() || !o.intensity.images.empty() || !o.preview_image.empty();
    if (o.companions == LabelOptions::Companions::shared && !has_companions)
        refuse("--shared", "is for a mask or an image of several inputs, but no such file is given", "add --mask or --intensity");
    if (!o.intensity.images.empty() && o.stats.empty() && o.keep.empty() && o.intensity.local_maxima.empty())
        refuse("--intensity", "is measured for a table, but no table is written",
               "add --stats, as in --stats table.csv" + std::string(o.preview.empty() ? "" : ", or use --preview-image"));
    if (!o.preview_image.empty() && o.preview.empty())
        refuse("--preview-image", "is drawn in a picture, but no picture is written", "add --preview, as in --preview picture.png");
    if (!o.failed.empty() && !has_several_inputs(o))
        refuse("--failed", "lists the inputs of a batch that failed, but there is one input", "leave it out, or give several inputs");
    if (o.stats.empty() && (!o.table.columns.empty() || o.table.digits > 0))
        refuse(o.table.columns.empty() ? "--digits" : "--columns", "is for a table, but no table is written",
               "add --stats, as in --stats table.csv");
    if (!has_all_channels(o.intensity)) check_table_options(o);
    if (o.units && !has_table(o))
        refuse("--units", "is the unit of tables, but no table is written", "add --stats, as in --stats table.csv");
    if (o.input.tolerance != GridTolerance{} && !has_companions)
        refuse("--geometry-tolerance", "compares the grids of two volumes, but there is only one", "add --mask or --intensity");
    if (o.dtype && o.output.empty())
        refuse("--dtype", "is the type of a label volume, but no such volume is written", "name one with -o, as in -o labels.nii.gz");
}

/// The columns of all tables, without the further columns of the list. Tables can have any of the units.
std::set<std::string> columns_of_tables(const LabelOptions& o) {
    TableForm form{.spaces = {.planes = true, .volumes = true}, .volume = VolumeColumn::add};
    form.entities = subject_entities(input_names(o.inputs));
    std::set<std::string> columns;
    const auto add = [&](const std::vector<std::string>& names) { columns.insert(names.begin(), names.end()); };
    for (const Units units : all_units) {
        form.units = units;
        if (!o.stats.empty()) add(names_of(table_columns(label_extras(o, Merged::yes, form))));
        if (!o.summary.empty()) add(summary_columns(form));
        for (const SideTable side : side_tables)
            if (!path_of(side, o).empty()) add(columns_of(side, o, {Merged::yes, form}));
    }
    return columns;
}

void check_further_columns(const LabelOptions& o) {
    const std::vector<std::string> further = further_columns(o);
    if (further.empty()) return;
    const std::set<std::string> columns = columns_of_tables(o);
    for (const std::string& name : further)
        if (columns.contains(name))
            refuse(o.list, "has the column '" + name + "', which is also a column of a table", "give the column of the list another name");
}

void check_skipping(const LabelOptions& o) {
    if (o.completed != LabelOptions::Completed::skip) return;
    if (o.json.empty() || o.json == "-")
        refuse("--skip-existing", "needs a summary in a file, which states what an earlier run has read and written",
               "add --json, as in --json 'out/{stem}.json'");
    if (is_common_output(o.json, o))
        refuse("--json", "'" + o.json + "' is one summary of all inputs, but --skip-existing needs one summary per input",
               "use {stem}, as in out/{stem}.json");
    if (!o.preview.empty() && is_common_output(o.preview, o))
        refuse("--preview", "'" + o.preview + "' is one picture of all inputs, but --skip-existing needs one picture per input",
               "use {stem}, as in out/{stem}.png");
    for (const auto& [option, path] : texts_of(o)) {
        if (path == "-") refuse(option, "is written to stdout, so --skip-existing cannot keep it", "name a file");
        if (!path.empty() && is_common_output(path, o))
            refuse(option, "'" + path + "' is one table of all inputs, but --skip-existing needs one table per input",
                   "use {stem}, as in out/{stem}.csv");
    }
}

void check_signs(const LabelOptions& o) {
    const auto contradiction = [&](const char* option, const char* why) {
        refuse("--split-signs", std::string("cannot be combined with ") + option + ": " + why, "use one of them");
    };
    if (o.mode == LabelOptions::Mode::multilabel) contradiction("--multilabel", "equal values have the same sign");
    if (o.gradient) contradiction("--delta", "only one rule can join neighbours");
    if (o.colour) contradiction("--colour", "a colour has no sign");
    if (o.holes == LabelOptions::Holes::fill) contradiction("--fill-holes", "the voxels of a hole have no sign");
}

void check_foreground(const LabelOptions& o) {
    if (o.mode == LabelOptions::Mode::multilabel && o.polarity == Polarity::background)
        refuse("--invert", "contradicts --multilabel: the background has one value", "use one of them");
    if (!o.seed_threshold.empty() && o.polarity == Polarity::background)
        refuse("--seed-threshold", "contradicts --invert: the rule is for values of the foreground", "use one of them");
    if (!o.seed_threshold.empty() && o.colour)
        refuse("--seed-threshold", "contradicts --colour: a colour is not a number", "use one of them");
    if (o.largest == LabelOptions::Largest::of_each_value) {
        if (o.mode != LabelOptions::Mode::multilabel)
            refuse("--per-value", "needs --multilabel, because other components have several values", "add --multilabel");
        if (!o.keep_largest) refuse("--per-value", "needs --keep-largest", "add --keep-largest K");
    }
    if (o.gradient && o.mode == LabelOptions::Mode::multilabel)
        refuse("--delta", "contradicts --multilabel: equal values differ by 0", "use one of them; --delta 0 connects equal values");
    if (o.colour && (o.mode == LabelOptions::Mode::multilabel || o.gradient))
        refuse("--colour", "contradicts " + std::string(o.gradient ? "--delta" : "--multilabel") + ": these compare one value per voxel",
               "use one of them; --colour 0 connects equal colours");
    if (!o.threshold_from.empty() && !threshold_of(o).level)
        refuse("--threshold-from", "computes a level, but the threshold '" + o.threshold + "' has numbers",
               "write --threshold otsu, li, triangle, yen, p99 or 40%");
    const std::string threshold_option = o.threshold.empty() ? "--threshold-from" : "--threshold";
    if (o.colour && threshold_of(o) != ThresholdRule{})
        refuse(threshold_option, "contradicts --colour: a colour is not a number",
               "leave out " + threshold_option + "; colours whose channels are all 0 are background");
    if (o.colour && !o.masked_output.empty())
        refuse("--masked-output", "cannot be combined with --colour: a colour is not one value per voxel", "use --mask-output");
    if (o.signs == LabelOptions::Signs::split) check_signs(o);
    if (!o.periodic.empty() && o.colour)  // only block-runs supports periodic axes, and block-runs does not compare colours
        refuse("--periodic", "cannot be combined with --colour", "use one of them");
    if (o.gradient && o.holes == LabelOptions::Holes::fill && !o.periodic.empty())
        refuse("--fill-holes",
               "cannot be combined with both --delta and --periodic: a component with filled holes is not known to cross an end",
               "leave one of them out");
    const bool volume_connectivity = o.connectivity == 6 || o.connectivity == 18 || o.connectivity == 26;
    if (o.per_slice && volume_connectivity)
        refuse("--connectivity", "slices have no " + std::to_string(o.connectivity) + "-connectivity", "use 4 or 8 with --per-slice");
    if (o.per_slice && o.periodic.find("xyz"[std::size_t(*o.per_slice)]) != std::string::npos)
        refuse("--periodic", "joins the slices that --per-slice keeps apart", "leave the axis of --per-slice out");
}

/// Components of Rule::foreground touch only where the connectivity does not reach.
void check_contacts(const LabelOptions& o) {
    if (o.contacts.empty()) return;
    if (!o.periodic.empty()) refuse("--contacts", "cannot be combined with --periodic", "use one of them");
    if (rule_of(o) == Rule::foreground && (o.connectivity == 0 || o.connectivity == 8 || o.connectivity == 26))
        refuse("--contacts", "finds nothing here: binary components that touch are one component",
               "add --multilabel, or a connectivity that leaves out edges or corners, as in -c 6");
}

void check_selection(const LabelOptions& o) {
    if (o.mask_border == LabelOptions::Border::clear && o.mask.empty())
        refuse("--clear-mask-border", "needs a mask", "add --mask, or use --clear-border for the border of the volume");
    if (o.max_hole && o.holes == LabelOptions::Holes::keep) refuse("--max-hole", "needs --fill-holes", "add --fill-holes");
    for (const auto& [option, limit] : {std::pair("--min-size", &o.min_size), {"--max-size", &o.max_size}, {"--max-hole", &o.max_hole}})
        if (o.per_slice && *limit && (*limit)->unit && (*limit)->space == Space::volume)
            refuse(option, text_of(**limit) + " is a volume, but --per-slice labels slices",
                   "give an area, as in 5" + std::string(io::name_of(*(*limit)->unit)) + "2");
    if (o.min_size && o.max_size && is_above(*o.min_size, *o.max_size))
        refuse("--min-size", "is above --max-size, so no component would be kept", "use a smaller size");
}

void check_algorithm(const LabelOptions& o) {
    const Algorithm* algorithm = find_algorithm(o.algorithm);
    const auto connectivity = connectivity_of(o.connectivity);
    // In a volume of one slice, 6 becomes 4, and 18 and 26 become 8. The number of slices is not known yet.
    if (algorithm && connectivity && !supports(*algorithm, *connectivity) && !supports(*algorithm, reduced(*connectivity, {1, 1, 1})))
        refuse("--algorithm", "'" + o.algorithm + "' does not support connectivity " + std::to_string(o.connectivity),
               "see 'voxcc algorithms'");
}

}  // namespace

std::string parse_algorithm(const Argument& argument) {
    if (argument.text == "auto" || find_or_load_algorithm(argument.text, argument.option)) return argument.text;
    std::vector<std::string> names{"auto"};
    for (const Algorithm& algorithm : all_algorithms()) names.emplace_back(algorithm.name);
    refuse(argument.option, "'" + argument.text + "' is not an algorithm" + nearest_hint(argument.text, names),
           "list them with 'voxcc algorithms'");
}

void check_sidecar(Sidecar sidecar, const std::string& table, const std::string& option) {
    if (sidecar == Sidecar::none) return;
    if (table.empty())
        refuse("--sidecar", "describes the columns of a table, but no table is written",
               "add " + option + ", as in " + option + " table.csv");
    if (table == "-") refuse("--sidecar", "is a file beside the table, but the table is written to stdout", "name a file for " + option);
}

void check_different(const NamedPaths& outputs) {
    const auto place_of = [](const std::string& path) {
        return io::is_stdout(path) ? std::filesystem::path("-") : std::filesystem::path(path).lexically_normal();
    };
    for (auto at = outputs.begin(); at != outputs.end(); ++at) {
        const auto& [option, path] = *at;
        for (auto other = outputs.begin(); other != at; ++other) {
            if (path.empty() || other->second.empty() || place_of(path) != place_of(other->second)) continue;
            refuse(option,
                   io::is_stdout(path) ? "cannot share stdout with " + other->first : "'" + path + "' is also the file of " + other->first,
                   option == "--sidecar" ? "name another file for " + other->first : "name another file");
        }
    }
}

void check_tables(const NamedPaths& tables) {
    for (const auto& [option, path] : tables)
        if (!path.empty()) io::table_format(path);
    check_different(tables);
}

void check_intensity(const IntensityOptions& o) {
    if (o.images.empty() && !o.percentiles.empty()) refuse("--percentiles", "needs an image", "add --intensity IMAGE");
    if (o.images.empty() && !o.local_maxima.empty()) refuse("--local-maxima", "needs an image", "add --intensity IMAGE");
    if (o.local_maxima.empty() && o.peak_distance.amount > 0)
        refuse("--peak-distance", "needs a table of peaks", "add --local-maxima TABLE");
    if (!has_all_channels(o)) check_image_columns(o);
}

void name_bids_outputs(LabelOptions& o) {
    if (o.bids == LabelOptions::Bids::none) return;
    if (o.output.empty()) refuse("--bids", "needs the folder of the dataset", "add -o FOLDER, as in -o derivatives/voxcc");
    if (io::is_stdout(o.output) || io::has_volume_extension(o.output) || o.output.find_first_of("{}") != std::string::npos)
        refuse("--output", "'" + o.output + "' is not a folder, which --bids needs",
               "name one folder for all inputs, as in -o derivatives/voxcc");
    if (!o.stats.empty()) refuse("--stats", "contradicts --bids, which writes one table per input", "leave out --stats");
    o.bids_folder = o.output;
    const std::string files = (std::filesystem::path(o.output) / "{bids}_dseg").string();
    o.output = files + ".nii.gz";
    o.stats = files + ".tsv";
    o.sidecar = Sidecar::write;
}

void check_label_options(const LabelOptions& options) {
    check_words(options);
    check_inputs(options);
    check_outputs(options);
    check_shape(options);
    check_skipping(options);
    check_foreground(options);
    check_selection(options);
    check_intensity(options.intensity);
    check_contacts(options);
    check_effects(options);
    check_further_columns(options);
    if (!options.intensity.local_maxima.empty() && !options.periodic.empty())
        refuse("--local-maxima", "cannot be combined with --periodic", "use one of them");
    check_algorithm(options);
}

}  // namespace voxcc
