// `voxcc label`: labels one volume or a batch of volumes.
#include <voxcc/machine.h>
#include <voxcc/turnstile.h>
#include "io/table.h"
#include "src/commands/label_outputs.h"
#include "src/messages/exit_codes.h"
#include "src/messages/program_error.h"
#include "src/messages/provenance.h"
#include "src/pipeline/current_error.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/input.h"
#include "src/pipeline/label_table.h"
#include "src/pipeline/naming.h"
#include "src/pipeline/plan.h"

#include <algorithm>
#include <map>

namespace voxcc {
namespace {

io::Overwrite overwrite_of(const LabelOptions& o) {
    return o.existing == LabelOptions::Existing::overwrite ? io::Overwrite::allow : io::Overwrite::refuse;
}

std::shared_ptr<const io::FileSet> files_read_by(const LabelOptions& o, std::vector<std::string> inputs) {
    inputs.insert(inputs.end(), {o.mask, o.intensity});
    return files_read(inputs, {o.list, o.config}, o.input);
}

/// The number of voxels of all volumes, from their headers. Leaves out inputs that cannot be opened; do_input() reports them.
std::int64_t voxels_of(const std::vector<std::string>& inputs, const LabelOptions& options) {
    std::int64_t voxels = 0;
    for (const std::string& input : inputs) {
        try {
            for (const VolumeJob& job : jobs_for(input, options)) voxels += open_job(job, options.input)->info().extent.voxels();
        } catch (const Error&) {
            continue;
        }
    }
    return voxels;
}

/// The number of inputs that are processed at the same time.
int in_flight(const LabelOptions& options, const std::vector<std::string>& inputs) {
    return int(std::clamp<std::int64_t>(options.jobs, 1, std::max<std::int64_t>(1, std::int64_t(inputs.size()))));
}

/// One run of `voxcc label`. Several threads may process inputs at the same time. The results are added to tables and summary in the order
/// of the inputs.
class Batch {
public:
    Batch(const LabelOptions& options, std::vector<std::string> inputs, const OutputPaths& paths)
        : options_(options),
          inputs_(std::move(inputs)),
          several_(inputs_.size() > 1 || !options.list.empty()),
          merged_(several_ && options.stats.find("{stem}") == std::string::npos),
          nothing_asked_(options.output.empty() && options.stats.empty() && options.json.empty() && options.preview.empty()),
          jobs_(in_flight(options, inputs_)),
          threads_(std::max(1, (options.threads ? options.threads : available_threads()) / jobs_)),
          choice_(choose(options, threads_, [this] { return voxels_of(inputs_, options_); })),
          files_read_(files_read_by(options, inputs_)),
          outputs_(overwrite_of(options), files_read_),
          reporter_(options.messages),
          progress_(options.messages),
          provenance_(options, choice_, threads_) {
        check_outputs(paths);
    }

    int run() {
        announce();
        if (jobs_ == 1) {
            ThreadPool pool(threads_);
            note_missing_threads(pool);
            for (std::size_t i = 0; i < inputs_.size(); ++i) do_input(i, pool);
        } else {
            ThreadPool workers(jobs_);
            workers.for_each(std::int64_t(inputs_.size()), [&](std::int64_t i) {
                try {
                    ThreadPool pool(threads_);
                    note_missing_threads(pool);
                    do_input(std::size_t(i), pool);
                } catch (...) {
                    turnstile_.fail();  // otherwise the inputs that wait for their turn would never continue
                    throw;
                }
            });
        }
        if (merged_table_) merged_table_->finish();
        if (!options_.json.empty()) write_summary();
        publish();
        return int(failed_ ? ExitCode::differs : ExitCode::ok);
    }

private:
    /// Checks the outputs before any volume is read. Starts the table of all inputs.
    void check_outputs(const OutputPaths& paths) {
        refuse_inputs_as_outputs(options_, paths, outputs_);
        claim(options_.json, "--json");
        if (!options_.json.empty() && options_.json != "-") outputs_.check(options_.json);
        if (options_.stats.empty()) return;
        io::table_format(options_.stats);
        if (!merged_) return;
        claim(options_.stats, "--stats");
        if (options_.stats != "-") outputs_.check(options_.stats);
        merged_columns_ = label_columns(options_, Merged::yes);
        merged_table_.emplace(table_file(options_.stats, outputs_), io::table_format(options_.stats), component_columns(merged_columns_));
    }

