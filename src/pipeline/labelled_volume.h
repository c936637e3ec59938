// The results for one volume. Each stage returns a struct of its own, and label_volume() puts them together:
//
//   open_volume()         DescribedVolume      from the headers and the options
//   label_foreground()    LabelledComponents   all components
//   select_components()   Selection            the components that are kept, and their final numbers
//   measure_components()  MeasuredComponents   the values of the kept components
//   write_outputs()       WrittenVolumes       the types of the volumes that are written
#pragma once
#include <voxcc/connectivity.h>
#include <voxcc/contacts.h>
#include <voxcc/foreground.h>
#include <voxcc/label.h>
#include <voxcc/shape.h>
#include <voxcc/threads.h>
#include "src/pipeline/chosen_volume.h"
#include "src/pipeline/image_values.h"
#include "src/pipeline/inside_voxels.h"
#include "src/pipeline/naming.h"
#include "src/pipeline/preview/packed_picture.h"
#include "src/pipeline/shape_values.h"
#include "src/pipeline/stages.h"
#include "src/pipeline/volume_outputs.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace voxcc {

/// One volume to label, and the paths of its outputs. An empty path means no such output.
struct VolumeJob {
    std::string input;  // as on the command line
    ChosenVolume image;
    std::optional<std::int64_t> volume;                               // its number, if the input chooses a list of volumes
    VolumePaths volumes;                                              // of its own
    std::string preview;                                              // of its own
    VolumePaths series = {};                                          // files that hold all volumes of the input
    std::int64_t place = 0;                                           // among these volumes, from 0 on
    FilesBeside beside = {};                                          // that are read for the input
    std::vector<ListedCell> cells = {};                               // of the input: see BatchInput
    enum class Tile : std::uint8_t { none, draw } tile = Tile::none;  // of the sheet that --preview names
    VolumePaths all_volumes() const {
        VolumePaths all = volumes;
        all.insert(series.begin(), series.end());
        return all;
    }
};

/// A volume as its headers and the options describe it. Part of the result of open_volume().
struct DescribedVolume {
    io::VolumeInfo info;
    Units units = Units::mm;  // of the tables
    Connectivity connectivity = Connectivity::c26;
    std::optional<Axis> slices;            // the axis of --per-slice
    Extent faces;                          // axes without faces (slices, periodic) have extent 1
    std::array<std::int64_t, 3> period{};  // see period_of()
};

/// All components of a volume, before selection, and what was found while the volume was read. Part of the result of label_foreground().
/// The rows of the tables are in the order of the first voxels of the components.
struct LabelledComponents {
    std::shared_ptr<MemoryLimit> memory;  // the tables below count their bytes in it; null: unlimited
    ForegroundRule rule;
    Axis engine_slices = Axis::z;  // how the axes of the engine are exchanged: see VolumeBits
    SumTable sums;                 // in the axes of the engine
    std::vector<std::uint64_t> source_values;
    std::function<std::uint64_t(std::size_t row)> source_value;  // of a row of `sums`. Empty: they are in source_values
    std::optional<ShapeTable> shape;                             // in the axes of the engine
    /// The shape of a component with a final number. Empty: it is in `shape`
    std::function<CountedShape(std::uint64_t label)> shape_of;
    std::uint64_t foreground = 0;         // voxels of all components
    std::int64_t nan_voxels = 0;          // voxels of the image that are NaN, and therefore background
    std::int64_t nan_voxels_of_mask = 0;  // 0 without a mask
    bool has_other_values = false;        // values other than 0 and 1, if the run looks for them: see SampledValues
    bool joins_labels = false;            // see SampledValues::shows_joined_labels()
    std::vector<std::string> warnings;    // of the file of the image, after all voxels were read
    std::uint64_t count() const { return sums.size(); }
};

/// The values of the components that are kept, by final number. Result of measure_components().
struct MeasuredComponents {
    std::vector<VoxelIndex> inside;                  // by final number - 1; empty without --inside
    std::vector<MeasuredImage> images;               // of --intensity, by the numbers before --keep
    std::vector<std::uint64_t> numbers_before_keep;  // by final number - 1; empty: --keep has dropped no component
    std::uint64_t number_in_images(std::uint64_t label) const {
        return numbers_before_keep.empty() ? label : numbers_before_keep[label - 1];
    }
    /// The values of the images of --intensity in a component. Empty: they are in `images`
    std::function<std::vector<ImageValues>(std::uint64_t label, const std::optional<World>& world, const Wrapping& wrapping)> image_values;
    std::vector<LabelContact> contacts;  // of --contacts
};

/// The volumes that are written, and the tile of the volume. Result of write_outputs().
struct WrittenVolumes {
    std::map<io::Content, ScalarType> types;
    std::optional<preview::PackedPicture> tile;
};

/// The results for one labelled volume, without its voxels: the input of the table and the summary. Result of label_volume(). The members
/// are in the order of the stages.
struct LabelledVolume {
    VolumeJob job;
    DescribedVolume described;
    LabelledComponents labelled;
    Selection selection;
    MeasuredComponents measured;
    WrittenVolumes written;
    StageSeconds seconds;
};

}  // namespace voxcc
