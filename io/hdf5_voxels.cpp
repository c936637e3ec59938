#include "io/hdf5_voxels.h"

#include <algorithm>
#include <cstring>

namespace voxcc::io::hdf5 {
namespace {

hid_t native_type(ScalarType type) {
    switch (type) {
        case ScalarType::u8: return H5T_NATIVE_UINT8;
        case ScalarType::i8: return H5T_NATIVE_INT8;
        case ScalarType::u16: return H5T_NATIVE_UINT16;
        case ScalarType::i16: return H5T_NATIVE_INT16;
        case ScalarType::u32: return H5T_NATIVE_UINT32;
        case ScalarType::i32: return H5T_NATIVE_INT32;
        case ScalarType::u64: return H5T_NATIVE_UINT64;
        case ScalarType::i64: return H5T_NATIVE_INT64;
        case ScalarType::f32: return H5T_NATIVE_FLOAT;
        case ScalarType::f64: return H5T_NATIVE_DOUBLE;
    }
    return H5I_INVALID_HID;
}

}  // namespace

Voxels::Voxels(const File& file, StoredDataset dataset, Axes axes, std::int64_t volume)
    : file_(file), dataset_(std::move(dataset)), axes_(std::move(axes)), start_(dataset_.shape.size(), 0) {
    const Lock lock;
    for (auto axis = axes_.volumes.rbegin(); axis != axes_.volumes.rend(); ++axis) {
        start_[*axis] = hsize_t(volume) % dataset_.shape[*axis];
        volume /= std::int64_t(dataset_.shape[*axis]);
    }
    voxel_type_ = file_.own(H5Tcopy(native_type(*dataset_.element.voxel)), "prepare reading");
    stored_as_voxels_ = file_.check(H5Tequal(dataset_.element.stored, voxel_type_), "compare types");
    if (!is_chunked()) return;
    steps_.assign(dataset_.chunk.size(), 1);
    for (std::size_t axis = steps_.size() - 1; axis > 0; --axis) steps_[axis - 1] = steps_[axis] * std::size_t(dataset_.chunk[axis]);
}

void Voxels::read(const Box& box, std::byte* to) {
    if (has_own_chunks()) each_chunk(box, [&](const Box& share, const std::byte* first) { gather(share, first, box, to); });
    else read_by_library(box, to);
    convert(to, box.voxels());
}

void Voxels::read_by_library(const Box& box, std::byte* to) {
    const Lock lock;
    const std::string action = "read " + dataset_.path;
    std::vector<hsize_t> start = start_, count(start.size(), 1);
    if (axes_.z) start[*axes_.z] = hsize_t(box.z), count[*axes_.z] = hsize_t(box.nz);
    start[axes_.y] = hsize_t(box.y), count[axes_.y] = hsize_t(box.ny);
    count[axes_.x] = hsize_t(box.nx);
    const Id in_file = file_.own(H5Dget_space(dataset_.id), action);
    file_.check(H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), action);
    const hsize_t voxels = box.voxels();
    const Id in_memory = file_.own(H5Screate_simple(1, &voxels, nullptr), action);
    // The dataset's own type: bits as stored, which convert() then turns into voxels. An enumeration has none below it here.
    const Id type = file_.own(H5Dget_type(dataset_.id), action);
    file_.check(H5Dread(dataset_.id, type, in_memory, in_file, H5P_DEFAULT, to), action);
}

// Calls use(piece) for each piece of a box, `columns` wide (a multiple of a chunk's width) and otherwise the size of a chunk. The box
// begins at a chunk's first column.
template <class Use>
void Voxels::each_piece(const Box& box, std::int64_t columns, const Use& use) const {
    const auto depth = chunk_depth(), height = chunk_height();
    for (std::int64_t z = box.z, next_z; z < box.z + box.nz; z = next_z) {
        next_z = std::min(z - z % depth + depth, box.z + box.nz);
        for (std::int64_t y = box.y, next_y; y < box.y + box.ny; y = next_y) {
            next_y = std::min(y - y % height + height, box.y + box.ny);
            for (std::int64_t x = box.x; x < box.x + box.nx; x += columns)
                use(Box{z, next_z - z, y, next_y - y, x, std::min(columns, box.x + box.nx - x)});
        }
    }
}

// Calls use(share, first voxel) for the share that each chunk has in a box.
template <class Use>
void Voxels::each_chunk(const Box& box, const Use& use) {
    each_piece(box, chunk_width(), [&](const Box& share) { use(share, load_chunk(share)); });
}

void Voxels::read_parts(const Box& box, const PartVisitor& visit) {
    const std::int64_t ny = extent().ny;
    const auto visit_rows = [&](const Box& b, const std::byte* first, std::int64_t slice, std::int64_t row) {
        for (std::int64_t z = 0; z < b.nz; ++z)
            for (std::int64_t y = 0; y < b.ny; ++y) visit({(b.z + z) * ny + b.y + y, b.x, b.nx, first + z * slice + y * row});
    };
    if (!gathers_parts())
        return each_chunk(box, [&](const Box& share, const std::byte* first) { visit_rows(share, first, slice_step(), row_step()); });
    each_piece(box, columns_of_parts(), [&](const Box& piece) {
        const std::int64_t row = piece.nx * size_of(*dataset_.element.voxel);
        voxels_.resize(std::size_t(row * piece.ny * piece.nz));
        each_chunk(piece, [&](const Box& share, const std::byte* first) { gather(share, first, piece, voxels_.data()); });
        convert(voxels_.data(), piece.voxels());
        visit_rows(piece, voxels_.data(), row * piece.ny, row);
    });
}

