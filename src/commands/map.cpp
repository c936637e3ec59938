// `voxcc map`: gives the labels of a label volume new numbers, from a table or by uniting labels that touch, and fills their holes. Writes
// the volume in one piece, or in parts.
#include <voxcc/threads.h>
#include "io/kept_files.h"
#include "src/commands/overwrite.h"
#include "src/errors/exit_codes.h"
#include "src/errors/program_error.h"
#include "src/messages/progress.h"
#include "src/messages/report.h"
#include "src/options/map_parts.h"
#include "src/parts/mapped_file.h"
#include "src/parts/part_files.h"
#include "src/parts/row_skipper.h"
#include "src/pipeline/axis_positions.h"
#include "src/pipeline/file_warnings.h"
#include "src/pipeline/input.h"
#include "src/pipeline/label_map.h"
#include "src/pipeline/volume_writing.h"

#include <algorithm>
#include <unordered_set>

namespace voxcc {
namespace {

using Missing = MapOptions::Missing;

/// The labels that are written with other numbers, by what became of them.
struct MappedLabels {
    std::vector<LabelBits> kept;                           // without a new number, in ascending order
    std::unordered_map<std::uint64_t, LabelBits> sources;  // a label of each new number
    std::uint64_t largest = 0;                             // of the numbers that are written
    std::size_t numbers = 0;                               // that are written, without 0
};

/// @param found all labels of the volume, in ascending order
MappedLabels mapped(const std::vector<LabelBits>& found, const NewLabels& labels, ScalarType type, Missing missing) {
    MappedLabels mapped;
    std::unordered_set<std::uint64_t> numbers;
    for (const LabelBits label : found) {
        const std::optional<std::uint64_t> number = labels.find(label, type);
        if (number) mapped.sources.try_emplace(*number, label);
        else mapped.kept.push_back(label);
        const std::uint64_t written = number ? *number : missing == Missing::keep ? label : 0;
        if (written != 0) numbers.insert(written);
        mapped.largest = std::max(mapped.largest, written);
    }
    mapped.numbers = numbers.size();
    return mapped;
}

// "", " and 1 further label", " and 4 further labels"
std::string and_further(std::size_t labels) { return labels == 0 ? "" : " and " + counted(labels, "further label"); }

/// One run of the command.
class MapRun {
public:
    explicit MapRun(const MapOptions& options)
        : options_(options),
          reporter_(options.messages),
          progress_(options.messages),
          pool_(options.threads ? options.threads : available_threads()),
          outputs_(overwrite_of(options.existing), files_read({options.labels}, {table()}, options.input)) {
        if (!options.table.empty()) labels_ = read_new_labels(options.table);
        else if (!options.merge.empty()) labels_ = read_united_labels(options.merge, options.where);
        chosen_ = choose_volumes(options.labels, options.input);
        info_ = describe_first();
        type_ = label_type(info_);
    }

    void run() {
        check_output();
        std::optional<std::vector<LabelBits>> before;
        if (needs_labels_first()) {
            before = survey();
            check(*before);
        }
        const std::vector<LabelBits> found = write(before);
        if (!before) check(found);
        else if (*before != found) throw Error(ErrorKind::changed_file, options_.labels, "has changed while it was read");
        reporter_.warnings(outputs_.publish());
        report(found);
    }

    /// Writes the files of parts.
    void write_parts(const MapParts& steps) {
        const parts::MapPlan plan = plan_of(steps);
        io::NewFolders folders;
        folders.make(steps.state);
        io::check_folder(steps.state);
        const PartRange range = steps.chosen.value_or(PartRange{0, steps.parts - 1});
        const LabelMap map(labels_, type_, missing());
        for_each_volume([&](std::int64_t, io::VolumeReader& reader) {
            parts::RowSkipper rows(reader);
            for (std::int64_t part = range.first; part <= range.last; ++part) {
                const std::string path = parts::path_of(parts::FileKind::mapped, steps.state, part);
                if (part >= plan.grid.parts()) reporter_.note("part " + std::to_string(part) + " has no slices of " + options_.labels);
                else if (parts::is_mapped(plan, steps.state, part)) reporter_.note(path + " is complete, and is kept");
                else write_mapped(plan, steps.state, part, map_part(plan, part, {map, plan.form.type}, rows));
                progress_.update("map", part - range.first + 1, range.last - range.first + 1);
            }
        });
    }