    /// Publishes the outputs if at least one input succeeded. The next run would refuse to overwrite an empty table.
    void publish() {
        if (succeeded_) return outputs_.publish();
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

    /// Records that `claimant`, an input or an option, writes to `target`. Two inputs with the same stem can have the same output. A
    /// missing folder is not an error here; outputs.check() reports it. Thread-safe.
    /// @throw Error invalid_argument if another claimant writes to the same file
    void claim(const std::string& target, const std::string& claimant) {
        const auto place = io::file_place(target);
        if (target.empty() || target == "-" || !place) return;
        std::lock_guard lock(claims_mutex_);
        const auto [at, is_new] = claims_.emplace(*place, claimant);
        if (!is_new)
            throw ProgramError(ErrorKind::invalid_argument, claimant, "would write '" + target + "', as '" + at->second + "' does",
                               "rename one of them, or use different names of outputs");
    }

    std::vector<LabelledVolume> label_input(const std::string& input, io::OutputFiles& outputs, ThreadPool& pool) {
        const std::vector<VolumeJob> jobs = jobs_for(input, options_);
        const std::string stats = merged_ ? "" : expand(options_.stats, input, std::nullopt);
        claim(stats, input);
        if (!stats.empty() && stats != "-") outputs.check(stats);
        for (const VolumeJob& job : jobs) {
            claim(job.output, input), claim(job.preview, input);
            if (!job.output.empty()) io::check_label_output(job.output, options_.compress, outputs);
            if (!job.preview.empty()) outputs.check(job.preview);
        }
        std::vector<LabelledVolume> volumes;
        RunContext context{options_, choice_, pool, jobs_, outputs, reporter_, progress_};
        for (const VolumeJob& job : jobs) {
            volumes.push_back(label_volume(job, context));
            const LabelledVolume& v = volumes.back();
            reporter_.detail(input + ": " + text_of(v.info.extent) + ", " + counted(v.components, "component") + ", " +
                             std::to_string(v.selection.count) + " kept");
        }
        if (!stats.empty()) {
            const ExtraColumns columns = label_columns(options_, Merged::no);
            io::TableWriter table(table_file(stats, outputs), io::table_format(stats), component_columns(columns));
            for (const LabelledVolume& v : volumes) add_rows(v, options_, columns, table);
            table.finish();
        }
        return volumes;
    }

    void do_input(std::size_t index, ThreadPool& pool) {
        const std::string& input = inputs_[index];
        if (!several_) return take(label_input(input, outputs_, pool));
        std::vector<LabelledVolume> volumes;
        std::optional<Failure> failure;
        try {
            io::OutputFiles outputs(overwrite_of(options_), files_read_);
            volumes = label_input(input, outputs, pool);
            outputs.publish();
        } catch (...) {
            ErrorMessage error = current_error(input);
            // Programs of FSL take the output as the second argument.
            const bool may_be_output = index == 1 && inputs_.size() == 2 && options_.list.empty() && nothing_asked_;
            if (error.exit == ExitCode::no_input && may_be_output) error.remedy += ", or name an output with -o";
            failure = {input, error.text(), error.exit};
            print_error(error, options_.messages.format);
        }
        if (!turnstile_.enter(std::int64_t(index))) return;
        if (failure) {
            failed_ = true;
            provenance_.add(*failure);
        } else {
            take(std::move(volumes));
        }
        progress_.update("volumes", std::int64_t(index) + 1, std::int64_t(inputs_.size()));
        turnstile_.pass();
    }

    /// Adds the results of an input to the tables and the summary. Must be called in the order of the inputs, by one thread at a time.
    void take(const std::vector<LabelledVolume>& volumes) {
        succeeded_ = true;
        for (const LabelledVolume& v : volumes) {
            if (merged_table_) add_rows(v, options_, merged_columns_, *merged_table_);
            if (!options_.json.empty()) provenance_.add(v);
            if (nothing_asked_) print_result(v.job.input + ": " + counted(v.selection.count, "component") + "\n");
        }
    }

    void write_summary() {
        const std::string text = provenance_.text();
        if (options_.json == "-") return print_result(text);
        io::OutputFile& file = outputs_.create(options_.json);
        file.write(text);
        file.close();
    }

    const LabelOptions& options_;
    const std::vector<std::string> inputs_;
    const bool several_, merged_;  // several_: more than one input, or --list; merged_: one table for all inputs
    const bool nothing_asked_;     // no output is given; the counts are printed to stdout
    const int jobs_, threads_;
    const Choice choice_;
    const std::shared_ptr<const io::FileSet> files_read_;
    io::OutputFiles outputs_;  // outputs of the run; with several inputs, each input also has its own io::OutputFiles
    Reporter reporter_;
    ProgressBar progress_;
    Provenance provenance_;
    ExtraColumns merged_columns_;
    std::optional<io::TableWriter> merged_table_;
    std::map<io::FilePlace, std::string> claims_;  // output -> the input or option that writes it
    std::mutex claims_mutex_;
    std::once_flag threads_noted_;
    Turnstile turnstile_;
    bool failed_ = false, succeeded_ = false;  // whether at least one input has failed, has succeeded
};

int dry_run(const LabelOptions& options, const std::vector<std::string>& inputs) {
    const int threads = options.threads ? options.threads : available_threads();
    const Choice choice = choose(options, threads, [&] { return voxels_of(inputs, options); });
    nlohmann::ordered_json summary{{"device", name_of(choice.device)},
                                   {"algorithm", choice.algorithm->name},
                                   {"threads", threads},
                                   {"volumes", nlohmann::ordered_json::array()}};
    std::int64_t most = 0;
    std::optional<ProgramError> refusal;
    const int jobs = in_flight(options, inputs);
    for (const std::string& input : inputs)
        for (const VolumeJob& job : jobs_for(input, options)) {
            VolumePlan volume = plan(options, choice, job, threads, jobs);
            if (!refusal) refusal = std::move(volume.refusal);
            summary["volumes"].push_back(std::move(volume.json));
            most = std::max(most, summary["volumes"].back()["memory_bytes"].get<std::int64_t>());
        }
    summary["memory_bytes"] = most * jobs;
    print_result(summary.dump(2) + "\n");
    if (refusal) throw *refusal;
    return int(ExitCode::ok);
}

}  // namespace

int run_label(const LabelOptions& options) {
    const std::vector<std::string> inputs = all_inputs(options);
    if (options.run == LabelOptions::Run::dry_run) return dry_run(options, inputs);
    const OutputPaths paths = output_paths(options, inputs);
    io::NewFolders folders;
    prepare_folders(options, paths, folders);
    return Batch(options, inputs, paths).run();
}

}  // namespace voxcc
