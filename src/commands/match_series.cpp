// `voxcc match` for a series: follows the objects from frame to frame.
#include <voxcc/threads.h>
#include "io/kept_files.h"
#include "src/commands/overwrite.h"
#include "src/errors/exit_codes.h"
#include "src/errors/program_error.h"
#include "src/messages/progress.h"
#include "src/messages/report.h"
#include "src/messages/text_file.h"
#include "src/pipeline/axis_positions.h"
#include "src/pipeline/file_warnings.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/input.h"
#include "src/pipeline/kept_labels.h"
#include "src/pipeline/same_grid.h"
#include "src/pipeline/track_tables.h"
#include "src/pipeline/tracked_output.h"
#include "src/pipeline/volume_inputs.h"
#include "src/pipeline/volume_objects.h"
#include "src/provenance/version.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace voxcc {
namespace {

using SummaryJson = nlohmann::ordered_json;

bool is_graph(const std::string& path) { return track_form(path) == TrackForm::geff; }

/// The objects of one frame in memory.
class Frame {
public:
    Frame(io::VolumeReader& reader, const MatchOptions& options, ThreadPool& pool, const std::function<void(std::int64_t)>& on_rows) {
        if (options.objects == MatchOptions::Objects::components) {
            components_.emplace(reader, options, pool, on_rows);
        } else {
            FileLabels labels(reader, on_rows);
            labels_.emplace(labels, reader.info().extent);
        }
    }
    LabelSource& source() { return labels_ ? *labels_ : components_->source(); }
    std::int64_t nan_voxels() const { return components_ ? components_->nan_voxels() : 0; }

private:
    std::optional<KeptLabels> labels_;
    std::optional<VolumeObjects> components_;
};

/// Describes each frame of a series. @throw ProgramError invalid_argument if the volumes differ along several axes, such as channels and
/// time
io::VolumeInfo describe_frames(const ChosenVolumes& chosen, const std::string& input) {
    io::VolumeInfo info = open(chosen.volumes.front())->info();
    const std::vector<io::VolumeAxis> axes = axes_along(chosen.numbers(), info.volume_axes);
    if (axes.size() > 1 || (!axes.empty() && axes.front().name.empty())) {
        std::string names;
        for (const io::VolumeAxis& axis : info.volume_axes) names += (names.empty() ? "" : ", ") + axis.name;
        throw ProgramError(ErrorKind::invalid_argument, input, "has frames along several of the axes " + names,
                           "choose frames along one axis, as in '[c=0,t=0..4]'");
    }
    info.volume_axes = axes;
    return info;
}

/// One run of the command.
class SeriesRun {
public:
    explicit SeriesRun(const MatchOptions& options)
        : options_(options),
          reporter_(options.messages),
          progress_(options.messages),
          pool_(options.threads ? options.threads : available_threads()),
          outputs_(overwrite_of(options.existing), files_read({options.a}, {}, options.input)),
          chosen_(choose_volumes(options.a, options.input)) {
        if (chosen_.volumes.size() < 2)
            throw ProgramError(ErrorKind::invalid_file, options.a, "has one frame, and a series has at least two",
                               "choose a file with several volumes");
        info_ = describe_frames(chosen_, options.a);
        check_outputs();
        form_.space = info_.extent.nz == 1 ? Space::plane : Space::volume;
        form_.units = units_for(options.units, info_);
        form_.world = world_of(info_, form_.units);
        if (const std::string note = note_on_lengths(options.units, info_); !note.empty()) reporter_.note(options.a + ": " + note);
        if (!form_.world) reporter_.warning(options.a + ": " + no_world_warning(info_, form_.units));
        set_rule();
    }

