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
    if (!is_chunked()) return;
    steps_.assign(dataset_.chunk.size(), 1);
    for (std::size_t axis = steps_.size() - 1; axis > 0; --axis) steps_[axis - 1] = steps_[axis] * std::size_t(dataset_.chunk[axis]);
}

void Voxels::read(const Box& box, std::byte* to) {
    if (is_chunked() && dataset_.filters.is_ours()) read_chunks(box, to);
    else read_by_library(box, to);
    convert(to, std::size_t(extent().nx * box.ny * box.nz));
}

void Voxels::read_by_library(const Box& box, std::byte* to) {
    const Lock lock;
    const std::string action = "read " + dataset_.path;
    std::vector<hsize_t> start = start_, count(start.size(), 1);
    if (axes_.z) start[*axes_.z] = hsize_t(box.z), count[*axes_.z] = hsize_t(box.nz);
    start[axes_.y] = hsize_t(box.y), count[axes_.y] = hsize_t(box.ny);
    count[axes_.x] = hsize_t(extent().nx);
    const Id in_file = file_.own(H5Dget_space(dataset_.id), action);
    file_.check(H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), action);
    const hsize_t voxels = hsize_t(extent().nx * box.ny * box.nz);
    const Id in_memory = file_.own(H5Screate_simple(1, &voxels, nullptr), action);
    // The dataset's own type: bits as stored, which convert() then turns into voxels. An enumeration has none below it here.
    const Id type = file_.own(H5Dget_type(dataset_.id), action);
    file_.check(H5Dread(dataset_.id, type, in_memory, in_file, H5P_DEFAULT, to), action);
}

void Voxels::read_chunks(const Box& box, std::byte* to) {
    const auto depth = chunk_depth(), height = chunk_height(), width = std::int64_t(dataset_.chunk[axes_.x]);
    std::vector<hsize_t> offset(start_.size());
    for (std::size_t axis = 0; axis < offset.size(); ++axis) offset[axis] = start_[axis] - start_[axis] % dataset_.chunk[axis];
    for (std::int64_t z = box.z - box.z % depth; z < box.z + box.nz; z += depth)
        for (std::int64_t y = box.y - box.y % height; y < box.y + box.ny; y += height)
            for (std::int64_t x = 0; x < extent().nx; x += width) {
                if (axes_.z) offset[*axes_.z] = hsize_t(z);
                offset[axes_.y] = hsize_t(y);
                offset[axes_.x] = hsize_t(x);
                load_chunk(offset);
                copy_from_chunk(box, offset, to);
            }
}

// Leaves the chunk in chunk_: its stored bytes unpacked, or fill values where it was never written.
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

void Voxels::copy_from_chunk(const Box& box, const std::vector<hsize_t>& offset, std::byte* to) const {
    const std::size_t bytes = dataset_.element.bytes;
    const std::int64_t nx = extent().nx, x0 = std::int64_t(offset[axes_.x]), y0 = std::int64_t(offset[axes_.y]),
                       z0 = axes_.z ? std::int64_t(offset[*axes_.z]) : 0;
    const std::int64_t z1 = std::min(box.z + box.nz, z0 + chunk_depth()), y1 = std::min(box.y + box.ny, y0 + chunk_height()),
                       x1 = std::min(nx, x0 + std::int64_t(dataset_.chunk[axes_.x]));
    std::size_t volume = 0;  // element of the chunk where this volume begins
    for (const std::size_t axis : axes_.volumes) volume += std::size_t(start_[axis] - offset[axis]) * steps_[axis];
    const std::size_t step = steps_[axes_.x];
    for (std::int64_t z = std::max(box.z, z0); z < z1; ++z)
        for (std::int64_t y = std::max(box.y, y0); y < y1; ++y) {
            const std::size_t element =
                volume + (axes_.z ? std::size_t(z - z0) * steps_[*axes_.z] : 0) + std::size_t(y - y0) * steps_[axes_.y];
            const std::byte* from = chunk_.data() + element * bytes;
            std::byte* row = to + std::size_t(((z - box.z) * box.ny + (y - box.y)) * nx + x0) * bytes;
            if (step == 1) std::memcpy(row, from, std::size_t(x1 - x0) * bytes);
            else
                for (std::int64_t x = x0; x < x1; ++x, row += bytes, from += step * bytes) std::memcpy(row, from, bytes);
        }
}

// In place: voxels are never smaller than stored elements.
void Voxels::convert(std::byte* voxels, std::size_t count) const {
    const Lock lock;
    if (file_.check(H5Tequal(dataset_.element.stored, voxel_type_), "compare types")) return;
    file_.check(H5Tconvert(dataset_.element.stored, voxel_type_, count, voxels, nullptr, H5P_DEFAULT),
                "convert the voxels of " + dataset_.path);
}

}  // namespace voxcc::io::hdf5
