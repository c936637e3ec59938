// `voxcc split`, `label --plan`, `merge` and `relabel`: one volume in parts.
#include <voxcc/threads.h>
#include "io/table.h"
#include "src/commands/overwrite.h"
#include "src/commands/side_table_writers.h"
#include "src/errors/exit_codes.h"
#include "src/errors/program_error.h"
#include "src/messages/progress.h"
#include "src/messages/summary_file.h"
#include "src/messages/text_file.h"
#include "src/parts/measured_rows.h"
#include "src/parts/painted_parts.h"
#include "src/parts/steps.h"
#include "src/parts/table_rows.h"
#include "src/pipeline/channel_images.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/input.h"
#include "src/pipeline/label_table.h"
#include "src/pipeline/request.h"
#include "src/pipeline/volume_writing.h"

namespace voxcc {
namespace {

using parts::Plan;

int threads_of(const PartOptions& options) { return options.threads ? options.threads : available_threads(); }

void use_isa(const PartOptions& options) { set_default_isa(options.isa.value_or(best_isa())); }

std::shared_ptr<const io::FileSet> files_of(const Plan& plan, std::vector<std::string> others) {
    std::vector<std::string> inputs{plan.image.path};
    if (plan.mask) inputs.push_back(plan.mask->path);
    for (const parts::PlannedFile& image : plan.intensities) inputs.push_back(image.path);
    return files_read(inputs, others, plan.options.input);
}

/// The parts of the options. @throw ProgramError invalid_argument if the plan does not have one of them
PartRange chosen_parts(const Plan& plan, const PartOptions& options) {
    const std::int64_t parts = plan.rules.grid.parts();
    const PartRange range = options.parts.value_or(PartRange{0, parts - 1});
    if (range.first >= parts || range.last < range.first)
        throw ProgramError(ErrorKind::invalid_argument, "--part", "the plan has the parts 0.." + std::to_string(parts - 1),
                           "choose some of them");
    return {range.first, std::min(range.last, parts - 1)};
}

/// Makes the folder of a step if it does not exist.
void make_folder(const std::string& folder, io::NewFolders& made) {
    made.make(folder);
    io::check_folder(folder);
}

nlohmann::ordered_json summary_of(const Plan& plan) {
    const parts::Grid& grid = plan.rules.grid;
    const Extent box = grid.box(0).extent();
    const bool has_values = plan.rules.rule == Rule::equal_values;
    const std::int64_t voxels = box.voxels(), bits = voxels / 8, values = has_values ? voxels * size_of(plan.image.type) : 0;
    const std::int64_t faces = 2 * 4 * (box.nx * box.ny + box.nx * box.nz + box.ny * box.nz);
    return {{"parts", grid.parts()},
            {"part_size", grid.part_size()},
            {"parts_along_axes", grid.counts()},
            {"voxels_per_part", voxels},
            {"rounds", plan.max_hole ? 2 : 1},
            {"memory_bytes_per_part", 6 * bits + 2 * (values + faces)},
            {"state_bytes_per_part", (plan.max_hole ? 2 : 1) * (bits + faces + 4 * box.rows()) + values}};
}

/// Reads the plan of a step that labels or merges one round. For the background, returns the plan of the background.
/// @throw ProgramError invalid_argument if the options do not fit the plan; the exceptions of parts::read_plan()
Plan plan_of_round(const PartOptions& options) {
    const Plan plan = parts::read_plan(options.plan);
    const bool is_background = options.round == PartRound::background;
    if (!plan.max_hole && (is_background || !options.holes.empty()))
        throw ProgramError(ErrorKind::invalid_argument, is_background ? "--background" : "--holes", "the plan does not fill holes",
                           "leave the option out, or make a plan with 'voxcc split --fill-holes'");
    return is_background ? parts::background_plan(plan) : plan;
}

/// Writes the label volume and the table of the painted parts, and publishes them.
class Finish {
public:
    Finish(const PartOptions& options, const Plan& plan, const parts::MergedFile& merged)
        : options_(options),
          plan_(plan),
          merged_(merged),
          inputs_(parts::open_inputs(plan)),
          pool_(threads_of(options)),
          files_(std::make_shared<parts::PaintedFiles>(plan, options.merged, merged)),
          labels_(files_, pool_.size()),
          outputs_(overwrite_of(options.existing), files_of(plan, {options.plan})),
          reporter_(options.messages),
          progress_(options.messages) {
        of_label_ = plan.options;
        of_label_.output = options.output;
        of_label_.stats = options.stats;
        of_label_.contacts = options.contacts;
        of_label_.compress = options.compress;
        of_label_.dtype = options.dtype;
        of_label_.zarr = options.zarr;
        of_label_.messages = options.messages;
        volume_.job.input = plan.image.path;
        DescribedVolume& described = volume_.described;
        described.info = inputs_.image->info();
        described.units = units_for(of_label_.units, described.info);
        described.connectivity = connectivity_for(of_label_, described.info);
        described.faces = plan.rules.border;
        described.period = period_of(of_label_, described.info.extent);
        volume_.selection.count = merged.components;
    }

