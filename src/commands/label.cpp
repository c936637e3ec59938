// `voxcc label`: labels one volume or a batch of volumes.
#include <voxcc/threads.h>
#include "io/sandbox.h"
#include "io/table.h"
#include "src/commands/bids_dataset.h"
#include "src/commands/earlier_run.h"
#include "src/commands/input_volumes.h"
#include "src/commands/label_plan.h"
#include "src/commands/output_claims.h"
#include "src/commands/written_records.h"
#include "src/errors/exit_codes.h"
#include "src/pipeline/current_error.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/input.h"
#include "src/pipeline/label_colours.h"
#include "src/pipeline/label_table.h"
#include "src/pipeline/level.h"
#include "src/pipeline/naming.h"
#include "src/pipeline/result_notes.h"
#include "src/pipeline/sidecar.h"
#include "src/pipeline/turnstile.h"
#include "src/provenance/provenance.h"

#include <mutex>
#include <set>

namespace voxcc {
namespace {

io::Overwrite overwrite_of(const LabelOptions& o) {
    return o.existing == LabelOptions::Existing::overwrite ? io::Overwrite::allow : io::Overwrite::refuse;
}

std::shared_ptr<const io::FileSet> files_read_by(const LabelOptions& o, std::vector<std::string> inputs) {
    inputs.insert(inputs.end(), {o.mask, o.threshold_from});
    for (const IntensityImage& image : o.intensity.images) inputs.push_back(image.path);
    return files_read(inputs, {file_of_list(o.list), o.config}, o.input);
}

/// One run of `voxcc label`. Several threads may process inputs at the same time. The results are added to tables and summary in the order
/// of the inputs.
class Batch {
public:
    /// @param clock runs since the start of the command
    Batch(const LabelOptions& options, std::vector<std::string> inputs, const OutputPaths& paths, const StageClock& clock)
        : clock_(clock),
          options_(options),
          inputs_(std::move(inputs)),
          several_(inputs_.size() > 1 || !options.list.empty()),
          merged_(is_common_output(options.stats, options)),
          summarised_(!options.json.empty() && is_common_output(options.json, options)),
          nothing_asked_(volume_paths(options).empty() && options.stats.empty() && options.json.empty() && options.preview.empty() &&
                         options.lut.empty() && options.contacts.empty() && options.intensity.local_maxima.empty()),
          concurrency_(concurrency(options, inputs_)),
          threads_(std::max(1, (options.threads ? options.threads : available_threads()) / concurrency_.volumes())),
          choice_(choose(options, threads_, [this] { return voxels_of(inputs_, options_); })),
          devices_(choice_.device, concurrency_.volumes(), choice_.during_start),
          files_read_(files_read_by(options, inputs_)),
          read_records_(options),
          outputs_(overwrite_of(options), files_read_),
          reporter_(options.messages),
          progress_(options.messages),
          provenance_(options, choice_, threads_) {
        check_outputs(paths);
    }

    int run() {
        announce();
        threshold_ = fixed_threshold(options_);
        if (concurrency_.inputs == 1) {
            ThreadPool pool(threads_);
            note_missing_threads(pool);
            for (std::size_t i = 0; i < inputs_.size(); ++i) do_input(i, pool, clock_);
        } else {
            clock_.end(&StageSeconds::start);
            ThreadPool workers(concurrency_.inputs);
            workers.for_each(std::int64_t(inputs_.size()), [&](std::int64_t i) {
                try {
                    ThreadPool pool(threads_);
                    note_missing_threads(pool);
                    StageClock clock;
                    do_input(std::size_t(i), pool, clock);
                } catch (...) {
                    turnstile_.fail();  // otherwise the inputs that wait for their turn would never continue
                    throw;
                }
            });
            clock_.add(seconds_of_inputs_);
        }
        devices_.require_started();
        if (merged_table_) merged_table_->finish();
        merged_side_tables_->finish();
        if (labelled_ + skipped_ > 0) write_bids_description(options_, inputs_, outputs_);
        if (summarised_) write_summary_of_all();
        publish();
        note_skipped();
        return int(failed_ ? ExitCode::differs : ExitCode::ok);
    }

private:
    /// Checks the outputs before any volume is read. Starts the table of all inputs.
    void check_outputs(const OutputPaths& paths) {
        refuse_inputs_as_outputs(options_, paths, outputs_);
        claims_.add(bids_description(options_), "--bids");
        if (summarised_) claims_.add(options_.json, "--json");
        if (summarised_ && options_.json != "-") outputs_.check(options_.json);
        const bool is_one_table = (merged_ && !options_.stats.empty()) || has_common_side_table();
        const TableForm form = is_one_table ? common_form(options_, inputs_) : TableForm();
        start_side_tables(form);
        if (options_.stats.empty()) return;
        io::table_format(options_.stats);
        if (!merged_) return;
        claims_.add(options_.stats, "--stats");
        if (options_.stats != "-") outputs_.check(options_.stats);
        const std::string sidecar = sidecar_of(options_.stats, options_);
        claims_.add(sidecar, "--sidecar");
        merged_columns_ = label_columns(options_, Merged::yes, form);
        merged_table_.emplace(table_file(options_.stats, outputs_), io::table_format(options_.stats), names_of(merged_columns_));
        if (!sidecar.empty()) write_sidecar(options_.stats, merged_columns_, outputs_);
    }

