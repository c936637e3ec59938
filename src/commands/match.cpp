// `voxcc match`: compares the objects of two label volumes, or of two masks.
#include <voxcc/threads.h>
#include "src/errors/program_error.h"
#include "src/messages/progress.h"
#include "src/messages/report.h"
#include "src/messages/text_file.h"
#include "src/pipeline/file_labels.h"
#include "src/pipeline/file_warnings.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/label_bits.h"
#include "src/pipeline/matched_output.h"
#include "src/pipeline/naming.h"
#include "src/pipeline/painted_labels.h"
#include "src/pipeline/same_grid.h"
#include "src/pipeline/shape_values.h"
#include "src/pipeline/sources.h"
#include "src/pipeline/volume_inputs.h"
#include "src/provenance/version.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

namespace voxcc {
namespace {

using Json = nlohmann::ordered_json;

/// The labels of one of the two volumes: the values of the file, or the components of its voxels that are neither 0 nor NaN.
class Objects {
public:
    Objects(io::VolumeReader& reader, const MatchOptions& options, ThreadPool& pool, const std::function<void(std::int64_t)>& on_rows)
        : extent_(reader.info().extent) {
        if (options.objects == MatchOptions::Objects::labels) {
            source_ = std::make_unique<FileLabels>(reader, on_rows);
            return;
        }
        const Question question = shape_request(options.connectivity, reader.info(), Units::voxel);
        const ForegroundPacker packer(reader.info().type, rule_of_mask(reader.info()));
        ReaderSource voxels(reader, packer, nullptr, default_isa(), Keep::bits, on_rows);
        labelling_ = label(voxels, extent_, question, {.pool = &pool});
        nan_voxels_ = voxels.nan_voxels();
        const PaintableLabels labels{*labelling_, extent_, Axis::z, selection_, RowSource::Access::concurrent};
        source_ = std::make_unique<PaintedLabels>(labels, labelling_->count() <= ~std::uint32_t{0} ? ScalarType::u32 : ScalarType::u64);
    }
    LabelSource& source() { return *source_; }
    /// Null if the objects are labels.
    Labelling* components() { return labelling_.get(); }
    /// Of a mask: they are background.
    std::int64_t nan_voxels() const { return nan_voxels_; }

private:
    Extent extent_;
    std::int64_t nan_voxels_ = 0;
    std::unique_ptr<Labelling> labelling_;
    Selection selection_;
    std::unique_ptr<LabelSource> source_;
};

/// The world in the unit of a distance. @throw ProgramError if the grid does not have it
std::optional<World> world_of_rule(const MatchOptions& options, const io::VolumeInfo& info) {
    if (options.rule.by != MatchRule::By::distance) return std::nullopt;
    const std::optional<World> world = world_in(info, options.unit);
    if (!world)
        throw ProgramError(ErrorKind::invalid_argument, "--by distance", "needs distances, and the affine is not usable",
                           "choose iou, dice or fraction, or give --spacing");
    return world;
}

std::vector<std::pair<std::string, double>> values_of(const MatchMetrics& m) {
    return {{"precision", m.precision}, {"recall", m.recall},           {"f1", m.f1},     {"rq", m.f1},  {"sq", m.sq}, {"pq", m.pq},
            {"mean_dice", m.mean_dice}, {"lesion_dice", m.lesion_dice}, {"dice", m.dice}, {"iou", m.iou}};
}

Json json_of(const MatchMetrics& m) {
    Json json{{"tp", m.true_positives}, {"fp", m.false_positives}, {"fn", m.false_negatives}};
    for (const auto& [name, value] : values_of(m)) json[name] = std::isnan(value) ? Json() : Json(value);
    return json;
}

std::map<std::string, std::size_t> counts_of(const ObjectChanges& changes) {
    std::map<std::string, std::size_t> counts;
    for (const Change change :
         {Change::gone, Change::created, Change::unchanged, Change::grown, Change::shrunk, Change::split, Change::merged})
        counts[name_of(change)] = std::size_t(std::ranges::count(
            change == Change::created || change == Change::merged ? changes.of_b : changes.of_a, change, &ObjectChange::change));
    return counts;
}

/// A number with five digits.
std::string short_text(double value) {
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 5).ptr};
}

std::string text_of(const MatchMetrics& m, const std::optional<ObjectChanges>& changes) {
    std::vector<std::pair<std::string, std::string>> lines{
        {"tp", std::to_string(m.true_positives)}, {"fp", std::to_string(m.false_positives)}, {"fn", std::to_string(m.false_negatives)}};
    for (const auto& [name, value] : values_of(m)) lines.emplace_back(name, std::isnan(value) ? "n/a" : short_text(value));
    if (changes)
        for (const auto& [name, count] : counts_of(*changes)) lines.emplace_back(name, std::to_string(count));
    std::string text;
    for (const auto& [name, value] : lines) text += name + std::string(13 - name.size(), ' ') + value + "\n";
    return text;
}

