#include "io/formats/zarr/volume_chunks.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace voxcc::io::zarr {
namespace {

/// Numbered tasks of several threads. Tasks start in ascending order. After an error, no task with a larger number starts.
class Tasks {
public:
    explicit Tasks(std::int64_t count) : count_(count) {}
    template <class Task>
    void run(const Task& task) {
        for (std::int64_t i = next_++; i < count_; i = next_++) {
            try {
                task(i);
            } catch (...) {
                next_ = count_;
                const std::lock_guard lock(mutex_);
                if (i < failed_) failed_ = i, error_ = std::current_exception();
            }
        }
    }
    /// @throw the error of the task with the smallest number. All tasks before it have run, so that it is the same in every run.
    void finish() const {
        if (error_) std::rethrow_exception(error_);
    }

private:
    std::int64_t count_;
    std::atomic<std::int64_t> next_{0};
    std::mutex mutex_;
    std::int64_t failed_ = INT64_MAX;
    std::exception_ptr error_;
};

template <class Voxel>
void copy_row(const std::byte* from, std::int64_t step, std::int64_t count, std::byte* to) {
    for (std::int64_t i = 0; i < count; ++i, from += step, to += sizeof(Voxel)) std::memcpy(to, from, sizeof(Voxel));
}

void copy_row(const std::byte* from, std::int64_t step, std::int64_t count, std::byte* to, std::int64_t voxel) {
    if (step == voxel) return void(std::memcpy(to, from, std::size_t(count * voxel)));
    switch (voxel) {
        case 1: return copy_row<std::uint8_t>(from, step, count, to);
        case 2: return copy_row<std::uint16_t>(from, step, count, to);
        case 4: return copy_row<std::uint32_t>(from, step, count, to);
        default: return copy_row<std::uint64_t>(from, step, count, to);
    }
}

/// The pieces of [first, first + count) that lie in different chunks of this size.
struct Pieces {
    std::int64_t first, count, chunk;
    std::int64_t number() const { return (first + count - 1) / chunk - first / chunk + 1; }
    std::int64_t begin(std::int64_t i) const { return i == 0 ? first : (first / chunk + i) * chunk; }
    std::int64_t length(std::int64_t i) const { return std::min((first / chunk + i + 1) * chunk, first + count) - begin(i); }
};

}  // namespace

VolumeChunks::VolumeChunks(const Store& store, const std::string& array_path, const ArrayMetadata& array, VolumeAxes axes)
    : array_(array),
      axes_(std::move(axes)),
      grid_(store, array_path, array),
      voxel_(size_of(array.type.type)),
      ny_(array.shape[axes_.y]),
      workers_(1) {
    std::int64_t step = voxel_;
    for (std::size_t i = array.order.size(); i-- > 0;) {
        const std::size_t axis = array.order[i];
        if (axis == axes_.x) steps_[0] = step;
        if (axis == axes_.y) steps_[1] = step;
        if (axis == axes_.z) steps_[2] = step;
        volume_offset_ += axes_.start[axis] % array.chunk[axis] * step;
        step *= array.chunk[axis];
    }
}

void VolumeChunks::use_threads(int threads) {
    pool_ = threads > 1 ? std::make_unique<ThreadPool>(threads) : nullptr;
    workers_.resize(pool_ ? std::size_t(pool_->size()) : 1);
}

std::int64_t VolumeChunks::thread_bytes() const {
    const bool copies_rows = steps_[0] != voxel_;
    const std::int64_t chunk = std::min(width(), array_.shape[axes_.x]) * std::min(height(), ny_) * depth() * voxel_;
    return grid_.scratch_bytes() + (copies_rows ? chunk : 0);
}

