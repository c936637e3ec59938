// Labels one volume: reads, labels, measures, selects and writes.
#pragma once
#include "io/files/checked_file.h"
#include "src/messages/progress.h"
#include "src/messages/report.h"
#include "src/options/threshold.h"
#include "src/pipeline/device.h"
#include "src/pipeline/labelled_volume.h"
#include "src/pipeline/read_pace.h"

namespace voxcc {

class SeriesFiles;

/// The parts of a run that all volumes of an input share.
struct RunContext {
    const LabelOptions& options;
    const ThresholdRule& threshold;  // see fixed_threshold()
    const Choice& choice;
    DeviceShares& devices;  // of choice.device
    ThreadPool& pool;
    int volumes;           // number of volumes that are processed at the same time, including this one
    int volumes_of_input;  // the largest number of volumes of one input among them
    io::OutputFiles& outputs;
    const Reporter& reporter;
    ProgressBar& progress;
    StageClock& clock;
    ReadPace* pace;                 // null if no checksum is computed during the run
    SeriesFiles* series = nullptr;  // files that hold all volumes of the input; null: such files are not written
};

/// Loads, labels, measures, selects, and writes the volumes and the preview into `outputs` (not published) and `series`.
/// @throw Error of any kind; its subject is a file or an option
LabelledVolume label_volume(const VolumeJob& job, RunContext& context);

}  // namespace voxcc