// Rows of few voxels take longer one by one than gathered: 512^3 f32 in chunks 4 and 1 wide took 1.5 and 4.5 s, where whole rows took 1.1
// and 2.0; 16 wide 0.9, where whole rows took 1.2.
std::int64_t Voxels::columns_of_parts() const {
    const std::int64_t width = chunk_width();
    return width < 16 ? 64 / width * width : width;
}

// Whether voxels do not lie in a chunk as they are handed over.
bool Voxels::gathers_parts() const {
    return !stored_as_voxels_ || steps_[axes_.x] != 1 || (columns_of_parts() != chunk_width() && chunk_width() < extent().nx);
}

std::int64_t Voxels::bytes_of_parts() const {
    const auto chunk = std::int64_t(steps_[0] * std::size_t(dataset_.chunk[0]) * dataset_.element.bytes);
    const std::int64_t piece = columns_of_parts() * chunk_height() * chunk_depth() * size_of(*dataset_.element.voxel);
    return (1 + dataset_.filters.buffers()) * chunk + (gathers_parts() ? piece : 0);
}

// Brings the chunk that holds a share of a box into chunk_: its stored bytes unpacked, or fill values where it was never written.
// @return the share's first voxel
const std::byte* Voxels::load_chunk(const Box& share) {
    std::vector<hsize_t> offset = start_;
    if (axes_.z) offset[*axes_.z] = hsize_t(share.z);
    offset[axes_.y] = hsize_t(share.y);
    offset[axes_.x] = hsize_t(share.x);
    std::size_t element = 0;
    for (std::size_t axis = 0; axis < offset.size(); ++axis) {
        const hsize_t inside = offset[axis] % dataset_.chunk[axis];
        element += std::size_t(inside) * steps_[axis];
        offset[axis] -= inside;
    }
    load_chunk(offset);
    return chunk_.data() + element * dataset_.element.bytes;
}

void Voxels::load_chunk(const std::vector<hsize_t>& offset) {
    chunk_.resize(steps_[0] * std::size_t(dataset_.chunk[0]) * dataset_.element.bytes);
    std::uint32_t skipped = 0;
    {
        const Lock lock;
        const std::string action = "read a chunk of " + dataset_.path;
        hsize_t size = 0;
        if (const herr_t result = H5Dget_chunk_storage_size(dataset_.id, offset.data(), &size); result < 0 && chunk_was_missing()) size = 0;
        else file_.check(result, action);
        if (size > hsize_t(file_.size()))
            throw Error(ExitCode::bad_data, file_.path(), "a chunk of " + dataset_.path + " is larger than the file");
        packed_.resize(std::size_t(size));
        if (size > 0) file_.check(H5Dread_chunk(dataset_.id, H5P_DEFAULT, offset.data(), &skipped, packed_.data()), action);
    }
    if (!packed_.empty()) return dataset_.filters.undo(packed_, skipped, chunk_);
    if (fill_.empty()) {
        const Lock lock;
        fill_.resize(dataset_.element.bytes);
        const Id creation = file_.own(H5Dget_create_plist(dataset_.id), "read the fill value of " + dataset_.path);
        const Id type = file_.own(H5Dget_type(dataset_.id), "read the fill value of " + dataset_.path);
        H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
        file_.check(H5Pfill_value_defined(creation, &defined), "read the fill value of " + dataset_.path);
        if (defined == H5D_FILL_VALUE_USER_DEFINED)
            file_.check(H5Pget_fill_value(creation, type, fill_.data()), "read the fill value of " + dataset_.path);
    }
    for (std::size_t i = 0; i < chunk_.size(); i += fill_.size()) std::memcpy(chunk_.data() + i, fill_.data(), fill_.size());
}

// Copies a chunk's share to its place in the box, whose elements begin at `to`.
void Voxels::gather(const Box& share, const std::byte* first, const Box& box, std::byte* to) const {
    const std::size_t bytes = dataset_.element.bytes, step = steps_[axes_.x];
    for (std::int64_t z = 0; z < share.nz; ++z)
        for (std::int64_t y = 0; y < share.ny; ++y) {
            const std::byte* from = first + z * slice_step() + y * row_step();
            const std::int64_t row_of_box = (share.z - box.z + z) * box.ny + share.y - box.y + y;
            std::byte* row = to + std::size_t(row_of_box * box.nx + share.x - box.x) * bytes;
            if (step == 1) std::memcpy(row, from, std::size_t(share.nx) * bytes);
            else
                for (std::int64_t x = 0; x < share.nx; ++x, row += bytes, from += step * bytes) std::memcpy(row, from, bytes);
        }
}

// In place: voxels are never smaller than stored elements.
void Voxels::convert(std::byte* voxels, std::size_t count) const {
    if (stored_as_voxels_) return;
    const Lock lock;
    file_.check(H5Tconvert(dataset_.element.stored, voxel_type_, count, voxels, nullptr, H5P_DEFAULT),
                "convert the voxels of " + dataset_.path);
}

}  // namespace voxcc::io::hdf5
