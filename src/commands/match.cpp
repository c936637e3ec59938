// `voxcc match`: compares the objects of two label volumes, or of two masks, for one pair of volumes or a batch of pairs.
#include <voxcc/threads.h>
#include "src/commands/failed_inputs.h"
#include "src/commands/output_claims.h"
#include "src/commands/overwrite.h"
#include "src/errors/program_error.h"
#include "src/messages/progress.h"
#include "src/messages/report.h"
#include "src/messages/text_file.h"
#include "src/pipeline/bids.h"
#include "src/pipeline/current_error.h"
#include "src/pipeline/file_warnings.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/input_list.h"
#include "src/pipeline/match_tables.h"
#include "src/pipeline/matched_output.h"
#include "src/pipeline/naming.h"
#include "src/pipeline/same_grid.h"
#include "src/pipeline/shape_values.h"
#include "src/pipeline/size_limits.h"
#include "src/pipeline/volume_inputs.h"
#include "src/pipeline/volume_objects.h"
#include "src/provenance/version.h"

#include <array>
#include <nlohmann/json.hpp>

namespace voxcc {
namespace {

using Json = nlohmann::ordered_json;

/// The world in the unit of a distance. @throw ProgramError if the grid does not have it
std::optional<World> world_of_rule(const MatchOptions& options, const io::VolumeInfo& info) {
    if (options.rule.by != MatchRule::By::distance) return std::nullopt;
    const std::optional<World> world = world_in(info, options.unit);
    if (!world)
        throw ProgramError(ErrorKind::invalid_argument, "--by distance", "needs distances, and the affine is not usable",
                           "choose iou, dice or fraction, or give --spacing");
    return world;
}

/// The files of a run that may contain words in braces, except B.
std::vector<NamedFile> outputs_of(const MatchOptions& o) {
    return {{"--pairs", o.pairs}, {"--stats", o.stats}, {"--summary", o.summary}, {"--json", o.json}, {"--output", o.output}};
}

/// The options of one pair: names without words. The outputs of all pairs together are empty.
MatchOptions options_for(MatchOptions options, const BatchInput& a) {
    const bool has_common_outputs = is_batch(options);
    options.a = a.name;
    options.b = expand(options.b, a, std::nullopt);
    for (std::string* path : {&options.pairs, &options.stats, &options.summary, &options.json, &options.output})
        *path = has_common_outputs && !names_each_input(*path) ? "" : expand(*path, a, std::nullopt);
    return options;
}

/// The comparison of one pair.
class Pair {
public:
    /// Opens both volumes, and checks them and the outputs. @param options of one pair
    Pair(const MatchOptions& options, const Reporter& reporter, io::OutputFiles& outputs)
        : options_(options),
          reporter_(reporter),
          a_(open(choose_volume(options.a, options.input))),
          b_(open(choose_volume(options.b, options.input))) {
        for (const std::string& note : settle_grid(*a_, std::array{&b_->info()}, options.input.tolerance)) reporter.note(note);
        const io::VolumeInfo& info = a_->info();
        space_ = info.extent.nz == 1 ? Space::plane : Space::volume;
        units_ = units_for(options.units, info);
        if (const std::string note = note_on_lengths(options.units, info); !note.empty()) reporter.note(info.path + ": " + note);
        if (!world_of(info, units_)) reporter.warning(info.path + ": " + no_world_warning(info, units_));
        world_of_distances_ = world_of_rule(options, info);
        if (options.min_lesion) least_lesion_ = voxels_of(*options.min_lesion, info, space_, Axis::z, Round::up);
        if (!options.output.empty()) io::check_label_output(options.output, options.compress, outputs);
        if (!options.output.empty()) io::check_label_files(options.output, b_->info().extent, outputs);
    }

    /// Compares the volumes, and writes B with the numbers of the partners if an output is given.
    void run(ThreadPool& pool, ProgressBar& progress, io::OutputFiles& outputs) {
        const Extent& extent = a_->info().extent;
        const auto on_rows = [&](std::int64_t read) { progress.update("match", read, extent.rows()); };
        VolumeObjects objects_a(*a_, options_, pool, on_rows), objects_b(*b_, options_, pool, on_rows);
        volumes_ = MatchedVolumes{overlap_of(objects_a.source(), objects_b.source(), extent, pool),
                                  objects_a.source().value_type(),
                                  objects_b.source().value_type(),
                                  space_,
                                  world_of(a_->info(), units_),
                                  {}};
        warn_of(objects_a, options_.a, a_->info());
        warn_of(objects_b, options_.b, b_->info());
        const LabelOverlap& overlap = volumes_->overlap;
        volumes_->partners = assign(candidates_of(overlap, options_.rule, world_of_distances_), options_.assignment);
        values_ = {overlap.a.labels().size(), overlap.b.labels().size(), metrics_of(overlap, volumes_->partners), {}, {}};
        values_.lesions = lesions(objects_a.source(), objects_b.source(), pool);
        if (options_.changes == MatchOptions::Changes::add) values_.changes = changes_of(overlap, options_.least_change);
        if (options_.output.empty()) return;
        const std::vector<std::uint64_t> numbers = partner_numbers(*volumes_, options_.a);
        const WritingContext context{pool, outputs, progress};
        if (Labelling* const components = objects_b.components())
            write_with_numbers(*components, b_->info(), *volumes_, numbers, options_, context);
        else write_with_numbers(*b_, *volumes_, numbers, options_, context);
    }

