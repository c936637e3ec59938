#include "io/formats/hdf5/hdf5_library.h"

#include "io/formats/hdf5/hdf5_parameters.h"

#include <algorithm>
#include <cstring>

namespace voxcc::io::hdf5 {
namespace {

constexpr std::int64_t bytes_per_request = std::int64_t{64} << 20;  // per read of a dataset without chunks that the library reads

std::vector<std::byte> fill_value(const File& file, const StoredDataset& dataset) {
    const std::string action = "read the fill value of " + dataset.path;
    std::vector<std::byte> fill(dataset.element.bytes);
    const Id creation = file.own(H5Dget_create_plist(dataset.id), action), type = file.own(H5Dget_type(dataset.id), action);
    H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
    file.check(H5Pfill_value_defined(creation, &defined), action);
    if (defined == H5D_FILL_VALUE_USER_DEFINED) file.check(H5Pget_fill_value(creation, type, fill.data()), action);
    return fill;
}

/// @return chunk size as stored; for a dataset without chunks, the size of the pieces in which it is read
std::vector<std::int64_t> chunk_of(const StoredDataset& dataset, const Axes& axes) {
    if (!dataset.chunk.empty()) return {dataset.chunk.begin(), dataset.chunk.end()};
    std::vector<std::int64_t> chunk(dataset.shape.begin(), dataset.shape.end());
    if (dataset.layout == H5D_CONTIGUOUS || !axes.z) return chunk;
    const Extent extent = axes.extent(dataset);
    const std::int64_t slice = extent.nx * extent.ny * size_of(*dataset.element.voxel);
    chunk[*axes.z] = std::clamp<std::int64_t>(bytes_per_request / slice, 1, extent.nz);
    return chunk;
}

std::vector<std::int64_t> start_of(const StoredDataset& dataset, const Axes& axes, std::int64_t volume) {
    std::vector<std::int64_t> start(dataset.shape.size(), 0);
    for (auto axis = axes.volumes.rbegin(); axis != axes.volumes.rend(); ++axis) {
        start[*axis] = volume % std::int64_t(dataset.shape[*axis]);
        volume /= std::int64_t(dataset.shape[*axis]);
    }
    return start;
}

// @return whether the voxels are in this file: not behind an external link and not in external storage
bool is_in_file(const File& file, const StoredDataset& dataset) {
    const std::string action = "read the storage of " + dataset.path;
    const Id root = file.own(H5Gopen2(file, "/", H5P_DEFAULT), action);
    H5O_info_t of_root{}, of_dataset{};
    file.check(H5Oget_info(root, &of_root), action);
    file.check(H5Oget_info(dataset.id, &of_dataset), action);
    const Id creation = file.own(H5Dget_create_plist(dataset.id), action);
    return of_dataset.fileno == of_root.fileno && H5Pget_external_count(creation) == 0;
}

Layout layout_of(const File& file, const StoredDataset& dataset, const Axes& axes, std::int64_t volume) {
    Layout layout;
    layout.dataset = dataset.path;
    layout.shape.assign(dataset.shape.begin(), dataset.shape.end());
    layout.chunk = chunk_of(dataset, axes);
    layout.start = start_of(dataset, axes, volume);
    layout.z = axes.z, layout.y = axes.y, layout.x = axes.x;
    layout.element = {*dataset.element.voxel, Conversion::none, std::int64_t(dataset.element.bytes)};
    const auto format = format_of(file, dataset.element);
    if (!format || !is_in_file(file, dataset)) return layout;
    if (dataset.layout == H5D_CHUNKED && can_undo(dataset.filters)) layout.storage = Storage::chunked;
    else if (dataset.layout == H5D_CONTIGUOUS) layout.storage = Storage::contiguous;
    else return layout;
    layout.element = *format;
    layout.filters = dataset.filters;
    layout.fill = fill_value(file, dataset);
    if (layout.storage == Storage::contiguous)
        if (const haddr_t offset = H5Dget_offset(dataset.id); offset != HADDR_UNDEF) layout.offset = std::int64_t(offset);
    return layout;
}

}  // namespace

LibraryVoxels::LibraryVoxels(const File& file, StoredDataset dataset, const Axes& axes, std::int64_t volume)
    : file_(file), dataset_(std::move(dataset)), layout_(layout_of(file, dataset_, axes, volume)) {}

std::vector<hsize_t> LibraryVoxels::place_of(const Box& box) const {
    std::vector<hsize_t> place(layout_.start.begin(), layout_.start.end());
    if (layout_.z) place[*layout_.z] = hsize_t(box.z);
    place[layout_.y] = hsize_t(box.y);
    place[layout_.x] = hsize_t(box.x);
    return place;
}

std::vector<hsize_t> LibraryVoxels::first_of_chunk(const std::vector<hsize_t>& place) const {
    std::vector<hsize_t> first = place;
    for (std::size_t axis = 0; axis < first.size(); ++axis) first[axis] -= first[axis] % dataset_.chunk[axis];
    return first;
}

std::vector<ChunkLocation> LibraryVoxels::locate(const ChunkNumbers& chunks) const {
    const Extent counts = layout_.chunk_counts(), chunk = layout_.chunk_extent();
    std::vector<ChunkLocation> locations;
    for (std::int64_t i = 0; i < chunks.count; ++i) {
        const std::int64_t number = chunks.first + i, row = number / counts.nx;
        const Box first_voxel{row / counts.ny * chunk.nz, 1, row % counts.ny * chunk.ny, 1, number % counts.nx * chunk.nx, 1};
        locations.push_back(locate(first_of_chunk(place_of(first_voxel))));
    }
    return locations;
}

ChunkLocation LibraryVoxels::locate(const std::vector<hsize_t>& first) const {
    const std::string action = "find a chunk of " + dataset_.path;
    hsize_t size = 0;
    if (const herr_t result = H5Dget_chunk_storage_size(dataset_.id, first.data(), &size); result < 0 && chunk_was_missing()) size = 0;
    else file_.check(result, action);
    if (size == 0) return {};
    std::uint32_t skipped = 0;
    const StoredBytes bytes = file_.locate([&] {
        std::byte unused{};
        file_.check(H5Dread_chunk(dataset_.id, H5P_DEFAULT, first.data(), &skipped, &unused), action);
    });
    if (bytes.offset < 0) throw Error(ErrorKind::invalid_file, file_.path(), "a chunk of " + dataset_.path + " has no place in the file");
    if (!dataset_.filters_partial_chunks && is_partial(first)) skipped = ~std::uint32_t{0};
    return {bytes.offset, bytes.bytes, skipped};
}

bool LibraryVoxels::is_partial(const std::vector<hsize_t>& first) const {
    for (std::size_t axis = 0; axis < first.size(); ++axis)
        if (dataset_.chunk[axis] > dataset_.shape[axis] - first[axis]) return true;
    return false;
}

// Checks the chunks of a box before the library decodes them.
void LibraryVoxels::check_chunks(const Box& box) const {
    if (!has_trusting_filter(dataset_)) return;
    const Extent chunk = layout_.chunk_extent();
    for (std::int64_t z = box.z - box.z % chunk.nz; z < box.z + box.nz; z += chunk.nz)
        for (std::int64_t y = box.y - box.y % chunk.ny; y < box.y + box.ny; y += chunk.ny)
            for (std::int64_t x = box.x - box.x % chunk.nx; x < box.x + box.nx; x += chunk.nx)
                check_stored_parameters(file_, dataset_, first_of_chunk(place_of({z, 1, y, 1, x, 1})));
}

std::vector<std::byte> LibraryVoxels::read(const Box& box) const {
    check_chunks(box);
    const std::string action = "read " + dataset_.path;
    const std::vector<hsize_t> start = place_of(box);
    std::vector<hsize_t> count(start.size(), 1);
    if (layout_.z) count[*layout_.z] = hsize_t(box.nz);
    count[layout_.y] = hsize_t(box.ny);
    count[layout_.x] = hsize_t(box.nx);
    const Id in_file = file_.own(H5Dget_space(dataset_.id), action);
    file_.check(H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr), action);
    const hsize_t voxels = box.voxels();
    const Id in_memory = file_.own(H5Screate_simple(1, &voxels, nullptr), action);
    // Reads stored elements and converts them in place; voxels are never smaller. An enumeration is read as its base integers.
    std::vector<std::byte> bytes(box.voxels() * std::size_t(size_of(*dataset_.element.voxel)));
    const Id type = file_.own(H5Dget_type(dataset_.id), action);
    file_.check(H5Dread(dataset_.id, type, in_memory, in_file, H5P_DEFAULT, bytes.data()), action);
    const Id voxel = file_.own(H5Tcopy(native_type(*dataset_.element.voxel)), action);
    file_.check(H5Tconvert(dataset_.element.stored, voxel, box.voxels(), bytes.data(), nullptr, H5P_DEFAULT), action);
    return bytes;
}

}  // namespace voxcc::io::hdf5
