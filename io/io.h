// The interface through which src reads and writes volumes. Each format is implemented in its own files.
#pragma once
#include <voxcc/volume.h>
#include "io/codecs/encoded_block.h"
#include "io/format_details.h"
#include "io/length_unit.h"

#include <bit>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace voxcc::io {

struct KeptFiles;
class OutputFiles;

/// Transform from voxel indices to world positions, RAS+: rows x, y, z; columns i, j, k and the translation.
using Affine = std::array<std::array<double, 4>, 3>;

/// @return whether all numbers are finite and the three steps are linearly independent; other programs refuse other affines
bool is_invertible(const Affine& affine);

/// The size of the voxels: the steps along i, j and k.
struct VoxelSize {
    std::array<double, 3> steps{1, 1, 1};
    LengthUnit unit = LengthUnit::mm;
};

/// Position and size of the voxels, in the unit of the file. Without an affine, a position is index times spacing. Without affine and
/// spacing, the voxels have no known size.
// an ImageJ TIFF with "unit=micron"  ->  {.spacing = {0.26, 0.26, 0.29}, .unit = um, .source = "the metadata of ImageJ"}
struct Geometry {
    std::optional<Affine> affine{};                  // empty if the file has none; may be singular or NaN
    std::optional<std::array<double, 3>> spacing{};  // steps along i, j, k, NaN for a missing one; empty if the file has none
    std::optional<LengthUnit> unit{};                // of all lengths; empty: unknown, so that only their ratios have a meaning
    std::string source{};                            // where the file states them: "sform"; empty without affine and spacing
    std::vector<std::string> notes{};                // findings about size and unit, one line each; not for a size that the caller states
    bool has_size() const { return affine || spacing; }
};

/// value = stored * slope + intercept
struct Scaling {
    double slope = 1, intercept = 0;
    bool is_identity() const { return slope == 1 && intercept == 0; }
};

/// Base of format-specific header data, for a writer of the same format to copy. Each format derives its own struct.
struct NativeHeader {
    virtual ~NativeHeader() = default;
};

struct Dataset {  // a dataset of an HDF5 file, an array of an archive of NumPy arrays or of a Zarr store
    std::string path, type;
    std::vector<std::int64_t> shape;  // slowest axis first
};

/// An axis along which the volumes or the pages of a file are counted.
// an OME-TIFF with two channels  ->  {"C", 2, {"DAPI", "CD45"}, ""}
struct VolumeAxis {
    std::string name;  // "C" channels, "T" time points, "Z" slices
    std::int64_t size = 1;
    /// One per position: the text of the file, in UTF-8, and "" for a position without a name. Names can occur twice, and can have control
    /// characters. Empty if the file states no names.
    std::vector<std::string> positions = {};
    std::string ignored_names = {};  // why the names of the file are not in `positions`: "states 3 names for 4 channels"
};

/// @return the names of positions for a message: at most 20 names and about 500 bytes. Empty without names.
// {"DAPI", "", "CD45"}  ->  "DAPI, CD45"
std::string listed_names(const std::vector<std::string>& names);

/// The description of a file and of the volumes in it. It holds what all formats, or several of them, have.
struct VolumeInfo {
    std::string path;
    std::string format;       // "NIfTI-1", "NIfTI-2", "TIFF", "BigTIFF", "HDF5", "NRRD", "MetaImage", "NumPy", ...
    std::string compression;  // "gzip", "deflate", "lzw", ... or "none"
    Extent extent;
    ScalarType type = ScalarType::u8;     // as read_rows() returns them; bits become u8, float16 becomes f32
    std::string stored_type;              // in the file: "uint16", "bool", "float16"; colours: "uint8 x 3"
    int dimensions = 3;                   // 2 for a single slice; selects connectivity 4/8 or 6/18/26
    std::int64_t volumes = 1;             // 3D volumes in the file (time, channels)
    std::vector<VolumeAxis> volume_axes;  // axes of more than one volume, fastest first; empty for formats that do not name them
    std::vector<VolumeAxis> page_axes;    // axes that the metadata name, fastest first, with Z; empty for formats that do not name them
    int channels = 1;                     // 3 or 4: voxels are packed colours (Colours::pack)
    Scaling scaling;
    Geometry geometry;
    std::string dataset;                // path inside a file or store that can hold several volumes (HDF5, Zarr, .npz, VTK); else empty
    std::vector<Dataset> datasets;      // all datasets or arrays of this file or store
    std::vector<std::string> warnings;  // findings that are not errors, one line each
    FormatDetails details;              // what only one format has
    std::shared_ptr<const NativeHeader> native;
};

