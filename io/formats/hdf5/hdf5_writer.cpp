// Writer of HDF5 label volumes: one chunked dataset. Chunks are compressed here on any thread; the library stores them unchanged.
#include "io/formats/hdf5/hdf5.h"
#include "io/formats/hdf5/hdf5_dataset.h"
#include "io/orientation.h"
#include "io/shared_by_formats.h"

#include <libdeflate.h>
#include <algorithm>
#include <cmath>
#include <cstring>

namespace voxcc::io {
namespace {

using namespace hdf5;

/// Layout of the file:
///  - dataset "/labels", "/values", "/sizes" or "/mask", by the content: axes z, y, x (y, x for a 2D image; t, z, y, x for several
///    volumes); chunks of zeros are not stored;
///  - attribute "element_size_um": 3 doubles z, y, x, if the spacing is known (as in PlantSeg); "resolution" if its unit is not known;
///  - attribute "affine": 4x4 doubles, voxel (i, j, k, 1) to RAS mm, if the input has an affine;
///  - attribute "unit": the unit of the input, if a reader would assume another one without it;
///  - attribute "axes": the text "zyx" ("yx", "tzyx"), of fixed length;
///  - attribute "DIMENSION_LABELS" of several volumes: the names of the axes, as in the HDF5 specification of dimension scales.
std::string dataset_path(Content content) { return "/" + name_of(content); }

constexpr std::int64_t largest_layer = std::int64_t{1} << 26;  // raw bytes of a block; each thread holds one or two blocks

struct Chunk {
    std::int64_t depth, height, width;
};

// About 2^16 voxels per chunk: near-cubic chunks for partial reads; flat chunks if a deep layer would need too much memory.
Chunk chunk_of(const Extent& e, std::int64_t bytes) {
    const auto clip = [&](Chunk c) { return Chunk{std::min(c.depth, e.nz), std::min(c.height, e.ny), std::min(c.width, e.nx)}; };
    for (const Chunk& chunk : {Chunk{16, 64, 64}, Chunk{4, 128, 128}})
        if (e.nz > 1 && chunk.depth * e.ny * e.nx * bytes <= largest_layer) return clip(chunk);
    return clip({1, 256, 256});
}

std::int64_t rows_per_block(const Extent& extent, const Chunk& chunk) { return extent.nz == 1 ? chunk.height : chunk.depth * extent.ny; }

hid_t file_type(ScalarType type) {
    switch (type) {
        case ScalarType::u8: return H5T_NATIVE_UINT8;
        case ScalarType::u16: return H5T_NATIVE_UINT16;
        case ScalarType::u32: return H5T_NATIVE_UINT32;
        case ScalarType::u64: return H5T_NATIVE_UINT64;
        case ScalarType::i8: return H5T_NATIVE_INT8;
        case ScalarType::i16: return H5T_NATIVE_INT16;
        case ScalarType::i32: return H5T_NATIVE_INT32;
        case ScalarType::i64: return H5T_NATIVE_INT64;
        case ScalarType::f32: return H5T_NATIVE_FLOAT;
        case ScalarType::f64: return H5T_NATIVE_DOUBLE;
    }
    throw Error(ErrorKind::internal, "HDF5", "an unknown type");
}

// A zlib compressor that appends compressed chunks to a buffer.
class Deflater {
public:
    explicit Deflater(int level) : compressor_(libdeflate_alloc_compressor(level)) {
        if (!compressor_) throw std::bad_alloc();
    }
    void append(std::span<const std::byte> raw, std::vector<std::byte>& to) {
        const std::size_t at = to.size(), bound = libdeflate_zlib_compress_bound(compressor_.get(), raw.size());
        to.resize(at + bound);
        const std::size_t size = libdeflate_zlib_compress(compressor_.get(), raw.data(), raw.size(), to.data() + at, bound);
        if (size == 0) throw Error(ErrorKind::internal, "HDF5", "a chunk grew past its bound");
        to.resize(at + size);
    }

private:
    struct Free {
        void operator()(libdeflate_compressor* c) const { libdeflate_free_compressor(c); }
    };
    std::unique_ptr<libdeflate_compressor, Free> compressor_;
};

/// @param bytes at least one
bool is_zero(const std::vector<std::byte>& bytes) {
    return bytes[0] == std::byte{0} && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

class Hdf5Writer final : public LabelWriter {
public:
    Hdf5Writer(const LabelVolume& volume, OutputFile& output, const Chunk& chunk)
        : LabelWriter(volume, rows_per_block(volume.like->extent, chunk)),
          extent_(volume.like->extent),
          flat_(extent_.nz == 1 && volume.like->dimensions == 2 && volume.volumes == 1),
          dataset_path_(dataset_path(volume.content)),
          type_(volume.type),
          level_(volume.compress),
          chunk_(chunk),
          output_(output),
          file_(output) {
        make_dataset();
        describe(*volume.like);
    }

    EncodedBlock encode(std::int64_t block, std::span<const std::byte> raw) const override {
        EncodedBlock encoded;
        encoded.raw_bytes = std::int64_t(raw.size());
        std::optional<Deflater> deflater;
        if (level_ > 0) deflater.emplace(level_);
        std::vector<std::byte> chunk(std::size_t(chunk_.depth * chunk_.height * chunk_.width * size_of(type_)));
        const Part part = part_of(block);
        for (std::int64_t y = 0; y < part.ny; y += chunk_.height)
            for (std::int64_t x = 0; x < extent_.nx; x += chunk_.width) {
                gather(part, raw, y, x, chunk);
                if (!is_zero(chunk)) {  // chunks that are not stored read as zeros
                    if (deflater) deflater->append(chunk, encoded.bytes);
                    else encoded.bytes.insert(encoded.bytes.end(), chunk.begin(), chunk.end());
                }
                encoded.piece_ends.push_back(encoded.bytes.size());
            }
        return encoded;
    }

    void append(std::int64_t block, const EncodedBlock& encoded) override {
        const Lock lock;
        const Part part = part_of(block);
        std::size_t piece = 0, begin = 0;
        for (std::int64_t y = 0; y < part.ny; y += chunk_.height)
            for (std::int64_t x = 0; x < extent_.nx; x += chunk_.width) {
                const std::size_t end = encoded.piece_ends.at(piece++);
                const auto offset = coordinates(part.volume, part.z, part.y + y, x);
                if (end > begin)
                    file_.check(H5Dwrite_chunk(dataset_, H5P_DEFAULT, 0, offset.data(), end - begin, encoded.bytes.data() + begin),
                                "write the labels");
                begin = end;
            }
        stored_ += encoded.bytes.size();
    }

    void finish() override {
        const Lock lock;
        file_.check(H5Fflush(file_, H5F_SCOPE_LOCAL), "write");
        dataset_ = Id();
        file_.close();
        verify();
        output_.close();
    }

private:
    struct Part {
        std::int64_t volume, z, nz, y, ny;
    };
    Part part_of(std::int64_t block) const {
        const RowRange rows = rows_of(block);
        const std::int64_t volume = block / blocks_per_volume();
        if (extent_.nz == 1) return {volume, 0, 1, rows.first, rows.count};
        return {volume, rows.first / extent_.ny, rows.count / extent_.ny, 0, extent_.ny};
    }

    // Coordinates in the order of the axes of the dataset.
    std::vector<hsize_t> coordinates(std::int64_t volume, std::int64_t z, std::int64_t y, std::int64_t x) const {
        if (flat_) return {hsize_t(y), hsize_t(x)};
        if (volumes_ > 1) return {hsize_t(volume), hsize_t(z), hsize_t(y), hsize_t(x)};
        return {hsize_t(z), hsize_t(y), hsize_t(x)};
    }

    // Copies the chunk at row y0, column x0 of a part; voxels outside the volume are zero.
    void gather(const Part& part, std::span<const std::byte> raw, std::int64_t y0, std::int64_t x0, std::vector<std::byte>& chunk) const {
        const std::int64_t bytes = size_of(type_), height = std::min(chunk_.height, part.ny - y0),
                           width = std::min(chunk_.width, extent_.nx - x0);
        if (part.nz < chunk_.depth || height < chunk_.height || width < chunk_.width) std::fill(chunk.begin(), chunk.end(), std::byte{0});
        for (std::int64_t z = 0; z < part.nz; ++z)
            for (std::int64_t y = 0; y < height; ++y)
                std::memcpy(chunk.data() + (z * chunk_.height + y) * chunk_.width * bytes,
                            raw.data() + ((z * part.ny + y0 + y) * extent_.nx + x0) * bytes, std::size_t(width * bytes));
    }

    std::vector<hsize_t> shape() const { return coordinates(volumes_, extent_.nz, extent_.ny, extent_.nx); }

    void make_dataset() {
        const std::string action = "create " + dataset_path_;
        const Id creation = file_.own(H5Pcreate(H5P_DATASET_CREATE), action);
        const auto shape = this->shape(), chunk = coordinates(1, chunk_.depth, chunk_.height, chunk_.width);
        file_.check(H5Pset_obj_track_times(creation, 0), action);
        file_.check(H5Pset_chunk(creation, int(chunk.size()), chunk.data()), action);
        if (level_ > 0) file_.check(H5Pset_deflate(creation, unsigned(level_)), action);
        const Id space = file_.own(H5Screate_simple(int(shape.size()), shape.data(), nullptr), action);
        dataset_ = file_.own(H5Dcreate2(file_, dataset_path_.c_str(), file_type(type_), space, H5P_DEFAULT, creation, H5P_DEFAULT), action);
    }

    void put_attribute(const char* name, hid_t type_in_file, hid_t type, const std::vector<hsize_t>& shape, const void* values) {
        const std::string action = "write the attribute " + std::string(name);
        const Id space = file_.own(H5Screate_simple(int(shape.size()), shape.data(), nullptr), action);
        const Id attribute = file_.own(H5Acreate2(dataset_, name, type_in_file, space, H5P_DEFAULT, H5P_DEFAULT), action);
        file_.check(H5Awrite(attribute, type, values), action);
    }

    void describe(const VolumeInfo& like) {
        describe_geometry(like.geometry);
        const std::string axes = flat_ ? "yx" : volumes_ > 1 ? "tzyx" : "zyx";
        const Id text = text_type(axes.size());
        put_attribute("axes", text, text, {1}, axes.data());
        if (volumes_ == 1) return;
        const Id label = text_type(H5T_VARIABLE);
        const std::array<const char*, 4> labels{"t", "z", "y", "x"};
        put_attribute("DIMENSION_LABELS", label, label, {labels.size()}, labels.data());
    }

    void describe_geometry(const Geometry& of_volume) {
        const Geometry geometry = usable(of_volume);
        const std::optional<Vector3> spacing = spacing_of(geometry);
        if (spacing) {
            std::array<double, 3> zyx{(*spacing)[2], (*spacing)[1], (*spacing)[0]};
            if (geometry.unit)
                for (double& step : zyx) step = converted(step, *geometry.unit, LengthUnit::um);
            put_attribute(geometry.unit ? "element_size_um" : "resolution", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {3}, zyx.data());
        }
        if (geometry.affine) {
            const Geometry placed = geometry.unit ? in_unit(geometry, LengthUnit::mm) : geometry;
            std::array<std::array<double, 4>, 4> affine{};
            std::copy(placed.affine->begin(), placed.affine->end(), affine.begin());
            affine[3] = {0, 0, 0, 1};
            put_attribute("affine", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {4, 4}, affine.data());
        }
        const LengthUnit assumed = geometry.affine ? LengthUnit::mm : LengthUnit::um;  // by a reader, without the attribute
        if (!geometry.has_size() || geometry.unit == assumed) return;
        const std::string name(geometry.unit ? name_of(*geometry.unit) : "unknown");
        const Id text = text_type(name.size());
        put_attribute("unit", text, text, {1}, name.data());
    }

    Id text_type(std::size_t length) {
        Id text = file_.own(H5Tcopy(H5T_C_S1), "write the names of the axes");
        file_.check(H5Tset_size(text, length), "write the names of the axes");
        return text;
    }

    // Opens the written file as a reader does and compares it with what was written.
    void verify() const {
        const InputFile input(output_.temporary());
        const File file(input, ExternalFiles::refuse);
        const StoredDataset written = open_dataset(file, dataset_path_, ExternalFiles::refuse);
        const bool same = written.shape == shape() && written.element.voxel == type_ && H5Dget_storage_size(written.id) == stored_;
        if (!same) throw Error(ErrorKind::io_error, output_.target(), "reads back differently from what was written");
    }

    Extent extent_;
    bool flat_;  // the dataset has axes y, x only
    std::string dataset_path_;
    ScalarType type_;
    int level_;
    Chunk chunk_;
    OutputFile& output_;
    File file_;
    Id dataset_;
    std::uint64_t stored_ = 0;  // bytes of all chunks
};

}  // namespace

std::vector<ScalarType> hdf5_label_types(const std::string&) { return {ScalarType::u8, ScalarType::u16, ScalarType::u32, ScalarType::u64}; }

std::int64_t hdf5_rows_per_block(const LabelVolume& volume) {
    const Extent& extent = volume.like->extent;
    return rows_per_block(extent, chunk_of(extent, size_of(volume.type)));
}

std::unique_ptr<LabelWriter> create_hdf5(const LabelVolume& volume, OutputFiles& outputs) {
    checked_bytes(volume.like->extent, size_of(volume.type), volume.path);
    const Lock lock;
    return std::make_unique<Hdf5Writer>(volume, outputs.create(volume.path), chunk_of(volume.like->extent, size_of(volume.type)));
}

}  // namespace voxcc::io
