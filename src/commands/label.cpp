// `voxcc label`: labels one volume or a batch of volumes.
#include <voxcc/threads.h>
#include "io/sandbox.h"
#include "io/table.h"
#include "src/commands/bids_dataset.h"
#include "src/commands/common_tables.h"
#include "src/commands/earlier_run.h"
#include "src/commands/failed_inputs.h"
#include "src/commands/input_volumes.h"
#include "src/commands/label_notes.h"
#include "src/commands/label_plan.h"
#include "src/commands/overwrite.h"
#include "src/commands/written_records.h"
#include "src/errors/exit_codes.h"
#include "src/messages/text_file.h"
#include "src/pipeline/channel_images.h"
#include "src/pipeline/current_error.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/input.h"
#include "src/pipeline/input_list.h"
#include "src/pipeline/interruption.h"
#include "src/pipeline/label_colours.h"
#include "src/pipeline/label_table.h"
#include "src/pipeline/level.h"
#include "src/pipeline/naming.h"
#include "src/pipeline/preview_sheet.h"
#include "src/pipeline/sidecar.h"
#include "src/pipeline/turnstile.h"
#include "src/provenance/provenance.h"

#include <algorithm>
#include <mutex>
#include <set>

namespace voxcc {
namespace {

LabelOptions without_inputs(LabelOptions options) {
    options.inputs.clear();
    return options;
}

std::shared_ptr<const io::FileSet> files_read_by(const LabelOptions& o) {
    std::vector<std::set<std::string>> companions;  // of all inputs, per option
    for (const BatchInput& input : o.inputs) {
        const std::vector<std::string> own = files_beside(o, input).paths();
        companions.resize(own.size());
        for (std::size_t i = 0; i < own.size(); ++i) companions[i].insert(own[i]);
    }
    std::vector<std::string> read = input_names(o.inputs);
    read.push_back(o.threshold_from);
    for (const std::set<std::string>& paths : companions) read.insert(read.end(), paths.begin(), paths.end());
    return files_read(read, {file_of_list(o.list), o.config}, o.input);
}

/// One run of `voxcc label`. Several threads may process inputs at the same time. The results are added to tables and summary in the order
/// of the inputs.
class Batch {
public:
    /// @param clock runs since the start of the command. @param interruption null for one input
    Batch(const LabelOptions& options, const OutputPaths& paths, const StageClock& clock, Interruption* interruption)
        : interruption_(interruption),
          clock_(clock),
          options_(options),
          without_inputs_(without_inputs(options)),
          inputs_(options.inputs),
          tiles_(paths.tiles),
          several_(has_several_inputs(options)),
          summarised_(!options.json.empty() && is_common_output(options.json, options)),
          nothing_asked_(std::ranges::all_of(output_names(options), [](const NamedFile& output) { return output.name.empty(); })),
          concurrency_(concurrency(options)),
          threads_(std::max(1, (options.threads ? options.threads : available_threads()) / concurrency_.volumes())),
          choice_(choose(options, threads_, [this] { return voxels_of(options_); })),
          devices_(choice_.device, concurrency_.volumes(), choice_.during_start),
          files_read_(files_read_by(options)),
          read_records_(options),
          failed_inputs_(options.failed, overwrite_of(options.existing), files_read_),
          outputs_(overwrite_of(options.existing), files_read_),
          reporter_(options.messages),
          notes_(options),
          progress_(options.messages),
          provenance_(options, choice_, threads_) {
        check_outputs(paths);
    }

    int run() {
        announce();
        if (several_) progress_.begin_batch(std::int64_t(inputs_.size()), concurrency_.inputs);
        threshold_ = fixed_threshold(options_);
        const InterruptionResponse response(interruption_, [this](int signal) { stop_early(signal); });
        do_inputs();
        response.wait_if_requested();
        devices_.require_started();
        finish(ExitCode::ok);
        if (several_ && !is_interrupted()) notes_.end_of_batch({labelled_, skipped_, failed_inputs_.count()});
        return int(failed_inputs_.count() > 0 ? ExitCode::differs : ExitCode::ok);
    }

private:
    /// Checks the outputs before any volume is read. Starts the tables of all inputs.
    void check_outputs(const OutputPaths& paths) {
        refuse_inputs_as_outputs(options_, paths, outputs_);
        claims_.add(bids_description(options_), "--bids");
        if (summarised_) claims_.add(options_.json, "--json");
        if (summarised_ && options_.json != "-") outputs_.check(options_.json);
        claims_.add(options_.failed, "--failed");
        failed_inputs_.check();
        for (const std::string& path : paths.sheet) claims_.add(path, "--preview"), outputs_.check(path);
        if (!paths.sheet.empty()) sheet_.emplace(options_.preview, tile_names(inputs_), outputs_);
        common_tables_.emplace(options_, claims_, outputs_);
        notes_.several_sheets(paths.sheet);
    }

