// The options of all subcommands. The files in src/cli set them; src/commands has one file per subcommand, which uses them.
#pragma once
#include <voxcc/connectivity.h>
#include <voxcc/source.h>
#include <voxcc/threads.h>
#include <voxcc/volume.h>
#include "io/io.h"
#include "lab/interface/options.h"
#include "src/options/batch_input.h"
#include "src/options/units.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace voxcc {

enum class Progress { automatic, always, never };
enum class LogFormat { text, json };

/// The options for messages. src/messages uses them.
struct MessageOptions {
    Progress progress = Progress::automatic;
    LogFormat format = LogFormat::text;
    int verbosity = 1;  // 0: -q, errors only; 1: warnings and notes; 2: -v
};

/// The options for opening an input.
struct InputOptions {
    std::string dataset;
    std::string volume;                    // "", a 0-based number, or "all"
    std::optional<io::VoxelSize> spacing;  // replaces the size of the voxels in the file
    GridTolerance tolerance;               // of masks and intensity images
    io::ExternalFiles external = io::ExternalFiles::refuse;
    io::MissingChunks missing_chunks = io::MissingChunks::fill;
    io::Colours colours = io::Colours::refuse;
    io::ReaderChoice reader = io::ReaderChoice::automatic;
    std::optional<io::RawLayout> raw;  // the inputs have no header; empty: the files state their layout
};

enum class Sidecar : std::uint8_t { none, write };  // the description of the columns beside a table

/// An image whose values are measured in each component.
struct IntensityImage {
    std::string name;  // prefix of its columns: "ct" -> ct_mean; empty: intensity_mean
    std::string path;
};

/// The measurements of intensity images.
struct IntensityOptions {
    std::vector<IntensityImage> images;
    std::vector<double> percentiles;  // percentages, in the order of the columns
    std::string local_maxima;         // path of the table; empty: none
    Distance peak_distance;           // least distance of local maxima of a component
};

enum class SortOrder { raster, size };
enum class Polarity { foreground, background };  // --invert labels the background

/// Whether the columns of shapes are added to the table.
enum class Shape : std::uint8_t { skip, measure };

/// Whether the columns of a voxel inside the component are added to the table.
enum class Inside : std::uint8_t { skip, find };

/// The columns of a table.
struct TableChoice {
    std::vector<std::string> columns;  // names and groups of columns, in this order; empty: all
    int digits = 0;                    // significant digits of real numbers; 0: as many as the number needs
};