    /// Reports once that the lengths of a table are in voxels or in an unknown unit.
    void note_lengths(const LabelledVolume& v) {
        const bool has_table = !options_.stats.empty() || !options_.contacts.empty() || !options_.intensity.local_maxima.empty();
        const std::string note = note_on_lengths(options_.units, v.described.info);
        if (!has_table || note.empty() || lengths_noted_) return;
        lengths_noted_ = true;
        reporter_.note(v.job.input + ": " + note);
    }

    /// Reports the notes about a volume. All kinds but ResultNote::nothing_left are reported once per run.
    void note_results(const LabelledVolume& v) {
        for (const auto& [kind, text] : notes_on(v, options_))
            if (kind == ResultNote::nothing_left || noted_.insert(kind).second) reporter_.note(v.job.input + ": " + text);
    }

    bool has_common_side_table() const {
        return std::ranges::any_of(side_tables, [this](SideTable side) {
            const std::string& path = path_of(side, options_);
            return !path.empty() && is_common_output(path, options_);
        });
    }

    /// Starts the side tables of all inputs.
    void start_side_tables(const TableForm& form) {
        SideTablePaths paths;
        for (const SideTable side : side_tables) {
            const std::string& path = path_of(side, options_);
            if (path.empty() || !is_common_output(path, options_)) continue;
            claims_.add(path, option_of(side));
            if (path != "-") outputs_.check(path);
            paths[side] = path;
        }
        merged_side_tables_.emplace(paths, options_, SideTableForm{Merged::yes, form}, outputs_);
    }

    /// Tells how many inputs of a batch were skipped.
    void note_skipped() const {
        if (!several_ || options_.completed != LabelOptions::Completed::skip) return;
        reporter_.note(counted(inputs_.size(), "input") + ": " + std::to_string(labelled_) + " labelled, " + std::to_string(skipped_) +
                       " skipped, " + std::to_string(failed_) + " failed");
    }

    /// Publishes the outputs if at least one input succeeded. The next run would refuse to overwrite an empty table.
    void publish() {
        if (labelled_ + skipped_ > 0) return reporter_.warnings(outputs_.publish());
        if (!nothing_asked_) reporter_.warning("every input failed, so no output file is written");
    }

    void announce() const {
        const std::string text = "device: " + choice_.text + (choice_.why.empty() ? "" : " (" + choice_.why + ")");
        if (choice_.devices == Choice::Devices::several) reporter_.note(text);
        else reporter_.detail(text);
    }

    /// Reports, once per run, that the system has refused to start threads.
    void note_missing_threads(const ThreadPool& pool) {
        if (pool.size() >= threads_) return;
        std::call_once(threads_noted_, [&] {
            reporter_.note("threads: " + std::to_string(pool.size()) + " of " + std::to_string(threads_) +
                           " could be started (limits on processes or memory); the result is the same");
        });
    }

    static io::OutputFile* table_file(const std::string& path, io::OutputFiles& outputs) {
        return path == "-" ? nullptr : &outputs.create(path);
    }

    void claim_outputs(const InputTask& task) {
        for (const std::string& path : task.texts()) claims_.add(path, task.input);
        for (const auto& [path, content] : task.volumes()) claims_.add(path, task.input);
        for (const VolumeJob& job : task.jobs) claims_.add(job.preview, task.input);
    }

