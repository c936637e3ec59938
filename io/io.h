// All that src may call to read and write volumes. One file a format behind it.
#pragma once
#include <voxcc/volume.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace voxcc::io {

class OutputFiles;

/// World position in mm, RAS+: rows x, y, z; columns i, j, k and the translation.
using Affine = std::array<std::array<double, 4>, 3>;

/// Whether positions in mm exist, and other programs can load it: all numbers finite, no step a combination of the others.
bool is_invertible(const Affine& affine);

/// Where the voxels lie. Without an affine, positions are index times spacing; without a spacing, that is 1.
struct Geometry {
    std::optional<Affine> affine;                  // only if the file has one; may be singular or NaN where the format keeps it so
    std::optional<std::array<double, 3>> spacing;  // mm a step along i, j, k; only if the file has one
};

/// The value of a voxel is stored * slope + intercept.
struct Scaling {
    double slope = 1, intercept = 0;
    bool is_identity() const { return slope == 1 && intercept == 0; }
};

/// Bytes of a format's own header, for a writer of the same format to copy bit by bit. Each format derives its own.
struct NativeHeader {
    virtual ~NativeHeader() = default;
};

struct Dataset {  // a volume inside a container (HDF5)
    std::string path, type;
    std::vector<std::int64_t> shape;  // slowest axis first
};

struct VolumeInfo {
    std::string path;
    std::string format;       // "NIfTI-1", "NIfTI-2", "TIFF", "BigTIFF", "HDF5", "NRRD", "MetaImage", ...
    std::string compression;  // "gzip", "deflate", "lzw", ... or "none"
    Extent extent;
    ScalarType type = ScalarType::u8;  // as read_rows gives them; stored bits become u8, float16 float32
    std::string stored_type;           // as in the file: "uint16", "bool", "float16"
    int dimensions = 3;                // 2 for an image of one slice: decides whether 4/8 or 6/18/26 is meant
    std::int64_t volumes = 1;          // 3D volumes in the file (time, channels)
    Scaling scaling;
    Geometry geometry;
    std::string dataset;                // path inside the container, if it has such
    std::vector<Dataset> datasets;      // everything there is in the container
    std::vector<std::string> warnings;  // what is odd but not wrong, one line each
    std::shared_ptr<const NativeHeader> native;
};

enum class ExternalFiles { refuse, allow };  // files that a file names: detached data, HDF5 links and virtual datasets

struct OpenOptions {
    std::string dataset{};                           // HDF5; empty: the only volume in the file
    std::optional<std::int64_t> volume{};            // 0-based; needed where a file holds several
    std::optional<std::array<double, 3>> spacing{};  // mm, replaces the file's
    ExternalFiles external = ExternalFiles::refuse;
};

/// Voxels of one row, of VolumeInfo::type in host byte order.
struct RowPart {
    std::int64_t row = 0, x = 0, count = 0;  // `count` voxels from column x on
    const std::byte* voxels = nullptr;       // aligned as their type; valid until the visitor returns
};
using PartVisitor = std::function<void(const RowPart&)>;

/// A layer of chunks: the rows that are unpacked together.
struct Layer {
    RowRange rows;
    std::int64_t bytes = 0;  // held at most while it is read: a chunk or two, packed and unpacked
};

/// An opened volume, handed over row by row. Not thread-safe; several readers may read one file.
class VolumeReader {
public:
    virtual ~VolumeReader() = default;
    const VolumeInfo& info() const { return info_; }
    /// Copies rows into `to` (count * nx voxels of info().type, host byte order). Ranges ascend without gaps from row 0 or the last
    /// rewind(). Handing over the last row includes every check that only the end of the file allows (CRC, length).
    /// @throw Error bad_data if the file is not whole, io_error if reading fails.
    virtual void read_rows(RowRange rows, std::byte* to) = 0;
    /// Starts again at row 0.
    virtual void rewind() = 0;
    /// Rows that are cheapest to ask for at once (a chunk's depth, a strip); a divisor is never asked for.
    virtual std::int64_t rows_per_read() const { return 1; }
    /// The layer that holds `row`, where a volume is stored in chunks that can be handed over one by one: whoever keeps less than the
    /// voxels (their bits, a histogram) then needs memory for a chunk, not for whole rows of chunks. Nothing where there are rows only.
    /// No layer has more rows than the first.
    virtual std::optional<Layer> layer_of(std::int64_t /*row*/) const { return {}; }
    /// Hands over the voxels of a layer_of(), each once and in any order. Layers may be asked for in any order.
    /// @throw Error as read_rows, what `visit` throws; internal where there are no layers
    virtual void read_layer(RowRange /*layer*/, const PartVisitor& /*visit*/) {
        throw Error(ExitCode::internal, info_.path, "this format has no layers");
    }

protected:
    VolumeInfo info_;
};