    /// Writes the output from the files of all parts.
    void finish(const MapParts& steps) {
        check_output();
        const parts::MapPlan plan = plan_of(steps);
        const parts::MappedFiles files(plan, steps.state);
        LabelSet labels;
        for (std::int64_t part = 0; part < plan.grid.parts(); ++part)
            for (const LabelBits label : files.file(part)->labels()) labels.add(label);
        const std::vector<LabelBits> found = labels.sorted(type_);
        check(found);
        const io::LabelVolume file = description(needs_labels_first() ? std::optional(found) : std::nullopt);
        const parts::ChunkedLabels chunks(files.chunks(), pool_.size());
        std::vector<VolumeToWrite> volumes;
        volumes.push_back({file, from_chunks(chunks, file.type), nullptr, chunks.stored()});
        write_volumes(volumes, {nullptr, info_.extent.rows()}, {pool_, outputs_, progress_});
        reporter_.warnings(outputs_.publish());
        report(found);
    }

private:
    const std::string& table() const { return options_.table.empty() ? options_.merge : options_.table; }
    Missing missing() const { return options_.table.empty() ? Missing::keep : options_.missing; }

    void check_output() const {
        io::check_label_output(options_.output, options_.compress, outputs_);
        if (chosen_.volumes.size() > 1 && !io::holds_several_volumes(options_.output))
            throw ProgramError(
                ErrorKind::invalid_argument, "--output",
                "'" + options_.output + "' holds one volume, but there are " + std::to_string(chosen_.volumes.size()) + " volumes",
                "use a file such as out.nii.gz, or choose one volume");
        io::check_label_files(options_.output, info_.extent, outputs_);
    }

    /// @throw ProgramError invalid_argument if there are several volumes
    parts::MapPlan plan_of(const MapParts& steps) const {
        if (chosen_.volumes.size() > 1)
            throw ProgramError(ErrorKind::invalid_argument, options_.labels,
                               "has " + std::to_string(chosen_.volumes.size()) + " volumes, and parts are of one volume",
                               "choose one volume, or leave --parts out");
        return parts::plan_map({options_, chosen_.volumes.front(), info_, labels_, missing()}, steps.parts);
    }

    /// The new numbers of a part. @param rows must not be after the first row of the part
    parts::MappedPart map_part(const parts::MapPlan& plan, std::int64_t part, const OutputNumbers& numbers, parts::RowSkipper& rows) {
        const parts::Box box = plan.grid.box(part);
        const std::int64_t first_row = box.first[2] * info_.extent.ny, rows_per_layer = plan.form.chunk.nz * info_.extent.ny;
        FoundLabels found;
        rows.skip_to(first_row);
        const auto conversion = to_new_labels(rows.reader(), numbers, found, nullptr);
        const auto paint = [&](RowRange in_part, std::byte* out) {
            thread_local std::vector<std::byte> read;
            const RowRange range{first_row + in_part.first, in_part.count};
            try {
                if (!conversion->read(in_part.first / rows_per_layer, range, read)) return;
                conversion->convert({.rows = range, .count = range.count * info_.extent.nx}, read, out);
            } catch (...) {
                conversion->fail();
                throw;
            }
        };
        parts::MappedPart mapped;
        mapped.chunks = pack_chunks(chunks_of(plan.grid, part, plan.form.chunk), plan.form, pool_, paint);
        rows.has_read_to(first_row + box.extent().rows());
        mapped.labels = found.all().sorted(type_);
        check(mapped.labels);
        return mapped;
    }

    io::VolumeInfo describe_first() {
        io::VolumeInfo info = open(chosen_.volumes.front())->info();
        info.volume_axes = axes_along(chosen_.numbers(), info.volume_axes);
        return info;
    }

