// Runs the steps of all requested tests and reports the progress.
#include "bench/evaluations/bench.h"

#include "bench/evaluations/plan.h"

namespace voxcc::bench {
void run(const Options& options, const std::string& version, const std::vector<Volume>& inputs, const Sink& out, const Listener& listener) {
    for (const Test test : {Test::density, Test::granularity, Test::properties, Test::model})
        if (options.tests.contains(test) && !(inputs.empty() && options.volumes.empty()))
            throw Error(ErrorKind::invalid_argument, "--tests",
                        std::string(name_of(test)) + " makes volumes of its own; leave files and --volumes out");
    const bool by_phase = options.tests.contains(Test::steps) || options.tests.contains(Test::properties);
    Machine machine(options.device, options.threads, by_phase ? Timing::each : Timing::outermost, options.relabel);
    Origin origin = machine.origin();
    origin.version = version;
    Recorder recorder(out, origin, options.relabel == Relabel::scan ? "relabel=scan" : "");
    const Bench bench{options, inputs, machine, recorder, listener.note};
    std::vector<Step> steps;
    for (const auto plan : {plan_times, plan_memory, plan_properties})
        for (Step& step : plan(bench)) steps.push_back(std::move(step));
    if (steps.empty())
        throw Error(ErrorKind::invalid_argument, "bench",
                    "none of the algorithms does that; see 'voxcc algorithms' for connectivities and devices");
    std::int64_t total = 0, done = 0;
    for (const Step& step : steps) total += step.work;
    for (const Step& step : steps) step.run([&](std::int64_t work) { listener.progress(done += work, total); });
}

}  // namespace voxcc::bench