    MatchedPair result() const { return {*volumes_, values_, units_, options_.a, options_.b}; }
    /// The numbers of the pair as JSON.
    Json json() const {
        Json json{{"a", options_.a}, {"b", options_.b}};
        json.update(json_of(values_));
        return json;
    }

private:
    void warn_of(const VolumeObjects& objects, const std::string& path, const io::VolumeInfo& info) const {
        warn_of_nan(path, objects.nan_voxels(), "always background", reporter_);
        FileWarnings().report(path, info, reporter_);
    }

    LesionMetrics lesions(LabelSource& a, LabelSource& b, ThreadPool& pool) const {
        if (options_.dilation == 0) return lesion_metrics_of(volumes_->overlap, least_lesion_);
        const Connectivity connectivity = shape_request(options_.connectivity, a_->info(), Units::voxel).connectivity;
        a.rewind(), b.rewind();
        return lesion_metrics_of(a, b, a_->info().extent, {options_.dilation, connectivity, least_lesion_}, pool);
    }

    const MatchOptions options_;
    const Reporter& reporter_;
    const std::unique_ptr<io::VolumeReader> a_, b_;
    Space space_ = Space::volume;
    Units units_ = Units::mm;
    std::optional<World> world_of_distances_;
    std::uint64_t least_lesion_ = 1;
    std::optional<MatchedVolumes> volumes_;
    MatchValues values_;
};

/// One run of the command.
class MatchRun {
public:
    /// @param inputs names of A, without words
    MatchRun(const MatchOptions& options, std::vector<BatchInput> inputs)
        : options_(options),
          inputs_(std::move(inputs)),
          is_batch_(is_batch(options)),
          files_read_(all_files()),
          reporter_(options.messages),
          progress_(options.messages),
          pool_(options.threads ? options.threads : available_threads()),
          outputs_(overwrite_of(options.existing), files_read_),
          failed_inputs_(options.failed, overwrite_of(options.existing), files_read_),
          tables_(paths_of_tables(), origin(), options.changes, outputs_) {
        tables_.check();
        failed_inputs_.check();
        if (is_common(options_.json) && options_.json != "-") outputs_.check(options_.json);
        for (const auto& [option, path] : {std::pair("--pairs", options_.pairs), std::pair("--stats", options_.stats),
                                           std::pair("--summary", options_.summary), std::pair("--json", options_.json)})
            if (is_common(path)) claims_.add(path, option);
        claims_.add(options_.failed, "--failed");
    }

    int run() {
        if (is_batch_) progress_.begin_batch(std::int64_t(inputs_.size()), 1);
        for (const BatchInput& input : inputs_) {
            progress_.begin_input(input.name);
            if (is_batch_) compare_or_fail(input);
            else add(*compare(options_for(options_, input), outputs_));
            progress_.end_input();
        }
        if (pairs_.empty() && is_batch_) {
            reporter_.warning("every pair failed, so no output file is written");
        } else {
            tables_.finish();
            const std::string text = json().dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
            if (is_common(options_.json)) write_text(options_.json, text, outputs_);
            reporter_.warnings(outputs_.publish());
        }
        if (!text_.empty() && options_.json != "-" && !tables_.uses_stdout() && !options_.output.starts_with('-')) print_result(text_);
        reporter_.warnings(failed_inputs_.write(inputs_.size(), {}));
        return int(failed_inputs_.count() > 0 ? ExitCode::differs : ExitCode::ok);
    }

private:
    /// Whether an output holds the results of all pairs.
    bool is_common(const std::string& path) const { return !path.empty() && (!is_batch_ || !names_each_input(path)); }
    MatchTablePaths paths_of_tables() const {
        const auto own = [&](const std::string& path) { return is_common(path) ? expand(path, inputs_.front(), std::nullopt) : ""; };
        return {own(options_.pairs), own(options_.stats), own(options_.summary)};
    }
    OriginColumns origin() const {
        if (!is_batch_) return {};
        return {.file = true, .volume = false, .entities = subject_entities(input_names(inputs_)), .further = {}};
    }
    std::shared_ptr<const io::FileSet> all_files() const {
        std::vector<std::string> read = input_names(inputs_);
        for (const BatchInput& input : inputs_) {
            read.push_back(expand(options_.b, input, std::nullopt));
            if (!names_each_input(options_.b)) break;
        }
        return files_read(read, {file_of_list(options_.list)}, options_.input);
    }