    /// Whether the type of the output depends on the labels that occur.
    bool needs_labels_first() const {
        if (options_.dtype || missing() != Missing::keep) return false;
        try {
            const std::uint64_t largest = std::max(labels_.largest(), largest_label(type_));
            return io::smallest_label_type(options_.output, labels_.largest()) != io::smallest_label_type(options_.output, largest);
        } catch (const Error&) {
            return true;
        }
    }

    /// Calls f(volume, reader) for all volumes in order.
    template <class F>
    void for_each_volume(const F& f) {
        const auto kept = std::make_shared<io::KeptFiles>();
        FileWarnings warnings;
        for (std::size_t i = 0; i < chosen_.volumes.size(); ++i) {
            ChosenVolume volume = chosen_.volumes[i];
            if (chosen_.volumes.size() > 1) volume.open.kept = kept;
            const auto reader = open(volume);
            const io::VolumeInfo& info = reader->info();
            if (info.extent != info_.extent || info.type != info_.type)
                throw Error(ErrorKind::changed_file, options_.labels, "has volumes of different extents or types");
            reader->use_threads(pool_.size());
            f(std::int64_t(i), *reader);
            if (warned_) continue;
            warnings.report(options_.labels, info, reporter_);
        }
        if (!warned_)
            for (const auto& [path, text] : kept->decoders.verify_rest()) reporter_.warning(path + ": " + text);
        warned_ = true;
    }

    std::vector<LabelBits> survey() {
        FoundLabels found;
        for_each_volume([&](std::int64_t, io::VolumeReader& reader) { find_labels(reader, found, pool_, progress_); });
        return found.all().sorted(type_);
    }

    /// The type of the output. @param labels that occur; empty: they are not known
    io::LabelVolume description(const std::optional<std::vector<LabelBits>>& labels) const {
        io::LabelVolume file{.path = options_.output, .like = &info_, .compress = options_.compress};
        if (labels) file.largest = mapped(*labels, labels_, type_, missing()).largest;
        const std::uint64_t largest = std::max(labels_.largest(), file.largest.value_or(0));
        file.type = options_.dtype ? *options_.dtype : io::smallest_label_type(options_.output, largest);
        file.volumes = std::int64_t(chosen_.volumes.size());
        file.zarr = options_.zarr;
        file.threads = pool_.size();
        return file;
    }

    /// Writes the volume. @return its labels, in ascending order
    std::vector<LabelBits> write(const std::optional<std::vector<LabelBits>>& labels) {
        const io::LabelVolume file = description(labels);
        const LabelMap map(labels_, type_, missing());
        FoundLabels found;
        std::optional<SeriesFile> series;
        if (file.volumes > 1) series.emplace(file, outputs_);
        for_each_volume([&](std::int64_t place, io::VolumeReader& reader) {
            const OutputNumbers numbers{map, file.type};
            std::unique_ptr<LabelHoles> holes;
            if (options_.holes == LabelOptions::Holes::fill) {
                holes = find_label_holes(reader, numbers, options_, pool_, progress_);
                add(filled_, holes->filled(LabelHoles::Filling::one_label)), add(between_labels_, holes->between_labels());
            } else if (!labels && file.volumes == 1) {
                reader.read_once();
            }
            std::vector<VolumeToWrite> volumes;
            volumes.push_back({file, to_new_labels(reader, numbers, found, holes.get()), series ? &*series : nullptr});
            write_volumes(volumes, {nullptr, info_.extent.rows(), place}, {pool_, outputs_, progress_});
        });
        if (series) series->writer->finish();
        return found.all().sorted(type_);
    }

    static void add(LabelHoles::Count& to, const LabelHoles::Count& count) { to.holes += count.holes, to.voxels += count.voxels; }

    std::string text(LabelBits label) const { return label_text(label, type_); }