/// Zarr chunks, and strips and tiles of TIFF, that are not stored. fill: their voxels have the fill value, or 0, with a warning. refuse: an
/// error.
enum class MissingChunks : std::uint8_t { fill, refuse };

enum class ExternalFiles { refuse, allow };  // files named inside an input: detached data, HDF5 links, virtual datasets

/// Files whose voxels are colours of 3 or 4 channels. refuse: an error. pack: voxels are words, as Rule::colour needs them, with the first
/// channel in the lowest bits: u32 for channels of 8 bits, u64 for channels of 16 bits. PNG, JPEG and BMP only; others are refused.
enum class Colours { refuse, pack };

/// The reader of a file. automatic: voxcc's own reader, and ITK for the formats that only ITK reads. voxcc: the own reader only. itk: ITK,
/// and the own reader, if there is one, checks the file and compares the values.
enum class ReaderChoice { automatic, voxcc, itk };

enum class Samples : std::uint8_t { voxels, halves };  // voxels: of the type of the volume; halves: IEEE half precision, which becomes f32

/// The layout of a file without a header.
// uint16,512x512x300,big,offset=128  ->  {u16, Samples::voxels, {512, 512, 300}, 1, big, 128}
struct RawLayout {
    ScalarType type = ScalarType::u8;
    Samples samples = Samples::voxels;
    Extent extent;
    std::int64_t volumes = 1;
    std::endian byte_order = std::endian::little;
    std::int64_t offset = 0;  // bytes before the first voxel
};

/// How a file is opened. A run sets the options before the format of the file is known. Each format ignores options that do not concern it.
struct OpenOptions {
    std::string dataset{};                 // HDF5, Zarr; empty: the only dataset that can be a volume
    std::optional<std::int64_t> volume{};  // 0-based; required if the file holds several
    std::optional<VoxelSize> size{};       // replaces the size of the file; the directions of its axes remain
    ExternalFiles external = ExternalFiles::refuse;
    MissingChunks missing_chunks = MissingChunks::fill;
    Colours colours = Colours::refuse;
    ReaderChoice reader = ReaderChoice::automatic;
    std::optional<RawLayout> raw{};  // the file has no header; its content is not looked at
    /// For volumes that are read one after the other: see io/kept_files.h. Null: each reader decodes a compressed file from its start to
    /// its end, and reads all directories of a TIFF.
    std::shared_ptr<KeptFiles> kept{};
};

/// Consecutive voxels of one row, of VolumeInfo::type in host byte order.
struct RowPart {
    std::int64_t row = 0, x = 0, count = 0;  // voxels [x, x + count) of the row
    const std::byte* voxels = nullptr;       // aligned for their type; valid until the visitor returns
};
using PartVisitor = std::function<void(const RowPart&)>;

/// How a PartVisitor may be called: by one thread at a time, or by several threads at the same time. Calls at the same time never have the
/// same voxel, but may have neighbouring voxels of one row.
enum class Visits : std::uint8_t { in_turn, at_the_same_time };

/// A layer of chunks: rows whose chunks are decompressed together.
struct Layer {
    RowRange rows;
    std::int64_t bytes = 0;  // peak memory while the layer is read: one or two chunks, compressed and decompressed
};