struct LabelOptions {
    std::vector<BatchInput> inputs;
    std::string list;                                             // file with more inputs: see add_list()
    std::vector<std::string> list_columns;                        // of this file, in its order; empty: it has names only
    std::string config;                                           // configuration file
    std::string output, masked_output, size_output, mask_output;  // paths of volumes; empty: no such output
    std::string stats, contacts, json, preview, lut;              // paths of other outputs
    std::string summary, failed;                                  // table of the volumes, list of the inputs that failed
    TableChoice table;                                            // of `stats`
    /// Colours inside a label volume of 8 bits.
    enum class ColourTable { none, store } colour_table = ColourTable::none;
    io::ZarrForm zarr;  // of Zarr outputs
    Sidecar sidecar = Sidecar::none;
    enum class Bids : std::uint8_t { none, write } bids = Bids::none;  // the dataset of BIDS: see bids_dataset.h
    std::string bids_folder;                                           // of this dataset
    std::optional<Units> units;                                        // of the tables; empty: the unit of the file
    int connectivity = 0;                                              // 4, 8, 6, 18, 26; 0: 26, or 8 in 2D
    std::optional<Axis> per_slice;
    std::string threshold;       // a rule of parse_threshold(); empty: see threshold_of()
    std::string seed_threshold;  // a rule; components without a voxel of the rule are dropped. Empty: all are kept
    std::string threshold_from;  // the file from which the level of the threshold is computed; empty: from each image
    Polarity polarity = Polarity::foreground;
    enum class Mode { binary, multilabel } mode = Mode::binary;
    std::optional<Bound> gradient;                         // connect voxels whose stored values differ by at most this
    std::optional<double> colour;                          // connect voxels whose colours differ by at most this
    enum class Signs { join, split } signs = Signs::join;  // split: positive and negative voxels never belong to one component
    std::string mask;
    IntensityOptions intensity;
    enum class Companions { of_each_input, shared } companions = Companions::of_each_input;  // mask and images of several inputs
    Shape shape = Shape::skip;
    Inside inside = Inside::skip;
    std::optional<SizeLimit> min_size, max_size;
    std::string keep;  // a condition on the columns of the table; empty: all components are kept
    std::optional<std::uint64_t> keep_largest;
    enum class Largest { of_all, of_each_value } largest = Largest::of_all;  // which components keep_largest compares
    SortOrder sort = SortOrder::raster;
    enum class Holes { keep, fill } holes = Holes::keep;
    std::optional<SizeLimit> max_hole;  // of holes that are filled
    enum class Border { keep, clear } border = Border::keep;
    Border mask_border = Border::keep;  // components that touch voxels outside the mask
    std::string periodic;               // the periodic axes, such as "xy"; empty: none
    std::optional<ScalarType> dtype;    // empty: auto
    std::string device = "auto", algorithm = "auto";
    std::optional<Isa> isa;                  // empty: auto
    int threads = 0;                         // 0: available_threads()
    std::optional<std::int64_t> max_memory;  // bytes
    InputOptions input;
    int compress = 1;  // 0..9
    int jobs = 1;      // number of inputs that are processed at the same time
    enum class Existing { refuse, overwrite } existing = Existing::refuse;
    enum class Completed { label, skip } completed = Completed::label;      // inputs that an earlier run has completed
    enum class Folders { must_exist, make } folders = Folders::must_exist;  // folders of the outputs
    enum class Run { label, dry_run } run = Run::label;
    std::vector<std::string> arguments;  // argv, for provenance
    MessageOptions messages;
    std::string preview_image;  // under the outlines of `preview`; empty: the first image of `intensity`, if there is one
};

/// The forms of the parts of a volume: cubes, or complete slices.
enum class PartShape : std::uint8_t { bricks, slabs };

/// The name of a table of `voxcc split`, which `voxcc relabel` will name.
inline constexpr const char* table_named_later = "table.csv";

struct SplitOptions {
    LabelOptions label;  // one input; `output` is not used, and tables are named later
    std::string plan;    // path of the plan
    PartShape shape = PartShape::bricks;
    std::optional<std::int64_t> part_size;  // voxels per edge of a brick, or slices of a slab; empty: a suitable size
};

/// The parts from `first` to `last`, inclusive.
struct PartRange {
    std::int64_t first = 0, last = 0;
};

/// The voxels that a step labels. A plan that fills holes has both rounds, the background first. Other plans have one.
enum class PartRound : std::uint8_t { foreground, background };

/// A step of the labelling of a volume in parts, after `voxcc split`.
struct PartOptions {
    std::string plan;                         // path
    std::string state, merged;                // folders
    PartRound round = PartRound::foreground;  // of the steps label and merge
    std::string holes;                        // folder of 'voxcc merge --background', for the step label; empty: no holes are filled
    std::string output, stats, contacts;      // of the last step
    std::optional<PartRange> parts;           // of the steps for single parts
    std::optional<ScalarType> dtype;          // of the label volume; empty: auto
    io::ZarrForm zarr;                        // of a Zarr label volume
    int compress = 1;                         // 0..9
    int threads = 0;                          // 0: available_threads()
    std::optional<Isa> isa;                   // empty: auto
    LabelOptions::Existing existing = LabelOptions::Existing::refuse;
    MessageOptions messages;
};

struct StatsOptions {
    std::string labels, output, contacts;
    std::string summary;  // table of the volumes
    std::string keep;     // as in LabelOptions
    TableChoice table;    // of `output`
    IntensityOptions intensity;
    Shape shape = Shape::skip;
    Inside inside = Inside::skip;
    int connectivity = 0;  // of the Euler number and the contacts; as in LabelOptions
    Sidecar sidecar = Sidecar::none;
    std::optional<Units> units;  // of the tables; empty: the unit of the file
    InputOptions input;
    std::optional<Isa> isa;  // empty: auto
    LabelOptions::Existing existing = LabelOptions::Existing::refuse;
    MessageOptions messages;
};