    void do_inputs() {
        if (concurrency_.inputs == 1) {
            ThreadPool pool(threads_);
            notes_.missing_threads(pool, threads_);
            StageClock clock = clock_;
            for (std::size_t i = 0; i < inputs_.size(); ++i) do_input(i, pool, clock);
            return;
        }
        clock_.end(&StageSeconds::start);
        ThreadPool workers(concurrency_.inputs);
        workers.for_each(std::int64_t(inputs_.size()), [&](std::int64_t i) {
            try {
                ThreadPool pool(threads_);
                notes_.missing_threads(pool, threads_);
                StageClock clock;
                do_input(std::size_t(i), pool, clock);
            } catch (...) {
                turnstile_.fail();  // otherwise the inputs that wait for their turn would never continue
                throw;
            }
        });
    }

    /// Finishes and publishes the outputs of all inputs together. After an interruption, these outputs have the bytes that a run with the
    /// complete inputs alone writes (in the picture, names can have more folders). Does nothing at later calls. Thread-safe. @param ended
    /// why an input has not passed the turnstile
    void finish(ExitCode ended) {
        const std::lock_guard lock(finish_mutex_);
        if (std::exchange(finished_, true)) return;
        for (std::size_t i = 0; i < inputs_.size(); ++i)
            if (!passed_[i]) add(i, {inputs_[i].name, inputs_[i].name + ": is not complete, because the run was interrupted", ended});
        common_tables_->finish();
        if (sheet_) sheet_->finish();
        if (labelled_ + skipped_ > 0) write_bids_description(options_, outputs_);
        if (summarised_) write_summary_of_all();
        publish();
        reporter_.warnings(failed_inputs_.write(inputs_.size(), options_.list_columns));
    }

    /// The response to an interruption: completes the inputs that are being published, and the outputs of all complete inputs.
    void stop_early(int signal) {
        try {
            if (!turnstile_.close()) return;
            finish(ExitCode(128 + signal));
            notes_.interruption(labelled_ + skipped_, inputs_.size());
        } catch (...) {
            print_error(current_error("voxcc"), options_.messages.format);
        }
    }

    bool is_interrupted() const { return interruption_ && interruption_->requested(); }

    void add(std::size_t index, const Failure& failure) {
        provenance_.add(failure);
        failed_inputs_.add(inputs_[index], failure.error);
    }

    /// Publishes the outputs if at least one input succeeded. The next run would refuse to overwrite an empty table.
    void publish() {
        if (labelled_ + skipped_ > 0) return reporter_.warnings(outputs_.publish());
        if (!nothing_asked_ && !is_interrupted()) reporter_.warning("every input failed, so no output file is written");
    }

    void announce() const {
        const std::string text = "device: " + choice_.text + (choice_.why.empty() ? "" : " (" + choice_.why + ")");
        if (choice_.devices == Choice::Devices::several) reporter_.note(text);
        else reporter_.detail(text);
    }

    void claim_outputs(const InputTask& task) {
        for (const std::string& path : task.texts()) claims_.add(path, task.input.name);
        for (const auto& [path, content] : task.volumes()) claims_.add(path, task.input.name);
        for (const VolumeJob& job : task.jobs) claims_.add(job.preview, task.input.name);
    }

    /// With --skip-existing, compares the input with the summary of an earlier run.
    EarlierRun earlier_run_of(const InputTask& task) {
        EarlierRun earlier = compare_with_earlier_run(task, options_, read_records_);
        const VolumePaths volumes = task.jobs.front().all_volumes();
        const std::string& output = !volumes.empty() ? volumes.begin()->second : !task.stats.empty() ? task.stats : task.json;
        if (earlier.is_up_to_date()) reporter_.note(task.input.name + " is skipped: " + output + " is complete and up to date");
        else reporter_.detail(task.input.name + " is labelled: " + earlier.difference);
        return earlier;
    }