/// An opened volume, read row by row. Not thread-safe; several readers may read the same file.
class VolumeReader {
public:
    virtual ~VolumeReader() = default;
    const VolumeInfo& info() const { return info_; }
    /// Reads rows into `to`, which must hold rows.count * nx voxels of info().type (host byte order). The first call must start at row 0,
    /// and each further call at the end of the last, until rewind(). Reading the last row includes all checks at the end of the file (CRC,
    /// length), which can add a warning to info().
    /// @throw Error about the content if the file is truncated or corrupt, io_error if reading fails
    virtual void read_rows(RowRange rows, std::byte* to) = 0;
    /// Whether read_rows() accepts ranges in any order, and several threads may call it at the same time: uncompressed files.
    virtual bool reads_anywhere() const { return false; }
    /// Returns to row 0.
    virtual void rewind() = 0;
    /// Replaces the geometry. Removes info().native, because this header states the geometry of the file, and writers would copy it.
    void place(Geometry geometry) {
        info_.geometry = std::move(geometry);
        info_.native.reset();
    }
    /// Promises that the voxels are read once, by this reader only. A reader of a pipe then keeps no copy of them. Must be called before
    /// the first row is read.
    virtual void read_once() {}
    /// Decompresses on up to this number of threads from now on. The reader must be at row 0. Formats that cannot do this ignore it.
    virtual void use_threads(int /*threads*/) {}
    /// Memory that use_threads() adds, in bytes; 0 if the reader would ignore it.
    virtual std::int64_t bytes_for_threads(int /*threads*/) const { return 0; }
    /// Number of rows that is cheapest to read at once (depth of a chunk, height of a strip). Smaller reads can be slower.
    virtual std::int64_t rows_per_read() const { return 1; }
    /// The layer that contains `row`, for volumes stored in chunks; empty for other volumes. A caller that keeps less than the voxels
    /// (bits, a histogram) then needs memory for one chunk, not for a row of chunks. No layer has more rows than the first.
    virtual std::optional<Layer> layer_of(std::int64_t /*row*/) const { return {}; }
    /// Calls `visit` with the voxels of a layer from layer_of(), each exactly once and in any order. Layers may be read in any order.
    /// @param visits the calls that `visit` supports. A reader may visit in turn although `visit` supports more
    /// @throw Error as read_rows(), and errors of `visit`; internal if the volume has no layers
    virtual void read_layer(RowRange /*layer*/, const PartVisitor& /*visit*/, Visits /*visits*/) {
        throw Error(ErrorKind::internal, info_.path, "this format has no layers");
    }

protected:
    friend std::unique_ptr<VolumeReader> open_volume(const std::string& path, const OpenOptions& options);  // completes info_
    VolumeInfo info_;
};

/// @return how the numbers of the volumes follow from the positions on the axes; empty without axes
// {{"C", 2}, {"T", 3}}  ->  "t * 2 + c"
std::string volume_order(const std::vector<VolumeAxis>& axes);

/// @return whether a volume can have this path: a file or folder exists, or the path is a template such as "s%04d.tif" without ']' at its
/// end
bool is_volume_path(const std::string& path);

/// Opens a volume of any format. The content decides on the format, then the name. Reads headers only, and compares their sizes with the
/// length of the file before it allocates memory.
/// @param path a file, a folder of numbered slices or of one DICOM series, a template such as "s%04d.tif", or a pipe ("-" for stdin)
/// @throw Error missing_file, no_permission, about the content, several_volumes, several_datasets, unsupported_by_reader
std::unique_ptr<VolumeReader> open_volume(const std::string& path, const OpenOptions& options = {});

/// Describes a file without choosing a volume: `extent` is the extent of one volume, `volumes` their number, `datasets` all datasets.
/// If a dataset, or one of several volumes of different sizes (DICOM), must be chosen, extent is 0 x 0 x 0; else of the chosen or only one.
/// @throw Error as open_volume, but never for a missing choice
VolumeInfo describe_volume(const std::string& path, const OpenOptions& options = {});

