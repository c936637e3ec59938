// Labels one volume: reads, labels, measures, selects and writes.
#pragma once
#include <voxcc/connectivity.h>
#include <voxcc/contacts.h>
#include <voxcc/foreground.h>
#include <voxcc/label.h>
#include <voxcc/shape.h>
#include <voxcc/threads.h>
#include "io/files/checked_file.h"
#include "src/messages/progress.h"
#include "src/messages/report.h"
#include "src/options/threshold.h"
#include "src/pipeline/chosen_volume.h"
#include "src/pipeline/device.h"
#include "src/pipeline/image_values.h"
#include "src/pipeline/inside_voxels.h"
#include "src/pipeline/read_pace.h"
#include "src/pipeline/shape_values.h"
#include "src/pipeline/stages.h"
#include "src/pipeline/volume_outputs.h"

#include <memory>

namespace voxcc {

/// One volume to label, and the paths of its outputs. An empty path means no such output.
struct VolumeJob {
    std::string input;  // as on the command line
    ChosenVolume image;
    std::optional<std::int64_t> volume;  // its number, if the input chooses a list of volumes
    VolumePaths volumes;                 // of its own
    std::string preview;
    VolumePaths series = {};  // files that hold all volumes of the input
    std::int64_t place = 0;   // among these volumes, from 0 on
    VolumePaths all_volumes() const {
        VolumePaths all = volumes;
        all.insert(series.begin(), series.end());
        return all;
    }
};

/// The results for one labelled volume, without its voxels: the input of the table and the summary.
struct LabelledVolume {
    VolumeJob job;
    std::shared_ptr<MemoryLimit> memory;  // the tables below count their bytes in it; null: unlimited
    io::VolumeInfo info;
    Connectivity connectivity = Connectivity::c26;
    std::optional<Axis> slices;
    Units units = Units::mm;               // of the tables
    Extent faces;                          // axes without faces (slices, periodic) have extent 1
    std::array<std::int64_t, 3> period{};  // see period_of()
    Axis engine_slices = Axis::z;          // how the axes of the engine are exchanged: see VolumeBits
    ForegroundRule rule;
    SumTable sums;  // in the axes of the engine
    std::vector<std::uint64_t> source_values;
    std::function<std::uint64_t(std::size_t row)> source_value;  // of a row of `sums`. Empty: they are in source_values
    std::vector<bool> at_mask_border;                            // by row of `sums`; empty without --clear-mask-border
    Selection selection;
    std::vector<MeasuredImage> images;  // of --intensity, by final number
    std::vector<VoxelIndex> inside;     // by final number - 1; empty without --inside
    /// The values of the images of --intensity in a component. Empty: they are in `images`
    std::function<std::vector<ImageValues>(std::uint64_t label, const std::optional<World>& world, const Wrapping& wrapping)> image_values;
    std::optional<ShapeTable> shape;  // in the axes of the engine
    /// The shape of a component. Empty: it is in `shape`
    std::function<CountedShape(std::uint64_t label)> shape_of;
    std::vector<LabelContact> contacts;  // of --contacts, between final numbers
    Connectivity contact_connectivity = Connectivity::c26;
    std::map<io::Content, ScalarType> volume_types;  // of the volumes that are written
    std::uint64_t components = 0;                    // before selection
    std::uint64_t foreground = 0;                    // voxels of all components before selection
    std::int64_t nan_voxels = 0;                     // voxels of the image that are NaN, and therefore background
    std::int64_t nan_voxels_of_mask = 0;             // 0 without a mask
    bool has_other_values = false;                   // values other than 0 and 1, if the run looks for them: see SampledValues
    bool joins_labels = false;                       // see SampledValues::shows_joined_labels()
    StageSeconds seconds;
};

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