    /// With --skip-existing, compares the input with the summary of an earlier run.
    EarlierRun earlier_run_of(const InputTask& task) {
        EarlierRun earlier = compare_with_earlier_run(task, options_, read_records_);
        const VolumePaths volumes = task.jobs.front().all_volumes();
        const std::string& output = !volumes.empty() ? volumes.begin()->second : !task.stats.empty() ? task.stats : task.json;
        if (earlier.is_up_to_date()) reporter_.note(task.input + " is skipped: " + output + " is complete and up to date");
        else reporter_.detail(task.input + " is labelled: " + earlier.difference);
        return earlier;
    }

    /// Warns of each label volume that could not have the table of --colour-table.
    void warn_of_missing_tables(const LabelledInput& done) const {
        if (options_.colour_table == LabelOptions::ColourTable::none) return;
        std::set<std::string> paths;
        for (const LabelledVolume& v : done.volumes) {
            const std::string path = v.job.all_volumes().at(io::Content::labels);
            const ScalarType type = v.written.types.at(io::Content::labels);
            if (type == ScalarType::u8 || !paths.insert(path).second) continue;
            reporter_.warning(path + ": has no colour table, because a table has 255 colours for labels of type uint8" +
                              ", and the labels are of type " + std::string(name_of(type)));
        }
    }

    /// @return nothing if the input is skipped
    std::optional<LabelledInput> label_input(const std::string& input, io::OutputFiles& outputs, ThreadPool& pool, StageClock& clock) {
        const StageTimes before = several_ ? clock.times() : StageTimes{};
        const InputTask task = task_for(input, options_);
        claim_outputs(task);
        clock.end(&StageSeconds::start);
        LabelledInput done;
        if (options_.completed == LabelOptions::Completed::skip) {
            EarlierRun earlier = earlier_run_of(task);
            clock.end(&StageSeconds::hash);
            if (earlier.is_up_to_date()) return std::nullopt;
            for (const std::string& path : earlier.replaceable) outputs.allow_replacing(path);
            done.read = std::move(earlier.read);
        }
        check_outputs_of(task, options_, outputs);
        std::optional<RecordsDuringRun> read;
        std::optional<WrittenRecords> written;
        if (!options_.json.empty()) {
            written.emplace(outputs);
            if (done.read.empty()) read.emplace(read_records_, input, bytes_between_reads());
        }
        clock.end(&StageSeconds::hash);
        RunContext context{options_,
                           threshold_,
                           choice_,
                           devices_,
                           pool,
                           concurrency_.volumes(),
                           concurrency_.volumes_per_input,
                           outputs,
                           reporter_,
                           progress_,
                           clock,
                           read ? &read->pace() : nullptr};
        done.volumes = label_volumes(task.jobs, context);
        warn_of_missing_tables(done);
        if (!task.stats.empty()) write_table(task, outputs, done);
        write_side_tables(task, outputs, done);
        if (!task.lut.empty()) write_colours(task.lut, done.largest_label(), outputs);
        clock.end(&StageSeconds::table);
        if (read) done.read = read->wait();
        if (written) done.written = written->take();
        clock.end(&StageSeconds::hash);
        if (!task.json.empty()) write_summary(task.json, outputs, done, clock.times() - before);
        return done;
    }

    /// Most bytes of an input between the positions of labelling and checksum: a quarter of the memory, which holds them as page cache.
    std::int64_t bytes_between_reads() const {
        constexpr std::int64_t if_unknown = std::int64_t{4} << 30;
        return options_.max_memory.value_or(machine_memory().value_or(if_unknown)) / 4 / concurrency_.inputs;
    }

    void write_table(const InputTask& task, io::OutputFiles& outputs, const LabelledInput& done) const {
        const std::vector<TableColumn> columns = label_columns(options_, Merged::no, form_of(options_, done.volumes));
        io::TableWriter table(table_file(task.stats, outputs), io::table_format(task.stats), names_of(columns));
        for (const LabelledVolume& v : done.volumes) add_rows(v, options_, columns, table);
        table.finish();
        if (!task.sidecar.empty()) write_sidecar(task.stats, columns, outputs, bids_entry(done.volumes.front(), options_));
    }

    void write_side_tables(const InputTask& task, io::OutputFiles& outputs, const LabelledInput& done) const {
        const SideTableForm form{Merged::no, form_of(options_, done.volumes)};
        SideTableWriters tables(task.side_tables, options_, form, outputs);
        for (const LabelledVolume& v : done.volumes) tables.add(v);
        tables.finish();
    }

    /// The summary is the last output of an input, so that it exists only beside complete outputs.
    void write_summary(const std::string& path, io::OutputFiles& outputs, const LabelledInput& done, const StageTimes& times) const {
        Provenance summary(options_, choice_, threads_);
        summary.add(done);
        write_text(path, summary.text(times), outputs);
    }