/// Compares metadata that a file holds twice: the consolidated metadata of Zarr groups at the chosen dataset and above it. Other formats
/// hold no metadata twice. @return warnings about metadata that cannot be compared
/// @throw Error invalid_file if they differ; as open_volume()
std::vector<std::string> verify_metadata(const std::string& path, const OpenOptions& options = {});

/// Lists the files that a run would read for `path`, sorted, with `path` itself: the slices of a folder or template, both files of a pair,
/// the data of a detached header. @return only `path` if the volume cannot be read
std::vector<std::string> files_of_volume(const std::string& path, const OpenOptions& options = {});

/// Lists the label types that the format of `path` supports, smallest first. NIfTI: u8, i16, i32.
/// @throw Error unknown_format if the extension is not a writable format, cannot_create if `path` is a folder without '/' at its end
std::vector<ScalarType> label_types(const std::string& path);

/// Finds the smallest of label_types(path) that holds the labels 0..count. @throw Error labels_too_large if none does
ScalarType smallest_label_type(const std::string& path, std::uint64_t count);

/// Finds the smallest unsigned type that a volume of `path` can have and that holds the sizes 0..largest, in voxels.
/// @throw Error labels_too_large if none does
ScalarType smallest_size_type(const std::string& path, std::uint64_t largest);

/// What the voxels of a volume state: the label of their component, the value of another volume, the size of their component, or whether
/// they belong to a component.
enum class Content : std::uint8_t { labels, values, sizes, mask };

/// Whether a volume of `path` can store values with this scaling, so that a reader finds the same scaled values.
// "a.nii", {0.5, -10} -> true; "a.tif", {0.5, -10} -> false
bool stores_scaling(const std::string& path, const Scaling& scaling);

/// Whether a volume of `path` can have input values of this type as its voxels.
// "a.mgz", f64 -> false
bool stores_values(const std::string& path, ScalarType type);

/// Whether a file `path` can hold several volumes.
// "a.nii.gz" -> true; "slices/" -> false
bool holds_several_volumes(const std::string& path);

/// Lists the files that create_label_volume() creates for `path`, including companion files. For numbered slices, whose number is not known
/// yet, it lists the existing slices.
/// @throw Error unknown_format if the format is not writable
std::vector<std::string> files_of_label_volume(const std::string& path, int compress, Content content = Content::labels);

/// Checks before any work whether create_label_volume() can write to `path`.
/// @throw Error unknown_format, cannot_create, no_permission
void check_label_output(const std::string& path, int compress, const OutputFiles& outputs, Content content = Content::labels);
/// The checks for which the extent must be known: of the name of each numbered slice. @throw Error as check_label_output()
void check_label_files(const std::string& path, const Extent& extent, const OutputFiles& outputs, Content content = Content::labels);

using Colour = std::array<std::uint8_t, 3>;  // red, green, blue

/// Whether a label volume of `path` can have a table of colours: TIFF, and its numbered slices.
bool stores_colours(const std::string& path);

/// The form of a Zarr output.
struct ZarrForm {
    /// The metadata of OME-Zarr. automatic: the version of the image that gets the labels, or 0.5. none: an array without OME-Zarr.
    enum class Ngff : std::uint8_t { automatic, v0_4, v0_5, none } ngff = Ngff::automatic;
    /// How a voxel of the next smaller level is chosen from a block of voxels. automatic: mode for labels, nearest for other contents.
    /// mode: the most frequent value; of several, a value that is not 0, then the smallest. nearest: the first. none: one level only.
    enum class Pyramid : std::uint8_t { automatic, mode, nearest, none } pyramid = Pyramid::automatic;
    bool operator==(const ZarrForm&) const = default;
};

/// Whether `path` is the name of a Zarr output: a folder such as "a.zarr", or labels in an image such as "a.zarr/labels/cells".
bool is_zarr_output(const std::string& path);

/// The folder that must exist before a volume is written. The folder "labels" of an image is made.
// "out/a.nii" -> "out"; "a.zarr/labels/cells" -> "a.zarr"
std::string folder_of_label_volume(const std::string& path);