    void run() {
        std::optional<TrackGraph> graph;
        const std::vector<Track> tracks = follow(graph);
        for (const std::string& path : options_.series.tracks) write_tracks(path, tracks, graph);
        if (!options_.output.empty()) write_output(tracks.size());
        const SummaryJson json = summary(tracks);
        const std::string text = json.dump(2, ' ', false, SummaryJson::error_handler_t::replace) + "\n";
        if (!options_.json.empty() && options_.json != "-") write_text(options_.json, text, outputs_);
        reporter_.warnings(outputs_.publish());
        if (options_.json == "-") print_result(text);
        else if (!is_stdout_taken()) print_result(counts_in(json));
    }

private:
    void check_outputs() const {
        const auto check = [&](const std::string& path) {
            if (is_graph(path)) io::check_geff(path, outputs_);
            else if (!path.empty() && path != "-") outputs_.check(path);
        };
        for (const std::string& path : {options_.series.links, options_.json}) check(path);
        for (const std::string& path : options_.series.tracks) check(path);
        if (options_.output.empty()) return;
        io::check_label_output(options_.output, options_.compress, outputs_);
        if (!io::holds_several_volumes(options_.output))
            throw ProgramError(
                ErrorKind::invalid_argument, "--output",
                "'" + options_.output + "' holds one volume, but there are " + std::to_string(chosen_.volumes.size()) + " frames",
                "use a file such as tracks.nii.gz or tracks.tif");
        io::check_label_files(options_.output, info_.extent, outputs_);
    }

    void set_rule() {
        rule_ = {options_.rule, options_.assignment, options_.series.inside, 0};
        const bool by_distance = options_.rule.by == MatchRule::By::distance;
        if (options_.series.reach) rule_.reach = options_.series.reach->amount;
        if (!by_distance && rule_.reach == 0) return;
        world_of_rule_ = world_in(info_, by_distance ? options_.unit : options_.series.reach->unit);
        if (!world_of_rule_)
            throw ProgramError(ErrorKind::invalid_argument, by_distance ? "--by distance" : "--reach",
                               "needs distances, and the affine is not usable", "link by overlap only, or give --spacing");
    }

    /// Calls f(number, reader) for all frames in order.
    template <class F>
    void for_each_frame(const F& f) {
        const auto kept = std::make_shared<io::KeptFiles>();
        for (std::size_t number = 0; number < chosen_.volumes.size(); ++number) {
            ChosenVolume volume = chosen_.volumes[number];
            volume.open.kept = kept;
            const auto reader = open(volume);
            require_grid(reader->info(), number);
            f(std::int64_t(number), *reader);
            warnings_.report(options_.a, reader->info(), reporter_);
        }
        if (!std::exchange(is_verified_, true))
            for (const auto& [path, text] : kept->decoders.verify_rest()) reporter_.warning(path + ": " + text);
    }

    void require_grid(const io::VolumeInfo& frame, std::size_t number) const {
        std::string difference;
        if (frame.extent != info_.extent)
            difference = "has the extent " + text_of(frame.extent) + ", and frame 0 has " + text_of(info_.extent);
        else if (frame.type != info_.type) difference = "has other types of voxels than frame 0";
        else if (options_.input.tolerance.compare == GridTolerance::Compare::corners)
            difference = difference_of_grids(info_, frame, options_.input.tolerance);
        if (!difference.empty())
            throw ProgramError(ErrorKind::invalid_file, options_.a,
                               "has frames of different grids: frame " + std::to_string(number) + " " + difference,
                               "choose frames of one grid");
    }