/// Writes a table if it has a path.
template <class Add>
void write_table(const std::string& path, const std::vector<std::string>& columns, io::OutputFiles& outputs, const Add& add) {
    if (path.empty()) return;
    io::TableWriter table(path == "-" ? nullptr : &outputs.create(path), io::table_format(path), columns);
    add(table);
    table.finish();
}

}  // namespace

int run_match(const MatchOptions& options) {
    refuse_shared_pipes({options.a, options.b});
    const Reporter reporter(options.messages);
    io::OutputFiles outputs(options.existing == LabelOptions::Existing::overwrite ? io::Overwrite::allow : io::Overwrite::refuse,
                            files_read({options.a, options.b}, {}, options.input));
    FileWarnings warnings_a, warnings_b;
    const std::unique_ptr<io::VolumeReader> a = open(choose_volume(options.a, options.input)),
                                            b = open(choose_volume(options.b, options.input));
    for (const std::string& note : settle_grid(*a, std::array{&b->info()}, options.input.tolerance)) reporter.note(note);
    const Space space = a->info().extent.nz == 1 ? Space::plane : Space::volume;
    const Units units = units_for(options.units, a->info());
    if (const std::string note = note_on_lengths(options.units, a->info()); !note.empty()) reporter.note(a->info().path + ": " + note);

    if (!world_of(a->info(), units)) reporter.warning(a->info().path + ": " + no_world_warning(a->info(), units));
    const std::optional<World> world_of_distances = world_of_rule(options, a->info());
    if (!options.output.empty()) io::check_label_output(options.output, options.compress, outputs);
    if (!options.output.empty()) io::check_label_files(options.output, b->info().extent, outputs);

    ProgressBar progress(options.messages);
    ThreadPool pool(options.threads ? options.threads : available_threads());
    const std::int64_t rows = a->info().extent.rows();
    const auto on_rows = [&](std::int64_t read) { progress.update("match", read, rows); };
    Objects objects_a(*a, options, pool, on_rows), objects_b(*b, options, pool, on_rows);
    MatchedVolumes matched{overlap_of(objects_a.source(), objects_b.source(), a->info().extent, pool),
                           objects_a.source().value_type(),
                           objects_b.source().value_type(),
                           space,
                           world_of(a->info(), units),
                           {}};
    warn_of_nan(options.a, objects_a.nan_voxels(), "always background", reporter);
    warn_of_nan(options.b, objects_b.nan_voxels(), "always background", reporter);
    warnings_a.report(options.a, a->info(), reporter);
    warnings_b.report(options.b, b->info(), reporter);
    matched.partners = assign(candidates_of(matched.overlap, options.rule, world_of_distances), options.assignment);

    const MatchMetrics metrics = metrics_of(matched.overlap, matched.partners);
    std::optional<ObjectChanges> changes;
    if (options.changes == MatchOptions::Changes::add) changes = changes_of(matched.overlap, options.least_change);
    write_table(options.pairs, pair_columns(space, units), outputs, [&](io::TableWriter& table) { add_pairs(matched, table); });
    write_table(options.stats, object_columns(space, units, options.changes), outputs,
                [&](io::TableWriter& table) { add_objects(matched, changes ? &*changes : nullptr, table); });
    if (!options.output.empty()) {
        const std::vector<std::uint64_t> numbers = partner_numbers(matched, options.a);
        const WritingContext context{pool, outputs, progress};
        if (Labelling* const components = objects_b.components())
            write_with_numbers(*components, b->info(), matched, numbers, options, context);
        else write_with_numbers(*b, matched, numbers, options, context);
    }
    Json json{{"program", "voxcc"},
              {"content", "match"},
              {"version", version()},
              {"a", options.a},
              {"b", options.b},
              {"objects_a", matched.overlap.a.labels().size()},
              {"objects_b", matched.overlap.b.labels().size()},
              {"metrics", json_of(metrics)}};
    if (changes) json["changes"] = counts_of(*changes);
    const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    if (!options.json.empty() && options.json != "-") write_text(options.json, text, outputs);
    reporter.warnings(outputs.publish());
    if (options.json == "-") print_result(text);
    else if (options.pairs != "-" && options.stats != "-" && !options.output.starts_with('-')) print_result(text_of(metrics, changes));
    return int(ExitCode::ok);
}

}  // namespace voxcc