    /// Compares one pair of a batch. A failure does not end the batch.
    void compare_or_fail(const BatchInput& input) {
        try {
            const MatchOptions options = options_for(options_, input);
            io::OutputFiles outputs(overwrite_of(options_.existing), files_read_);
            MatchTables tables({options.pairs, options.stats, options.summary}, {}, options.changes, outputs);
            tables.check();
            if (!options.json.empty()) outputs.check(options.json);
            const std::unique_ptr<Pair> pair = compare(options, outputs);
            tables.add(pair->result()), tables.finish();
            if (!options.json.empty()) write_text(options.json, document(pair->json()), outputs);
            reporter_.warnings(outputs.publish());
            add(*pair);
        } catch (...) {
            const ErrorMessage error = current_error(input.name);
            print_error(error, options_.messages.format);
            failed_inputs_.add(input, error.text());
            failures_.push_back({{"a", input.name}, {"error", error.text()}});
        }
    }

    /// @param options of one pair @param outputs receives the label volume
    std::unique_ptr<Pair> compare(const MatchOptions& options, io::OutputFiles& outputs) {
        auto pair = std::make_unique<Pair>(options, reporter_, outputs);
        pair->run(pool_, progress_, outputs);
        return pair;
    }

    /// Adds the results of a pair to the outputs of all pairs.
    void add(const Pair& pair) {
        const MatchedPair result = pair.result();
        tables_.add(result);
        pairs_.push_back(pair.json());
        text_ += is_batch_ ? line_of(result.a, result.values) : text_of(result.values);
    }

    static Json head() { return {{"program", "voxcc"}, {"content", "match"}, {"version", version()}}; }
    static std::string document(const Json& pair) {
        Json json = head();
        json.update(pair);
        return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    }
    Json json() const {
        Json json = head();
        if (!is_batch_) json.update(pairs_.front());
        else json["pairs"] = pairs_, json["failed"] = failures_;
        return json;
    }

    const MatchOptions& options_;
    const std::vector<BatchInput> inputs_;
    const bool is_batch_;
    const std::shared_ptr<const io::FileSet> files_read_;
    const Reporter reporter_;
    ProgressBar progress_;
    ThreadPool pool_;
    io::OutputFiles outputs_;  // of all pairs together
    FailedInputs failed_inputs_;
    MatchTables tables_;
    OutputClaims claims_;
    std::vector<Json> pairs_, failures_;
    std::string text_;  // of stdout
};

/// Checks the words in braces, and that no two pairs have the same output.
void check_names(const MatchOptions& o, const std::vector<BatchInput>& inputs) {
    check_words({"B", o.b});
    for (const NamedFile& file : outputs_of(o)) check_words(file);
    if (is_batch(o) && o.companions == LabelOptions::Companions::of_each_input && !names_each_input(o.b))
        throw ProgramError(ErrorKind::invalid_argument, "B",
                           "'" + o.b + "' is one file, but there are " + std::to_string(inputs.size()) + " volumes A",
                           "write a word for each A, as in 'predictions/{stem}.nii.gz', or add --shared");
    if (is_batch(o) && !o.output.empty() && !names_each_input(o.output))
        throw ProgramError(ErrorKind::invalid_argument, "--output", "'" + o.output + "' is one file, but there are several pairs",
                           "write a word for each A, as in 'matched/{stem}.nii.gz'");
    OutputClaims claims;
    for (const BatchInput& input : inputs) {
        expand(o.b, input, std::nullopt);
        for (const NamedFile& file : outputs_of(o))
            if (names_each_input(file.name)) claims.add(expand(file.name, input, std::nullopt), input.name);
    }
}

}  // namespace

int run_match(const MatchOptions& options) {
    set_default_isa(best_isa());
    std::vector<BatchInput> inputs;
    for (const std::string& name : all_inputs(options.inputs, options.list)) inputs.push_back({name});
    check_names(options, inputs);
    return MatchRun(options, std::move(inputs)).run();
}

}  // namespace voxcc