    /// Reads all frames, writes the table of links, and fills `objects_of_` and `graph`.
    std::vector<Track> follow(std::optional<TrackGraph>& graph) {
        const std::int64_t rows = info_.extent.rows(), frames = std::int64_t(chosen_.volumes.size());
        std::optional<io::TableWriter> links;
        std::optional<Tracks> tracks;
        std::unique_ptr<Frame> before;
        std::int64_t nan_voxels = 0;
        for_each_frame([&](std::int64_t number, io::VolumeReader& reader) {
            const auto on_rows = [&](std::int64_t read) { progress_.update("match", number * rows + read, frames * rows); };
            auto frame = std::make_unique<Frame>(reader, options_, pool_, on_rows);
            nan_voxels += frame->nan_voxels();
            if (before) {
                const LabelOverlap overlap = overlap_of(before->source(), frame->source(), info_.extent, pool_);
                if (!tracks) {
                    form_.type = frame->source().value_type();
                    tracks.emplace(overlap.a, form_.world);
                    objects_of_.push_back(tracks->objects());
                    if (!options_.series.links.empty()) links.emplace(table(options_.series.links, link_columns(form_.units)));
                    if (std::ranges::any_of(options_.series.tracks, is_graph)) graph.emplace(form_);
                }
                const std::vector<FrameLink> found = links_of(overlap, rule_, world_of_rule_);
                tracks->add(overlap, found);
                objects_of_.push_back(tracks->objects());
                const FramePair pair{number - 1, overlap, found, objects_of_[std::size_t(number) - 1], objects_of_.back()};
                if (links) add_links(pair, form_, *links);
                if (graph) graph->add(pair);
                links_ += found.size();
            }
            before = std::move(frame);
        });
        if (links) links->finish();
        warn_of_nan(options_.a, nan_voxels, "always background", reporter_);
        return tracks->tracks();
    }

    io::TableWriter table(const std::string& path, const std::vector<std::string>& columns) {
        return {path == "-" ? nullptr : &outputs_.create(path), io::table_format(path), columns};
    }

    void write_tracks(const std::string& path, const std::vector<Track>& tracks, const std::optional<TrackGraph>& graph) {
        if (track_form(path) == TrackForm::ctc) return write_text(path, ctc_text(tracks), outputs_);
        if (is_graph(path)) return io::write_geff(path, graph->graph(tracks), outputs_);
        io::TableWriter writer = table(path, track_columns(form_.units));
        add_tracks(tracks, form_, writer);
        writer.finish();
    }

    void write_output(std::size_t tracks) {
        const WritingContext context{pool_, outputs_, progress_};
        TrackedOutput output(options_, info_, std::int64_t(chosen_.volumes.size()), tracks, context);
        for_each_frame(
            [&](std::int64_t number, io::VolumeReader& reader) { output.write(reader, number, objects_of_[std::size_t(number)]); });
        output.finish();
    }

    bool is_stdout_taken() const {
        return options_.series.links == "-" || options_.output.starts_with('-') || std::ranges::count(options_.series.tracks, "-") > 0;
    }

    SummaryJson summary(const std::vector<Track>& tracks) const {
        std::size_t objects = 0;
        for (const auto& of_frame : objects_of_) objects += of_frame.size();
        const auto begin = [&](Track::Begin how) { return std::ranges::count(tracks, how, &Track::begin); };
        const auto end = [&](Track::End how) { return std::ranges::count(tracks, how, &Track::end); };
        return {{"program", "voxcc"},
                {"content", "series"},
                {"version", version()},
                {"series", options_.a},
                {"frames", objects_of_.size()},
                {"objects", objects},
                {"links", links_},
                {"tracks", tracks.size()},
                {"new", begin(Track::Begin::created)},
                {"gone", end(Track::End::gone)},
                {"splits", end(Track::End::split)},
                {"merges", begin(Track::Begin::merge)}};
    }

    /// The counts of the summary.
    static std::string counts_in(const SummaryJson& summary) {
        std::string text;
        for (const auto& [name, value] : summary.items())
            if (value.is_number()) text += name + std::string(13 - name.size(), ' ') + value.dump() + "\n";
        return text;
    }

    const MatchOptions& options_;
    const Reporter reporter_;
    ProgressBar progress_;
    ThreadPool pool_;
    io::OutputFiles outputs_;
    ChosenVolumes chosen_;
    io::VolumeInfo info_;  // of the first frame, with the axis of the frames
    SeriesForm form_;
    LinkRule rule_;
    std::optional<World> world_of_rule_;  // in the unit of its distances
    FileWarnings warnings_;
    bool is_verified_ = false;                            // the rest of the file was read
    std::vector<std::vector<TrackedObject>> objects_of_;  // frames
    std::size_t links_ = 0;
};

}  // namespace

int run_match_series(const MatchOptions& options) {
    set_default_isa(best_isa());
    SeriesRun(options).run();
    return int(ExitCode::ok);
}

}  // namespace voxcc
