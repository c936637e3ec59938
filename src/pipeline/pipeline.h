// The way of one volume through the program, from reader to writer.
#pragma once
#include <voxcc/connectivity.h>
#include <voxcc/foreground.h>
#include <voxcc/intensity.h>
#include <voxcc/select.h>
#include <voxcc/threads.h>
#include "io/checked_file.h"
#include "src/cli/options.h"
#include "src/messages/progress.h"
#include "src/messages/report.h"
#include "src/pipeline/device.h"

namespace voxcc {

/// One volume to label, and where its label volume and preview go (empty: nowhere).
struct VolumeJob {
    std::string input;
    std::optional<std::int64_t> volume;  // of a file that holds several
    std::string output, preview;
};

struct StageSeconds {  // wall clock; open contains finding the level of otsu and percentiles
    double open = 0, hold = 0, pack = 0, unite = 0, number = 0, measure = 0, select = 0, intensity = 0, write = 0;
};

/// All that is known of a labelled volume once its voxels are gone: enough for table and summary.
struct LabelledVolume {
    VolumeJob job;
    io::VolumeInfo info;
    Connectivity connectivity = Connectivity::c26;
    std::optional<Axis> slices;
    Extent faces;  // axes without faces (slices, periodic) have extent 1
    ForegroundRule rule;
    SumTable sums;  // in the axes of the engine
    std::vector<std::uint64_t> source_values;
    Selection selection;
    std::optional<IntensitySums> intensity;  // by final number
    io::Scaling intensity_scaling;
    ScalarType label_type = ScalarType::u8;  // of the label volume, if one was written
    std::uint64_t components = 0;            // before selection
    std::uint64_t foreground = 0;            // voxels of all components before selection
    StageSeconds seconds;
};

struct RunContext {
    const LabelOptions& options;
    const Choice& choice;
    ThreadPool& pool;
    int volumes;  // in flight, this one included
    io::OutputFiles& outputs;
    const Reporter& reporter;
    ProgressBar& progress;
};

/// Loads, labels, measures, selects, and writes the label volume and preview into `outputs` (not published).
/// @throw Error by blame
LabelledVolume label_volume(const VolumeJob& job, RunContext& context);

}  // namespace voxcc