    void run() {
        if (!options_.output.empty()) io::check_label_output(options_.output, options_.compress, outputs_);
        for (const std::string& table : {options_.stats, options_.contacts})
            if (!table.empty() && table != "-") outputs_.check(table);
        report_lengths();
        if (!options_.output.empty()) write_labels();
        if (!options_.stats.empty()) write_table();
        if (!options_.contacts.empty()) write_contacts();
        reporter_.warnings(outputs_.publish());
    }

private:
    void report_lengths() const {
        const io::VolumeInfo& info = volume_.described.info;
        if (!world_of(info, volume_.described.units))
            reporter_.warning(plan_.image.path + ": " + no_world_warning(info, volume_.described.units));
        const bool has_table = !options_.stats.empty() || !options_.contacts.empty();
        if (const std::string note = note_on_lengths(of_label_.units, info); has_table && !note.empty())
            reporter_.note(plan_.image.path + ": " + note);
    }

    void write_labels() {
        LargestNumbers largest;
        largest.label = volume_.selection.count;
        const io::VolumeInfo& info = volume_.described.info;
        io::check_label_files(options_.output, info.extent, outputs_);
        std::vector<VolumeToWrite> volumes;
        volumes.push_back(
            {description_of(io::Content::labels, options_.output, info, largest, of_label_), nullptr, nullptr, labels_.stored_chunks()});
        const std::vector<std::uint64_t> final_already;
        const Painter painter(labels_, info.extent, Axis::z, volumes.front().file.type, final_already, pool_);
        write_volumes(volumes, {&painter, info.extent.rows()}, {pool_, outputs_, progress_});
    }

    void write_table() {
        std::vector<LinearScale> scales;
        for (const auto& image : inputs_.intensities) scales.push_back({image->info().scaling.slope, image->info().scaling.intercept});
        std::vector<std::uint64_t> nan_voxels(scales.size());
        const parts::TableRows rows(files_);
        volume_.labelled.sums = rows.sums();
        if (plan_.rules.rule == Rule::equal_values) volume_.labelled.source_value = [&](std::size_t row) { return rows.at(row).value; };
        if (!scales.empty())
            volume_.measured.image_values = [&](std::uint64_t label, const std::optional<World>& world, const Wrapping& wrapping) {
                const std::vector<std::uint64_t> nan = rows.nan_voxels(label - 1);
                for (std::size_t i = 0; i < nan.size(); ++i) nan_voxels[i] += nan[i];
                return rows.image_values(label - 1, scales, world, wrapping);
            };
        std::optional<parts::ShapeRows> shapes;
        if (plan_.options.shape == Shape::measure) {
            shapes.emplace(plan_, options_.merged, merged_, pool_);
            volume_.labelled.shape_of = [&](std::uint64_t label) {
                const parts::CompleteShape shape = shapes->at(label);
                return CountedShape{shape.counts, plan_.world ? std::optional(shape.feret_mm) : std::nullopt};
            };
        }
        const TableForm form = form_of(of_label_, std::span(&volume_, 1));
        const std::vector<TableColumn> columns = label_columns(of_label_, Merged::no, form);
        ComponentOutput table(options_.stats, outputs_, columns, label_extras(of_label_, Merged::no, form));
        add_rows(volume_, of_label_, columns, table);
        table.finish();
        for (std::size_t i = 0; i < scales.size(); ++i)
            if (nan_voxels[i] > 0) reporter_.warning(plan_.intensities[i].path + ": " + left_out(nan_voxels[i], "components"));
    }