// Calls use(worker, share, view) for the part of a box inside each chunk, on all threads.
template <class Use>
void VolumeChunks::each_chunk(const Box& box, const Use& use) {
    const Pieces z{box.z, box.nz, depth()}, y{box.y, box.ny, height()}, x{box.x, box.nx, width()};
    Tasks tasks(z.number() * y.number() * x.number());
    const auto work = [&](std::int64_t thread) {
        Worker& worker = workers_[std::size_t(thread)];
        tasks.run([&](std::int64_t i) {
            const std::int64_t ix = i % x.number(), iy = i / x.number() % y.number(), iz = i / x.number() / y.number();
            const Box share{z.begin(iz), z.length(iz), y.begin(iy), y.length(iy), x.begin(ix), x.length(ix)};
            use(worker, share, load(share, worker));
        });
    };
    if (pool_) pool_->for_each(std::int64_t(workers_.size()), work);
    else work(0);
    tasks.finish();
}

VolumeChunks::View VolumeChunks::load(const Box& share, Worker& worker) {
    std::vector<std::int64_t> index(array_.shape.size());
    for (std::size_t axis = 0; axis < index.size(); ++axis) index[axis] = axes_.start[axis] / array_.chunk[axis];
    if (axes_.z) index[*axes_.z] = share.z / depth();
    index[axes_.y] = share.y / height();
    index[axes_.x] = share.x / width();
    if (!grid_.load(index, worker.scratch)) return {array_.fill.data(), 0, 0, 0};
    const std::int64_t first =
        volume_offset_ + share.x % width() * steps_[0] + share.y % height() * steps_[1] + share.z % depth() * steps_[2];
    return {worker.scratch.voxels.data() + first, steps_[0], steps_[1], steps_[2]};
}

void VolumeChunks::copy_rows(const Box& share, const View& from, std::byte* to, std::int64_t row_step, std::int64_t slice_step) const {
    for (std::int64_t z = 0; z < share.nz; ++z)
        for (std::int64_t y = 0; y < share.ny; ++y)
            copy_row(from.first + z * from.slice_step + y * from.row_step, from.x_step, share.nx, to + z * slice_step + y * row_step,
                     voxel_);
}

// Copies the rows of a share one by one. All rows of a chunk that is not stored are the same row.
VolumeChunks::View VolumeChunks::with_rows(const Box& share, const View& from, Worker& worker) const {
    const bool is_fill = from.x_step == 0;
    const std::int64_t row = share.nx * voxel_;
    const Box copied = is_fill ? Box{0, 1, 0, 1, 0, share.nx} : share;
    worker.rows.resize(std::size_t(copied.nx * copied.ny * copied.nz * voxel_));
    copy_rows(copied, from, worker.rows.data(), row, row * share.ny);
    if (is_fill) return {worker.rows.data(), voxel_, 0, 0};
    return {worker.rows.data(), voxel_, row, row * share.ny};
}

void VolumeChunks::read(const Box& box, std::byte* to) {
    const std::int64_t row = box.nx * voxel_, slice = row * box.ny;
    each_chunk(box, [&](Worker& worker, const Box& share, const View& view) {
        const View from = view.x_step == 0 ? with_rows(share, view, worker) : view;
        copy_rows(share, from, to + (share.z - box.z) * slice + (share.y - box.y) * row + (share.x - box.x) * voxel_, row, slice);
    });
}

void VolumeChunks::visit(const Box& box, const PartVisitor& visit, Visits visits) {
    each_chunk(box, [&](Worker& worker, const Box& share, const View& view) {
        const View rows = view.x_step == voxel_ ? view : with_rows(share, view, worker);
        const auto lock = visits == Visits::in_turn ? std::unique_lock(visiting_) : std::unique_lock<std::mutex>();
        for (std::int64_t z = 0; z < share.nz; ++z)
            for (std::int64_t y = 0; y < share.ny; ++y)
                visit({(share.z + z) * ny_ + share.y + y, share.x, share.nx, rows.first + z * rows.slice_step + y * rows.row_step});
    });
}

}  // namespace voxcc::io::zarr
