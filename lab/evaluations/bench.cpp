// Runs the steps of all requested tests, or of the experiments of a paper, and reports the progress.
#include "lab/evaluations/bench.h"

#include "lab/evaluations/experiments.h"
#include "lab/evaluations/plan.h"

#include <memory>

namespace voxcc::bench {
namespace {

void check_volumes(const Options& options, const std::vector<Volume>& inputs) {
    for (const Test test : {Test::density, Test::granularity, Test::properties, Test::model})
        if (options.tests.contains(test) && !inputs.empty())
            throw Error(ErrorKind::invalid_argument, "--tests", std::string(name_of(test)) + " makes volumes of its own; leave files out");
    for (const Test test : {Test::properties, Test::model})
        if (options.tests.contains(test) && !options.volumes.empty())
            throw Error(ErrorKind::invalid_argument, "--tests",
                        std::string(name_of(test)) + " makes volumes of its own; leave --volumes out");
    for (const Test test : {Test::memory, Test::properties, Test::model})
        if (options.tests.contains(test) && options.criteria != std::vector{Criterion{}})
            throw Error(ErrorKind::invalid_argument, "--criterion", "cannot be given with --tests " + std::string(name_of(test)));
}

RunSettings settings_of(const Options& options) {
    const bool by_phase = options.tests.contains(Test::steps) || options.tests.contains(Test::properties);
    return {by_phase ? Timing::each : Timing::outermost, options.allocation, options.relabel};
}

/// The machines of a bench. Trials with the same device and settings share a machine.
class Machines {
public:
    Machine& with(const Options& options) {
        const RunSettings settings = settings_of(options);
        for (const Entry& entry : entries_)
            if (name_of(entry.device) == name_of(options.device) && entry.threads == options.threads && entry.settings == settings)
                return *entry.machine;
        entries_.push_back(
            {options.device, options.threads, settings, std::make_unique<Machine>(options.device, options.threads, settings)});
        return *entries_.back().machine;
    }

private:
    struct Entry {
        Device device;
        int threads;
        RunSettings settings;
        std::unique_ptr<Machine> machine;
    };
    std::vector<Entry> entries_;
};

/// The parameters of all rows that are measured with these options: "experiment=allegretti/table2 relabel=scan allocation=fresh". Defaults
/// are not written. Only runs on one CUDA device can allocate in two ways.
std::string parameters_of(const Options& options) {
    std::string parameters;
    const auto add = [&](const std::string& parameter) { parameters += (parameters.empty() ? "" : " ") + parameter; };
    if (!options.experiment.empty()) add("experiment=" + options.experiment);
    if (options.relabel == Relabel::scan) add("relabel=scan");
    const bool one_gpu = options.device.kind == Device::Kind::cuda && options.device.numbers.size() == 1;
    if (one_gpu && options.allocation == Allocation::fresh) add("allocation=fresh");
    return parameters;
}

/// A run with one set of options.
struct Session {
    Options options;
    Machine& machine;
    Bench bench;
    std::vector<Step> steps;

    Session(Options of_session, const std::vector<Volume>& inputs, Machines& machines, Recorder& recorder, const Listener& listener)
        : options(std::move(of_session)), machine(machines.with(options)), bench{options, inputs, machine, recorder, listener.note} {
        for (const auto plan : {plan_times, plan_memory, plan_properties})
            for (Step& step : plan(bench)) steps.push_back(std::move(step));
    }
    Session(const Session&) = delete;  // the steps refer to the members
    Session& operator=(const Session&) = delete;
};

}  // namespace

void run(const Options& options, const std::string& version, const std::vector<Volume>& inputs, const Sink& out, const Listener& listener) {
    if (options.action == Options::Action::list) {
        out(list_of_experiments(options));
        return;
    }
    if (options.paper.empty() && !options.items.empty())
        throw Error(ErrorKind::invalid_argument, "--item", "needs --paper", "--paper, too");
    std::vector<PlannedTrial> trials{{options, Source::either}};
    if (!options.paper.empty()) trials = planned_trials(options, inputs.size(), listener.note);
    const std::vector<Volume> none;
    Machines machines;
    Recorder recorder(out);
    std::vector<std::unique_ptr<Session>> sessions;
    std::int64_t total = 0, done = 0;
    for (PlannedTrial& trial : trials) {
        const std::vector<Volume>& volumes = trial.source == Source::generated ? none : inputs;
        check_volumes(trial.options, volumes);
        sessions.push_back(std::make_unique<Session>(std::move(trial.options), volumes, machines, recorder, listener));
        for (const Step& step : sessions.back()->steps) total += step.work;
        if (!sessions.back()->steps.empty()) continue;
        if (!options.paper.empty())
            listener.note(sessions.back()->options.experiment + " is left out in part: its algorithms or volumes are not possible here");
        sessions.pop_back();
    }
    if (sessions.empty() && !options.paper.empty())
        throw Error(ErrorKind::invalid_argument, "--paper", "none of the items can run with these options and files",
                    "files, or another item");
    if (sessions.empty())
        throw Error(ErrorKind::invalid_argument, "bench",
                    "none of the algorithms does that; see 'voxcc algorithms' for connectivities and devices");
    for (const auto& session : sessions) {
        Origin origin = session->machine.origin();
        origin.version = version;
        recorder.begin(origin, parameters_of(session->options));
        for (const Step& step : session->steps) step.run([&](std::int64_t work) { listener.progress(done += work, total); });
    }
}

}  // namespace voxcc::bench