/// Opens any format, recognised by content first and name second. Reads headers only; claims of the header are checked
/// against the file's length before anything is allocated.
/// @param path a file, a folder of numbered slices or a DICOM series, or a template such as "s%04d.tif"
/// @throw Error no_input, no_permission, bad_data (not whole, not understood), usage (a choice is needed: --volume, --dataset)
std::unique_ptr<VolumeReader> open_volume(const std::string& path, const OpenOptions& options = {});

/// What open_volume(path) would give, also where a choice is missing: `extent` is that of one volume, `volumes` their number,
/// `datasets` all there are (extent and type are those of the only or the chosen one; an extent of 0 if there is no such).
/// @throw Error as open_volume, but never usage for a missing choice
VolumeInfo describe_volume(const std::string& path, const OpenOptions& options = {});

/// The files that `path` stands for, sorted, `path` itself among them: the slices of a folder or template, both files of a pair, the data
/// of a detached header. Lists what would be read; a volume that cannot be read gives what is known of it.
std::vector<std::string> files_of_volume(const std::string& path, const OpenOptions& options = {});

/// Types a label volume can have in the format of `path`, smallest first (NIfTI: u8, i16, i32 ...).
/// @throw Error usage if the extension names no format that can be written, cannot_create if `path` is a folder without '/' at its end
std::vector<ScalarType> label_types(const std::string& path);

/// The smallest of label_types(path) that holds the labels 0..count.
/// @throw Error bad_data if none does.
ScalarType smallest_label_type(const std::string& path, std::uint64_t count);

/// The files that create_label_volume() makes for `path`, its companion included. Of numbered slices, whose number is not known yet:
/// those that exist.
/// @throw Error usage (no format)
std::vector<std::string> files_of_label_volume(const std::string& path, int compress);

/// Throws at once, before any work, what create_label_volume() would throw for such a path later.
/// @throw Error usage (no format), cannot_create, no_permission
void check_label_output(const std::string& path, int compress, const OutputFiles& outputs);

/// What label volume to write. `like` gives geometry and, in the same format, the header to copy.
struct LabelVolume {
    std::string path;
    ScalarType type = ScalarType::u32;
    const VolumeInfo* like = nullptr;  // outlives the writer; its extent is the label volume's
    int compress = 1;                  // 0..9
};

/// Bytes of the labels of a block of create_label_volume()'s writer. A thread that encodes one holds these and what becomes of them.
/// @throw Error usage (no format)
std::int64_t label_block_bytes(const LabelVolume& volume);

/// Bytes of one block as they go to the file, made by LabelWriter::encode.
struct EncodedBlock {
    std::vector<std::byte> bytes;
    std::vector<std::size_t> piece_ends;  // where bytes holds several pieces (HDF5 chunks): the end of each
    std::uint32_t crc = 0;                // of the raw bytes (gzip)
    std::int64_t raw_bytes = 0;
};

/// Writes a label volume block by block: blocks are encoded on any thread, appended in order by one.
class LabelWriter {
public:
    virtual ~LabelWriter() = default;
    std::int64_t blocks() const { return (rows_ + rows_per_block_ - 1) / rows_per_block_; }
    RowRange rows_of(std::int64_t block) const {
        const std::int64_t first = block * rows_per_block_;
        return {first, rows_per_block_ < rows_ - first ? rows_per_block_ : rows_ - first};
    }
    /// Compresses the rows of a block (labels in host byte order). Thread-safe.
    virtual EncodedBlock encode(std::int64_t block, std::span<const std::byte> raw) const = 0;
    /// Appends block 0, 1, 2, ... @throw Error io_error
    virtual void append(std::int64_t block, const EncodedBlock& encoded) = 0;
    /// After the last block: everything is in the temporary file, checked and synced. OutputFiles publishes it.
    virtual void finish() = 0;

protected:
    LabelWriter(std::int64_t rows, std::int64_t rows_per_block) : rows_(rows), rows_per_block_(rows_per_block) {}
    std::int64_t rows_, rows_per_block_;
};

/// @throw Error cannot_create, no_permission, usage (type not possible in the format)
std::unique_ptr<LabelWriter> create_label_volume(const LabelVolume& volume, OutputFiles& outputs);

}  // namespace voxcc::io