/// Description of a label volume to write, or of a volume with other content. `like` supplies the geometry and, for the same format, the
/// header to copy.
struct LabelVolume {
    std::string path;
    ScalarType type = ScalarType::u32;  // Content::values may have any type
    const VolumeInfo* like = nullptr;   // must outlive the writer; its extent is the extent of the label volume
    int compress = 1;                   // 0..9
    Content content = Content::labels;
    Scaling scaling = {};      // of Content::values; must be the identity unless stores_scaling()
    std::int64_t volumes = 1;  // in the file, each of the extent of `like`; must be 1 unless holds_several_volumes()
    /// Its largest voxel, from which TIFF files have their display range; empty: the writer looks for it, except in numbered slices.
    std::optional<std::uint64_t> largest = {};
    std::vector<Colour> colours = {};  // of the values 0 to 255; for u8 and stores_colours() only; empty: no table
    ZarrForm zarr = {};                // of Zarr outputs only
    int threads = 1;                   // that finish() may use
};

/// Computes the bytes of one block of raw labels. A thread that encodes a block holds these bytes and the encoded result.
/// @throw Error unknown_format if the format is not writable
std::int64_t label_block_bytes(const LabelVolume& volume);

/// Writes a label volume block by block. Any thread may encode; one thread must append the blocks in order, unless
/// order_free(). Any thread may write plain blocks. The blocks of the volumes of a file follow each other, and no block has rows of two
/// volumes.
// 2 volumes of 10 rows, 4 rows per block  ->  blocks 0 to 5; the blocks 2 and 5 have the rows 8 and 9 of their volumes
class LabelWriter {
public:
    virtual ~LabelWriter() = default;
    std::int64_t blocks_per_volume() const { return (rows_ + rows_per_block_ - 1) / rows_per_block_; }
    std::int64_t blocks() const { return volumes_ * blocks_per_volume(); }
    /// The rows of a block, counted in its volume.
    RowRange rows_of(std::int64_t block) const {
        const std::int64_t first = block % blocks_per_volume() * rows_per_block_;
        return {first, rows_per_block_ < rows_ - first ? rows_per_block_ : rows_ - first};
    }
    /// Compresses a block. @param raw labels of rows_of(block) in host byte order. Thread-safe.
    virtual EncodedBlock encode(std::int64_t block, std::span<const std::byte> raw) const = 0;
    /// Appends a block; the calls must be made for block 0, 1, 2, ... in order, one at a time, unless order_free(). @throw Error io_error
    virtual void append(std::int64_t block, const EncodedBlock& encoded) = 0;
    /// Whether append() is thread-safe, and the calls may be made in any order: each block has files of its own.
    virtual bool order_free() const { return false; }
    /// Whether the file stores the labels without compression, each block at a known offset. Then write_plain() may be called for every
    /// block in place of encode() and append().
    virtual bool stores_plain() const { return false; }
    /// Writes a block at its offset. Must be called once per block, in any order. Thread-safe. @throw Error io_error, disk_full
    /// @param raw labels of rows_of(block) in host byte order
    virtual void write_plain(std::int64_t block, std::span<const std::byte> raw);
    /// Completes the temporary file, checks and syncs it; must be called once after the last block. OutputFiles::publish() renames it.
    virtual void finish() = 0;

protected:
    LabelWriter(const LabelVolume& volume, std::int64_t rows_per_block)
        : rows_(volume.like->extent.rows()), rows_per_block_(rows_per_block), volumes_(volume.volumes) {}
    std::int64_t rows_, rows_per_block_;  // of a volume
    std::int64_t volumes_;
};

/// Creates a writer. `volume.like` and `outputs` must outlive it.
/// @throw Error cannot_create, no_permission, unsupported_label_type
std::unique_ptr<LabelWriter> create_label_volume(const LabelVolume& volume, OutputFiles& outputs);

}  // namespace voxcc::io