    static void write_text(const std::string& path, const std::string& text, io::OutputFiles& outputs) {
        if (path == "-") return print_result(text);
        io::OutputFile& file = outputs.create(path);
        file.write(text);
        file.close();
    }

    void do_input(std::size_t index, ThreadPool& pool, StageClock& clock) {
        const std::string& input = inputs_[index];
        if (!several_) return take(label_input(input, outputs_, pool, clock));
        std::optional<LabelledInput> done;
        std::optional<Failure> failure;
        try {
            io::OutputFiles outputs(overwrite_of(options_), files_read_);
            done = label_input(input, outputs, pool, clock);
            reporter_.warnings(outputs.publish());
        } catch (...) {
            ErrorMessage error = current_error(input);
            // Programs of FSL take the output as the second argument.
            const bool may_be_output = index == 1 && inputs_.size() == 2 && options_.list.empty() && nothing_asked_;
            if (error.exit == ExitCode::no_input && may_be_output) error.remedy += ", or name an output with -o";
            failure = {input, error.text(), error.exit};
            print_error(error, options_.messages.format);
        }
        if (!turnstile_.enter(std::int64_t(index))) return;
        if (concurrency_.inputs > 1) seconds_of_inputs_ += clock.times().seconds;
        if (failure) {
            ++failed_;
            provenance_.add(*failure);
        } else {
            take(done);
        }
        progress_.update("volumes", std::int64_t(index) + 1, std::int64_t(inputs_.size()));
        turnstile_.pass();
    }

    /// Adds the results of an input to the tables and the summary. Must be called in the order of the inputs, by one thread at a time.
    /// @param done nothing if the input was skipped
    void take(const std::optional<LabelledInput>& done) {
        ++(done ? labelled_ : skipped_);
        if (!done) return;
        for (const LabelledVolume& v : done->volumes) {
            note_results(v);
            note_lengths(v);
            if (merged_table_) add_rows(v, options_, merged_columns_, *merged_table_);
            merged_side_tables_->add(v);
            if (nothing_asked_) print_result(v.job.input + ": " + counted(v.selection.count, "component") + "\n");
        }
        if (summarised_) provenance_.add(*done);
    }

    void write_summary_of_all() {
        for (const FileRecord& record : records_of(outputs_)) provenance_.add_output(record);
        clock_.end(&StageSeconds::table);
        write_text(options_.json, provenance_.text(clock_.times()), outputs_);
    }

    StageClock clock_;
    StageSeconds seconds_of_inputs_;  // if several are processed at the same time
    const LabelOptions& options_;
    const std::vector<std::string> inputs_;
    const bool several_;              // more than one input, or --list
    const bool merged_, summarised_;  // one table, one summary for all inputs
    const bool nothing_asked_;        // no output is given; the counts are printed to stdout
    const Concurrency concurrency_;
    const int threads_;
    const Choice choice_;
    DeviceShares devices_;
    const std::shared_ptr<const io::FileSet> files_read_;
    ReadRecords read_records_;
    io::OutputFiles outputs_;  // outputs of the run; with several inputs, each input also has its own io::OutputFiles
    Reporter reporter_;
    ProgressBar progress_;
    Provenance provenance_;
    ThresholdRule threshold_;
    std::vector<TableColumn> merged_columns_;
    std::optional<io::TableWriter> merged_table_;
    std::optional<SideTableWriters> merged_side_tables_;
    OutputClaims claims_;
    std::once_flag threads_noted_;
    std::set<ResultNote> noted_;
    bool lengths_noted_ = false;
    Turnstile turnstile_;
    std::int64_t labelled_ = 0, skipped_ = 0, failed_ = 0;  // numbers of inputs
};

}  // namespace

int run_label(const LabelOptions& options) {
    const StageClock clock;
    if (options.max_memory) io::limit_process_memory(*options.max_memory);
    set_default_isa(options.isa.value_or(best_isa()));
    const std::vector<std::string> inputs = all_inputs(options.inputs, options.list);
    check_bids_dataset(options, inputs);
    if (options.run == LabelOptions::Run::dry_run) return print_plan(options, inputs);
    const OutputPaths paths = output_paths(options, inputs);
    io::NewFolders folders;
    prepare_folders(options, paths, folders);
    return Batch(options, inputs, paths, clock).run();
}

}  // namespace voxcc