    /// @return nothing if the input is skipped
    std::optional<LabelledInput> label_input(const BatchInput& input, io::OutputFiles& outputs, ThreadPool& pool, StageClock& clock) {
        const StageTimes before = several_ ? clock.times() : StageTimes{};
        progress_.begin_input(input.name);
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
        const LabelOptions own = options_for(without_inputs_, task, tiles_);
        RunContext context{own,
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
        notes_.missing_colour_tables(done);
        if (!task.stats.empty()) write_table(task, outputs, done);
        write_side_tables(task, outputs, done);
        if (!task.sheet.empty()) write_sheet(task, outputs, done);
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
        const TableForm form = form_of(options_, done.volumes);
        const std::vector<TableColumn> columns = label_columns(options_, Merged::no, form);
        ComponentOutput table(task.stats, outputs, columns, label_extras(options_, Merged::no, form));
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

    static void write_sheet(const InputTask& task, io::OutputFiles& outputs, const LabelledInput& done) {
        PreviewSheet sheet(task.sheet.front(), tile_names({task.input}), outputs);
        sheet.add(done.volumes, 0);
        sheet.finish();
    }

    /// The summary is the last output of an input, so that it exists only beside complete outputs.
    void write_summary(const std::string& path, io::OutputFiles& outputs, const LabelledInput& done, const StageTimes& times) const {
        Provenance summary(options_, choice_, threads_);
        summary.add(done);
        write_text(path, summary.text(times), outputs);
    }

    void do_input(std::size_t index, ThreadPool& pool, StageClock& clock) {
        const BatchInput& input = inputs_[index];
        const auto number = std::int64_t(index);
        if (is_interrupted()) return;
        std::optional<LabelledInput> done;
        std::optional<Failure> failure;
        if (several_) {
            bool arrived = false;
            try {
                io::OutputFiles outputs(overwrite_of(options_.existing), files_read_);
                done = label_input(input, outputs, pool, clock);
                arrived = turnstile_.arrive(number);
                if (!arrived) return;
                reporter_.warnings(outputs.publish());
            } catch (...) {
                // The signal of an interruption can also have ended the process that reads the file.
                if (!arrived && (is_interrupted() || !turnstile_.arrive(number))) return;
                failure = failure_of(index);
            }
            if (!turnstile_.enter(number)) return;
        } else {
            done = label_input(input, outputs_, pool, clock);
        }
        if (concurrency_.inputs > 1) clock_.add(clock.times().seconds);
        else clock_ = clock;
        passed_[index] = true;
        if (failure) add(index, *failure);
        else take(done);
        if (sheet_ && failure) sheet_->add_failed(index);
        else if (sheet_) sheet_->add(done->volumes, index);  // with one picture of all inputs, no input is skipped
        progress_.end_input();
        turnstile_.pass();
    }

    /// Must be called in a catch block. Prints the error of an input. @return the error
    Failure failure_of(std::size_t index) const {
        ErrorMessage error = current_error(inputs_[index].name);
        // Programs of FSL take the output as the second argument.
        const bool may_be_output = index == 1 && inputs_.size() == 2 && options_.list.empty() && nothing_asked_;
        if (error.exit == ExitCode::no_input && may_be_output) error.remedy += ", or name an output with -o";
        print_error(error, options_.messages.format);
        return {inputs_[index].name, error.text(), error.exit};
    }

    /// Adds the results of an input to the tables and the summary. Must be called in the order of the inputs, by one thread at a time.
    /// @param done nothing if the input was skipped
    void take(const std::optional<LabelledInput>& done) {
        ++(done ? labelled_ : skipped_);
        if (!done) return;
        for (const LabelledVolume& v : done->volumes) {
            notes_.results(v);
            common_tables_->add(v);
            if (nothing_asked_) print_result(v.job.input + ": " + counted(v.selection.count, "component") + "\n");
        }
        if (summarised_) provenance_.add(*done);
    }

    void write_summary_of_all() {
        for (const FileRecord& record : records_of(outputs_)) provenance_.add_output(record);
        clock_.end(&StageSeconds::table);
        write_text(options_.json, provenance_.text(clock_.times()), outputs_);
    }

    Interruption* const interruption_;  // may be null
    StageClock clock_;                  // holds the times of the inputs that have passed
    const LabelOptions& options_;
    const LabelOptions without_inputs_;  // is copied per input
    const std::vector<BatchInput>& inputs_;
    const std::size_t tiles_;   // of the picture of all inputs
    const bool several_;        // more than one input, or --list
    const bool summarised_;     // one summary for all inputs
    const bool nothing_asked_;  // no output is given; the counts are printed to stdout
    const Concurrency concurrency_;
    const int threads_;
    const Choice choice_;
    DeviceShares devices_;
    const std::shared_ptr<const io::FileSet> files_read_;
    ReadRecords read_records_;
    FailedInputs failed_inputs_;
    io::OutputFiles outputs_;  // outputs of the run; with several inputs, each input also has its own io::OutputFiles
    Reporter reporter_;
    LabelNotes notes_;
    ProgressBar progress_;
    Provenance provenance_;
    ThresholdRule threshold_;
    OutputClaims claims_;
    std::optional<CommonTables> common_tables_;
    std::optional<PreviewSheet> sheet_;  // the picture of all inputs
    Turnstile turnstile_;
    std::vector<bool> passed_ = std::vector<bool>(inputs_.size());  // by input
    std::mutex finish_mutex_;
    bool finished_ = false;                    // guarded by finish_mutex_
    std::int64_t labelled_ = 0, skipped_ = 0;  // numbers of inputs
};

}  // namespace

int run_label(const LabelOptions& typed) {
    const StageClock clock;
    if (typed.max_memory) io::limit_process_memory(*typed.max_memory);
    set_default_isa(typed.isa.value_or(best_isa()));
    check_names(typed);
    check_bids_dataset(typed);
    const LabelOptions options = with_channel_images(typed);
    if (options.run == LabelOptions::Run::dry_run) return print_plan(options);
    const OutputPaths paths = output_paths(options);
    io::NewFolders folders;
    prepare_folders(options, paths, folders);
    std::optional<Interruption> interruption;
    if (has_several_inputs(options)) interruption.emplace();
    return Batch(options, paths, clock, interruption ? &*interruption : nullptr).run();
}

}  // namespace voxcc
