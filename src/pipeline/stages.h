// Wall-clock time of the stages of a run.
#pragma once
#include <voxcc/label.h>
#include <voxcc/threads.h>

#include <array>
#include <string_view>

namespace voxcc {

/// Seconds per stage, in the order of the stages. pack, unite, number and measure are the phases of the labelling.
struct StageSeconds {
    double start = 0;  // before the first input: names, checks of outputs, choice of the device
    double open = 0;   // headers, and the level of otsu and percentiles
    double hold = 0;   // reading into memory, for exchanged axes and holes
    double pack = 0;   // reading the voxels, and the memory of the labelling
    double unite = 0;
    double number = 0;
    double measure = 0;
    double shape = 0;  // measuring the shape of the components
    double select = 0;
    double intensity = 0;  // measuring the intensity images
    double contacts = 0;
    double write = 0;  // label volume and preview
    double close = 0;  // releasing memory and files
    double table = 0;
    double hash = 0;  // waiting for the checksums, and comparing with an earlier run
    bool operator==(const StageSeconds&) const = default;
};

struct Stage {
    std::string_view name;
    double StageSeconds::*seconds;
};

inline constexpr std::array<Stage, 15> stages{{{"start", &StageSeconds::start},
                                               {"open", &StageSeconds::open},
                                               {"hold", &StageSeconds::hold},
                                               {"pack", &StageSeconds::pack},
                                               {"unite", &StageSeconds::unite},
                                               {"number", &StageSeconds::number},
                                               {"measure", &StageSeconds::measure},
                                               {"shape", &StageSeconds::shape},
                                               {"select", &StageSeconds::select},
                                               {"intensity", &StageSeconds::intensity},
                                               {"contacts", &StageSeconds::contacts},
                                               {"write", &StageSeconds::write},
                                               {"close", &StageSeconds::close},
                                               {"table", &StageSeconds::table},
                                               {"hash", &StageSeconds::hash}}};

inline StageSeconds& operator+=(StageSeconds& to, const StageSeconds& more) {
    for (const Stage& stage : stages) to.*stage.seconds += more.*stage.seconds;
    return to;
}
inline StageSeconds operator-(StageSeconds from, const StageSeconds& less) {
    for (const Stage& stage : stages) from.*stage.seconds -= less.*stage.seconds;
    return from;
}

/// The stages of a period, and its length in seconds.
struct StageTimes {
    StageSeconds seconds;
    double elapsed = 0;
};
inline StageTimes operator-(const StageTimes& end, const StageTimes& begin) {
    return {end.seconds - begin.seconds, end.elapsed - begin.elapsed};
}

/// Gives all time since its construction to stages, without gaps. The clock runs from the end of one stage to the end of the next. So the
/// seconds of all stages together are the elapsed time.
// 1 s, end(&open), 2 s, end(&select)  ->  open 1, select 2, elapsed 3
class StageClock {
public:
    /// Gives the time since the end of the last stage to `stage`.
    void end(double StageSeconds::*stage) { times_.seconds.*stage += lap(); }
    /// Gives the time since the end of the last stage to the phases of a labelling, and the rest of this time to `pack`.
    void end_labelling(const Seconds& phases) {
        StageSeconds& seconds = times_.seconds;
        seconds.unite += phases.unite;
        seconds.number += phases.number;
        seconds.measure += phases.measure;
        seconds.pack += lap() - phases.unite - phases.number - phases.measure;
    }
    /// Adds the stages that other clocks have measured since the end of the last stage.
    void add(const StageSeconds& seconds) {
        lap();
        times_.seconds += seconds;
    }
    /// The times from the construction to the end of the last stage.
    const StageTimes& times() const { return times_; }

private:
    double lap() {
        const double seconds = watch_.lap();
        times_.elapsed += seconds;
        return seconds;
    }
    Stopwatch watch_;
    StageTimes times_;
};

}  // namespace voxcc