    void write_contacts() {
        constexpr std::size_t at_once = 4096;
        SideTableWriters table({{SideTable::contacts, options_.contacts}}, of_label_,
                               {Merged::no, form_of(of_label_, std::span(&volume_, 1))}, outputs_);
        parts::ContactRows rows(plan_, options_.merged, merged_);
        std::vector<LabelContact>& contacts = volume_.measured.contacts;
        for (contacts = rows.next(at_once); !contacts.empty(); contacts = rows.next(at_once)) table.add(volume_);
        table.finish();
    }

    const PartOptions& options_;
    const Plan& plan_;
    const parts::MergedFile& merged_;
    parts::PlannedInputs inputs_;
    ThreadPool pool_;
    std::shared_ptr<const parts::PaintedFiles> files_;
    parts::PaintedParts labels_;
    io::OutputFiles outputs_;
    Reporter reporter_;
    ProgressBar progress_;
    LabelOptions of_label_;
    LabelledVolume volume_;
};

}  // namespace

int run_split(const SplitOptions& typed) {
    set_default_isa(best_isa());
    SplitOptions options = typed;
    options.label = with_channel_images(std::move(options.label));
    const Plan plan = parts::make_plan(options, Reporter(options.label.messages));
    const std::string summary = summary_of(plan).dump() + "\n";
    if (options.label.run == LabelOptions::Run::dry_run) {
        print_result(summary);
        return int(ExitCode::ok);
    }
    io::OutputFiles outputs(overwrite_of(options.label.existing), files_of(plan, {}));
    write_text(options.plan, parts::text_of(plan), outputs);
    outputs.publish();
    print_result(summary);
    return int(ExitCode::ok);
}

int run_label_parts(const PartOptions& options) {
    use_isa(options);
    const Plan plan = plan_of_round(options);
    if (plan.max_hole && plan.round == PartRound::foreground && options.holes.empty())
        throw ProgramError(ErrorKind::invalid_argument, "label", "the plan fills holes, which must be found first",
                           "run 'voxcc label --background' for all parts, then 'voxcc merge --background', then 'voxcc label --holes'");
    const PartRange range = chosen_parts(plan, options);
    io::NewFolders folders;
    make_folder(options.state, folders);
    ThreadPool pool(threads_of(options));
    const Reporter reporter(options.messages);
    ProgressBar progress(options.messages);
    parts::PlannedInputs inputs;
    if (options.holes.empty() || parts::filling_reads_inputs(plan)) {
        inputs = parts::open_inputs(plan);
        inputs.use_threads(pool.size());
    }
    for (std::int64_t part = range.first; part <= range.last; ++part) {
        if (options.holes.empty()) parts::label_part(plan, options.state, part, inputs, pool, reporter);
        else parts::fill_part(plan, {options.state, options.holes}, part, inputs, pool, reporter);
        progress.update("label", part - range.first + 1, range.last - range.first + 1);
    }
    return int(ExitCode::ok);
}

int run_merge(const PartOptions& options) {
    const Plan plan = plan_of_round(options);
    io::NewFolders folders;
    make_folder(options.merged, folders);
    const std::uint64_t components = parts::merge_states(plan, {options.state, options.merged}, Reporter(options.messages));
    const char* const name = plan.round == PartRound::background ? "holes" : "components";
    print_result(nlohmann::ordered_json{{name, components}}.dump() + "\n");
    return int(ExitCode::ok);
}

int run_relabel_parts(const PartOptions& options) {
    use_isa(options);
    const Plan plan = parts::read_plan(options.plan);
    const PartRange range = chosen_parts(plan, options);
    ThreadPool pool(threads_of(options));
    const Reporter reporter(options.messages);
    ProgressBar progress(options.messages);
    for (std::int64_t part = range.first; part <= range.last; ++part) {
        parts::relabel_part(plan, {options.state, options.merged}, part, pool, reporter);
        progress.update("relabel", part - range.first + 1, range.last - range.first + 1);
    }
    return int(ExitCode::ok);
}

int run_finish_parts(const PartOptions& options) {
    use_isa(options);
    const Plan plan = parts::read_plan(options.plan);
    if (!options.contacts.empty() && plan.options.contacts.empty())
        throw ProgramError(ErrorKind::invalid_argument, "--contacts", "the plan has no contacts",
                           "make a plan with 'voxcc split --contacts'");
    const parts::MergedFile merged = parts::read_merged(plan, options.merged);
    Finish(options, plan, merged).run();
    return int(ExitCode::ok);
}

}  // namespace voxcc