struct MapOptions {
    std::string labels, output;
    std::string table;         // of new numbers; empty: labels are united
    std::string merge, where;  // table of contacts, and the condition on its rows; empty: all rows
    enum class Missing : std::uint8_t { refuse, keep, zero } missing = Missing::refuse;  // labels that `table` does not have
    LabelOptions::Holes holes = LabelOptions::Holes::keep;                               // in the labels with their new numbers
    int connectivity = 0;                                                                // of labels with holes; 0: 26, in 2D 8
    std::optional<SizeLimit> max_hole;                                                   // of holes that are filled
    std::optional<std::int64_t> max_memory;                                              // bytes, to find holes; empty: the free memory
    std::optional<ScalarType> dtype;                                                     // empty: auto
    io::ZarrForm zarr;                                                                   // of a Zarr output
    int compress = 1;                                                                    // 0..9
    int threads = 0;                                                                     // 0: available_threads()
    InputOptions input;
    LabelOptions::Existing existing = LabelOptions::Existing::refuse;
    MessageOptions messages;
};

struct CompareOptions {
    std::string a, b;
    enum class Equality { partition, exact } equality = Equality::partition;
    InputOptions input;
    MessageOptions messages;
};

struct GenerateOptions {
    std::string kind, output;
    TestVolumeRecipe recipe;
    int compress = 1;
    io::ZarrForm zarr;
    LabelOptions::Existing existing = LabelOptions::Existing::refuse;
    MessageOptions messages;
};

enum class TextFormat { text, json };

struct InfoOptions {
    std::string path;
    TextFormat format = TextFormat::text;
    enum class Range { read, skip } range = Range::read;  // range of values; needs the complete volume
    InputOptions input;
    MessageOptions messages;
};

struct VerifyOptions {
    std::vector<std::string> paths;
    InputOptions input;
    MessageOptions messages;
};

struct BenchOptions {
    std::vector<std::string> inputs;
    bench::Options bench;
    InputOptions input;
    std::optional<Isa> isa;  // empty: auto
    LabelOptions::Existing existing = LabelOptions::Existing::refuse;
    MessageOptions messages;
};

struct ReportOptions {
    std::vector<std::string> tables;
    std::string images, labels, beside, provenance;  // paths or templates; empty: none
    std::string output, title;
    std::string summary;  // table of the volumes
    InputOptions input;
    LabelOptions::Existing existing = LabelOptions::Existing::refuse;
    MessageOptions messages;
};

struct JoinOptions {
    std::vector<std::string> tables;
    std::string list;  // file with the names of more tables
    std::string output, summary;
    std::string file = "{table}";  // cells of the column `file`, for tables without this column: {table} and {stem} are replaced
    LabelOptions::Existing existing = LabelOptions::Existing::refuse;
    MessageOptions messages;
};

struct AlgorithmsOptions {
    TextFormat format = TextFormat::text;
};

/// Run the subcommands: results go to stdout, messages to stderr. @return the exit code of the program. @throw Error
int run_label(const LabelOptions& options);
int run_split(const SplitOptions& options);
int run_label_parts(const PartOptions& options);
int run_merge(const PartOptions& options);
int run_relabel_parts(const PartOptions& options);
int run_finish_parts(const PartOptions& options);
int run_stats(const StatsOptions& options);
int run_map(const MapOptions& options);
int run_compare(const CompareOptions& options);
int run_generate(const GenerateOptions& options);
int run_info(const InfoOptions& options);
int run_verify(const VerifyOptions& options);
int run_algorithms(const AlgorithmsOptions& options);
int run_bench(const BenchOptions& options);
int run_report(const ReportOptions& options);
int run_join(const JoinOptions& options);

}  // namespace voxcc
