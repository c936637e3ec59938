// HDF5 read: any dataset of numbers, in slabs of whole chunks.
#include "io/formats.h"
#include "io/hdf5_voxels.h"
#include "io/orientation.h"

#include <algorithm>
#include <cstring>

namespace voxcc::io {
namespace {

using namespace hdf5;

constexpr std::int64_t largest_slab = std::int64_t{1} << 30;  // bytes kept unpacked; more, and chunks are unpacked more than once

std::string choose(const File& file, const Listing& listing) {
    if (listing.candidates.size() == 1) return listing.candidates.front();
    const std::string what = "there is: " + to_text(listing.datasets);
    if (!listing.candidates.empty())
        throw Error(ExitCode::usage, file.path(), "holds several datasets that could be the volume", "choose one with --dataset; " + what);
    throw Error(ExitCode::bad_data, file.path(), "holds no dataset that could be a volume",
                what + (listing.warnings.empty() ? "" : "; not readable: " + listing.warnings.front()));
}

VolumeInfo info_of(const File& file, const StoredDataset& dataset, const Axes& axes, const OpenOptions& options) {
    VolumeInfo info;
    info.path = file.path();
    info.format = "HDF5";
    info.compression = dataset.filters.compression();
    info.extent = axes.extent(dataset);
    info.type = *dataset.element.voxel;
    checked_bytes(info.extent, size_of(info.type), file.path());
    info.stored_type = dataset.element.name;
    info.dimensions = info.extent.nz == 1 ? 2 : 3;
    info.volumes = axes.count(dataset);
    info.geometry = geometry_of(file, dataset, info.warnings);
    if (options.spacing) replace_spacing(info.geometry, *options.spacing);
    info.dataset = dataset.path;
    info.datasets = {{dataset.path, dataset.element.name, {dataset.shape.begin(), dataset.shape.end()}}};
    return info;
}

std::int64_t chosen_volume(const File& file, const StoredDataset& dataset, const Axes& axes, const OpenOptions& options) {
    const std::int64_t count = axes.count(dataset);
    const std::string range = "0.." + std::to_string(count - 1);
    if (!options.volume && count > 1)
        throw Error(ExitCode::usage, file.path(),
                    dataset.path + " holds " + std::to_string(count) + " volumes along " + axes.volumes_text(dataset),
                    "choose one with --volume " + range);
    const std::int64_t volume = options.volume.value_or(0);
    if (volume < 0 || volume >= count)
        throw Error(ExitCode::usage, file.path(), dataset.path + " has no volume " + std::to_string(volume), "--volume takes " + range);
    return volume;
}

class Hdf5Reader final : public VolumeReader {
public:
    Hdf5Reader(const std::string& path, const OpenOptions& options) : file_(path, options.external) {
        const Listing listing = options.dataset.empty() ? list_datasets(file_) : Listing();
        const std::string chosen = options.dataset.empty() ? choose(file_, listing) : options.dataset;
        StoredDataset dataset = open_dataset(file_, chosen, options.external);
        Axes axes = axes_of(file_, dataset);
        const std::int64_t volume = chosen_volume(file_, dataset, axes, options);
        info_ = info_of(file_, dataset, axes, options);
        if (!listing.datasets.empty()) info_.datasets = listing.datasets;
        info_.warnings.insert(info_.warnings.end(), listing.warnings.begin(), listing.warnings.end());
        voxels_.emplace(file_, std::move(dataset), std::move(axes), volume);
        plan_slabs();
    }

    void read_rows(RowRange rows, std::byte* to) override {
        const std::int64_t row_bytes = info_.extent.nx * size_of(info_.type);
        while (rows.count > 0) {
            const RowRange slab = slab_of(rows);
            const std::int64_t count = std::min(rows.count, slab.end() - rows.first);
            if (count == slab.count) {
                voxels_->read(box_of(slab), to);
            } else {
                if (kept_ != slab) {
                    kept_ = {};
                    slab_.resize(std::size_t(slab.count * row_bytes));
                    voxels_->read(box_of(slab), slab_.data());
                    kept_ = slab;
                }
                std::memcpy(to, slab_.data() + (rows.first - slab.first) * row_bytes, std::size_t(count * row_bytes));
            }
            to += count * row_bytes;
            rows = {rows.first + count, rows.count - count};
        }
    }

    void rewind() override {}
    std::int64_t rows_a_read() const override { return rows_a_read_; }

private:
    // A layer of chunks at a time, so that each is unpacked once; parts of a layer or a slice where that would be too large.
    void plan_slabs() {
        if (!voxels_->is_chunked()) return;
        const Extent& e = info_.extent;
        const std::int64_t row_bytes = e.nx * size_of(info_.type), most_rows = std::max<std::int64_t>(1, largest_slab / row_bytes);
        const std::int64_t slices = std::min({voxels_->chunk_depth(), e.nz, most_rows / e.ny});
        const std::int64_t height = voxels_->chunk_height();
        rows_a_read_ = slices > 0 ? slices * e.ny : std::clamp(most_rows / height * height, std::int64_t{1}, e.ny);
    }

    // The rows that are read together and hold the first of `rows`: whole slices, or rows of one.
    RowRange slab_of(RowRange rows) const {
        const Extent& e = info_.extent;
        const std::int64_t z = rows.first / e.ny, y = rows.first % e.ny;
        if (!voxels_->is_chunked()) {  // nothing to unpack: just what is asked for
            if (y == 0 && rows.count >= e.ny) return {rows.first, rows.count / e.ny * e.ny};
            return {rows.first, std::min(rows.count, e.ny - y)};
        }
        if (rows_a_read_ >= e.ny) {
            const std::int64_t first = rows.first - rows.first % rows_a_read_;
            return {first, std::min(rows_a_read_, e.rows() - first)};
        }
        const std::int64_t first = y - y % rows_a_read_;
        return {z * e.ny + first, std::min(rows_a_read_, e.ny - first)};
    }

    Box box_of(RowRange slab) const {
        const std::int64_t ny = info_.extent.ny;
        if (slab.count >= ny) return {slab.first / ny, slab.count / ny, 0, ny};
        return {slab.first / ny, 1, slab.first % ny, slab.count};
    }

    File file_;
    std::optional<Voxels> voxels_;
    std::int64_t rows_a_read_ = 1;
    std::vector<std::byte> slab_;  // the rows kept_, where less than a slab was asked for
    RowRange kept_;
};

}  // namespace

std::unique_ptr<VolumeReader> open_hdf5(const std::string& path, const OpenOptions& options) {
    const Lock lock;
    return std::make_unique<Hdf5Reader>(path, options);
}

VolumeInfo describe_hdf5(const std::string& path, const OpenOptions& options) {
    const Lock lock;
    const File file(path, options.external);
    Listing listing = list_datasets(file);
    VolumeInfo info;
    if (!options.dataset.empty() || listing.candidates.size() == 1) {
        const std::string chosen = options.dataset.empty() ? listing.candidates.front() : options.dataset;
        const StoredDataset dataset = open_dataset(file, chosen, options.external);
        info = info_of(file, dataset, axes_of(file, dataset), options);
    }
    info.path = path;
    info.format = "HDF5";
    info.datasets = std::move(listing.datasets);
    info.warnings.insert(info.warnings.end(), listing.warnings.begin(), listing.warnings.end());
    return info;
}

}  // namespace voxcc::io