    /// @param found all labels of the volume
    /// @throw ProgramError invalid_file if a label has no new number, or one that the output cannot hold
    void check(const std::vector<LabelBits>& found) const {
        const MappedLabels result = mapped(found, labels_, type_, missing());
        const std::vector<LabelBits>& kept = result.kept;
        if (missing() == Missing::refuse && !kept.empty())
            throw ProgramError(ErrorKind::invalid_file, table(),
                               "does not have the label " + text(kept.front()) + and_further(kept.size() - 1) + " of " + options_.labels,
                               "add rows, or choose --missing keep or zero");
        if (missing() == Missing::keep && !kept.empty() && type_ != ScalarType::u64 && std::int64_t(kept.front()) < 0)
            throw ProgramError(ErrorKind::invalid_file, options_.labels,
                               "would keep the negative label " + text(kept.front()) + ", and label volumes have no negative labels",
                               options_.table.empty() ? "give the labels new numbers first, with --table"
                                                      : "add it to the table, or choose --missing zero");
        if (options_.dtype && result.largest > largest_label(*options_.dtype))
            throw ProgramError(
                ErrorKind::invalid_file, options_.output,
                "the label " + std::to_string(result.largest) + " does not fit into " + std::string(name_of(*options_.dtype)),
                "leave --dtype out, or use a wider type");
    }

    void report(const std::vector<LabelBits>& found) const {
        const MappedLabels result = mapped(found, labels_, type_, missing());
        if (missing() == Missing::keep) report_collisions(result);
        if (options_.table.empty()) report_absent(found);
        reporter_.note(options_.labels + ": " + counted(found.size(), "label") + "; " + options_.output + ": " +
                       counted(result.numbers, "label") + text_of_holes());
    }

    // "; filled 3 holes (40 voxels); 1 hole between several labels is not filled (8 voxels)"
    std::string text_of_holes() const {
        if (options_.holes == LabelOptions::Holes::keep) return "";
        const auto voxels = [](const LabelHoles::Count& count) { return " (" + counted(count.voxels, "voxel") + ")"; };
        std::string text = "; filled " + counted(filled_.holes, "hole") + (filled_.holes ? voxels(filled_) : "");
        if (between_labels_.holes)
            text += "; " + counted(between_labels_.holes, "hole") + " between several labels " +
                    (between_labels_.holes == 1 ? "is" : "are") + " not filled" + voxels(between_labels_);
        return text;
    }

    /// Warns of labels that keep their numbers, and of other labels that get the same numbers.
    void report_collisions(const MappedLabels& result) const {
        std::size_t collisions = 0;
        std::string first;
        for (const LabelBits label : result.kept) {
            const auto source = result.sources.find(label);
            if (source == result.sources.end() || collisions++ > 0) continue;
            first = "the label " + text(label) + " is not in " + table() +
                    " and keeps its number, which is also the new number of the label " + text(source->second) + "; both are one label now";
        }
        if (collisions > 0)
            reporter_.warning(options_.labels + ": " + first +
                              (collisions > 1 ? "; the same holds for " + counted(collisions - 1, "further label") : ""));
    }

    /// Warns if the volume has no label of the table of contacts: it is probably the table of another volume. Some labels may be absent.
    void report_absent(const std::vector<LabelBits>& found) const {
        if (labels_.size() == 0) return;
        const bool has_one = std::ranges::any_of(found, [&](LabelBits label) { return labels_.find(label, type_).has_value(); });
        if (!has_one) reporter_.warning(options_.labels + ": has no label of " + table() + "; check that it is the table of this volume");
    }

    const MapOptions& options_;
    const Reporter reporter_;
    ProgressBar progress_;
    ThreadPool pool_;
    io::OutputFiles outputs_;
    NewLabels labels_;
    ChosenVolumes chosen_;
    io::VolumeInfo info_;  // of each volume
    ScalarType type_ = ScalarType::u8;
    LabelHoles::Count filled_, between_labels_;
    bool warned_ = false;  // the warnings of the file are printed
};

}  // namespace

int run_map(const MapOptions& options) {
    set_default_isa(best_isa());
    MapRun(options).run();
    return int(ExitCode::ok);
}

int run_map_parts(const MapParts& options) {
    set_default_isa(best_isa());
    MapRun run(options.map);
    if (options.step == MapParts::Step::finish) run.finish(options);
    else run.write_parts(options);
    return int(ExitCode::ok);
}

}  // namespace voxcc
