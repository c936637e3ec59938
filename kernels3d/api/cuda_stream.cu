// Labellings on streams of the caller. The instances for equal values are in cuda_stream_values.cu, so that both files compile side by
// side.
#include <voxcc/device.h>

#include "kernels3d/api/cuda.h"
#include "kernels3d/api/cuda_measures.h"
#include "kernels3d/api/measurements.h"
#include "kernels3d/engine/gpu_slabs/plan.h"
#include "kernels3d/engine/tiles/resident_labelling.h"
#include "kernels3d/exec/cuda_executor.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>
#include <utility>

namespace voxcc::block_runs::tiles {

VOXCC_MAKE_RESIDENT_OF_RULE(extern template, equal_values, exec::CudaExecutor)

}  // namespace voxcc::block_runs::tiles

namespace voxcc {
namespace {

using block_runs::gpu_slabs::NoExecutor;
using block_runs::tiles::ResidentLabelling;
using exec::check;

/// Makes a device the current device of the thread, until it is destroyed.
class OnDevice {
public:
    explicit OnDevice(int device) {
        check(cudaGetDevice(&before_), "device");
        if (device == before_) return;
        check(cudaSetDevice(device), "device");
        changed_ = true;
    }
    ~OnDevice() {
        if (changed_) cudaSetDevice(before_);
    }
    OnDevice(const OnDevice&) = delete;
    OnDevice& operator=(const OnDevice&) = delete;

private:
    int before_ = 0;
    bool changed_ = false;
};

/// Pinned memory for one count, and the event after which it holds the count.
struct CountPlace {
    std::uint32_t* count;
    cudaEvent_t ready;
};

/// What all labellings on the streams of a device share. Exists until the process ends, because counts may exist until then. Thread-safe.
class StreamDevice {
public:
    /// @throw Error no_device
    static StreamDevice& of(int device) {
        const std::lock_guard lock(all().mutex);
        auto& devices = all().devices;
        if (device >= 0 && std::size_t(device) < devices.size() && devices[std::size_t(device)]) return *devices[std::size_t(device)];
        const std::string why = device < 0 ? "device numbers start at 0" : exec::why_no_cuda(device);
        if (!why.empty()) throw Error(ErrorKind::no_device, "device cuda", why);
        if (std::size_t(device) >= devices.size()) devices.resize(std::size_t(device) + 1);
        devices[std::size_t(device)].reset(new StreamDevice(device));
        return *devices[std::size_t(device)];
    }
    /// Returns the unused memory of all pools to their devices.
    static void release_memory() {
        const std::lock_guard lock(all().mutex);
        for (const auto& device : all().devices) {
            if (!device) continue;
            const OnDevice current(device->number);
            check(cudaDeviceSynchronize(), "release");
            check(cudaMemPoolTrimTo(device->pool, 0), "release");
        }
    }

    const int number;
    cudaMemPool_t pool = nullptr;

    CountPlace take_place() {
        const std::lock_guard lock(mutex_);
        if (!places_.empty() && is_ready(places_.front())) {
            const CountPlace place = places_.front();
            places_.pop_front();
            return place;
        }
        constexpr int at_once = 64;
        if (unused_ == end_) {
            check(cudaHostAlloc(reinterpret_cast<void**>(&unused_), at_once * sizeof *unused_, cudaHostAllocPortable), "count");
            end_ = unused_ + at_once;
        }
        CountPlace place{unused_, nullptr};
        check(cudaEventCreateWithFlags(&place.ready, cudaEventDisableTiming), "count");
        ++unused_;
        return place;
    }
    /// The device may still write to the place: it is used again only after its event.
    void give_back(const CountPlace& place) {
        const std::lock_guard lock(mutex_);
        places_.push_back(place);
    }

private:
    struct All {
        std::mutex mutex;
        std::vector<std::unique_ptr<StreamDevice>> devices;  // by number
    };
    static All& all() {
        static All* const all = new All;
        return *all;
    }
    explicit StreamDevice(int device) : number(device) {
        const OnDevice current(device);
        cudaMemPoolProps properties{};
        properties.allocType = cudaMemAllocationTypePinned;
        properties.location.type = cudaMemLocationTypeDevice;
        properties.location.id = device;
        check(cudaMemPoolCreate(&pool, &properties), "pool");
        std::uint64_t keep = ~std::uint64_t{0};
        check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep), "pool");
    }
    static bool is_ready(const CountPlace& place) {
        const cudaError_t state = cudaEventQuery(place.ready);
        if (state == cudaErrorNotReady) cudaGetLastError();  // not an error of a later call
        return state == cudaSuccess;
    }

    std::mutex mutex_;
    std::deque<CountPlace> places_;  // given back, the oldest first
    std::uint32_t *unused_ = nullptr, *end_ = nullptr;
};

class CountOnWay : public StreamCount {
public:
    CountOnWay(StreamDevice& device, const CountPlace& place) : device_(device), place_(place) {}
    ~CountOnWay() override { device_.give_back(place_); }
    std::uint64_t value() override {
        check(cudaEventSynchronize(place_.ready), "count");
        return *static_cast<volatile std::uint32_t*>(place_.count);
    }

private:
    StreamDevice& device_;
    CountPlace place_;
};

/// A place for the count of one labelling, which goes to the first CountOnWay that wants it.
class FirstCount {
public:
    FirstCount(StreamDevice& device, cudaStream_t stream) : device_(device), stream_(stream), place_(device.take_place()) {}
    ~FirstCount() {
        if (!place_) return;
        try {
            const OnDevice current(device_.number);
            check(cudaEventRecord(place_->ready, stream_), "count");
        } catch (const Error&) {
            return;  // the device may still write to the place, so it is not used again
        }
        device_.give_back(*place_);
    }
    FirstCount(const FirstCount&) = delete;
    FirstCount& operator=(const FirstCount&) = delete;
    /// Where the labelling must write the count.
    std::uint32_t* place() const { return place_->count; }
    /// Empty after the first call.
    std::optional<CountPlace> take() { return std::exchange(place_, std::nullopt); }

private:
    StreamDevice& device_;
    cudaStream_t stream_;
    std::optional<CountPlace> place_;
};

class CudaStreamLabelling : public StreamLabelling {
public:
    CudaStreamLabelling(StreamDevice& device, const StreamVolume& volume, const Question& question, const StreamMask& mask)
        : device_(device),
          executor_(static_cast<cudaStream_t>(volume.stream), device.pool),
          first_count_(device, static_cast<cudaStream_t>(volume.stream)) {
        labelling_ = block_runs::tiles::label_resident<NoExecutor>(executor_, {volume.voxels, volume.type, volume.extent},
                                                                   {question, {mask.voxels, mask.type}, first_count_.place()},
                                                                   [&](std::size_t bytes) { executor_.reserve(bytes); });
    }
    void paint(void* labels, ScalarType type, std::span<const std::uint64_t> final_numbers) override {
        const OnDevice current(device_.number);
        labelling_->paint(labels, type, final_numbers);
    }
    std::unique_ptr<StreamCount> send_count() override {
        const OnDevice current(device_.number);
        const std::optional<CountPlace> first = first_count_.take();
        const CountPlace place = first ? *first : device_.take_place();
        auto count = std::make_unique<CountOnWay>(device_, place);
        if (!first) labelling_->store_count(place.count);
        check(cudaEventRecord(place.ready, executor_.stream()), "count");
        return count;
    }
    std::uint64_t count() override {
        const OnDevice current(device_.number);
        return labelling_->count();
    }
    SumTable measure() override {
        const OnDevice current(device_.number);
        return labelling_->measure();
    }
    SumTable paint_and_measure(void* labels, ScalarType type) override {
        const OnDevice current(device_.number);
        return labelling_->paint_and_measure(labels, type);
    }
    std::vector<std::uint64_t> source_values() override {
        const OnDevice current(device_.number);
        return labelling_->source_values();
    }
    std::vector<ShapeCounts> shape() override {
        const OnDevice current(device_.number);
        return labelling_->shape();
    }
    std::vector<LabelContact> contacts(Connectivity connectivity, std::span<const std::uint64_t> final_numbers) override {
        const OnDevice current(device_.number);
        return labelling_->contacts(connectivity, final_numbers);
    }
    const Sections* sections() const override { return labelling_->sections(); }
    void visit_sections(const std::function<void(RowRange, const std::uint32_t*)>& take) override {
        const OnDevice current(device_.number);
        labelling_->visit_sections(take);
    }

private:
    StreamDevice& device_;
    exec::CudaExecutor executor_;
    FirstCount first_count_;
    std::unique_ptr<ResidentLabelling> labelling_;
};

/// Copies windows of rows to pinned memory, and from there to the buffers of the callers.
class CudaStreamRows : public RowSource {
public:
    CudaStreamRows(StreamDevice& device, const StreamVolume& volume)
        : device_(device),
          volume_(volume),
          packer_(volume.type, {}),
          row_bytes_(volume.extent.nx * size_of(volume.type)),
          most_rows_(std::clamp<std::int64_t>(window_bytes / row_bytes_, 1, volume.extent.rows())),
          window_(pinned_, most_rows_ * row_bytes_) {}
    Access access() const override { return Access::concurrent; }
    std::int64_t rows_per_fetch() const override { return most_rows_; }
    const std::byte* fetch(RowRange rows, std::vector<std::byte>& buffer) override {
        buffer.resize(std::size_t(rows.count * row_bytes_));
        const std::lock_guard lock(mutex_);
        const OnDevice current(device_.number);
        std::byte* to = buffer.data();
        for (std::int64_t row = rows.first; row < rows.end();) {
            if (row < held_.first || row >= held_.end()) load(row, rows.end() - row);
            const std::int64_t bytes = (std::min(rows.end(), held_.end()) - row) * row_bytes_;
            std::memcpy(to, window_.data() + (row - held_.first) * row_bytes_, std::size_t(bytes));
            to += bytes, row += bytes / row_bytes_;
        }
        return buffer.data();
    }
    void pack(const std::byte* fetched, RowRange rows, std::int64_t index, std::uint64_t* bits) const override {
        packer_.pack(default_isa(), values(fetched, rows, index), volume_.extent.nx, bits);
    }
    const std::byte* values(const std::byte* fetched, RowRange, std::int64_t index) const override { return fetched + index * row_bytes_; }
    ScalarType value_type() const override { return volume_.type; }

private:
    /// Copies rows from `first` on to the window: as many as it holds if they follow the rows of the window, else `wanted` rows.
    void load(std::int64_t first, std::int64_t wanted) {
        const std::int64_t most = std::min(most_rows_, volume_.extent.rows() - first);
        held_ = {first, first == held_.end() ? most : std::min(wanted, most)};
        const auto stream = static_cast<cudaStream_t>(volume_.stream);
        check(cudaMemcpyAsync(window_.data(), static_cast<const std::byte*>(volume_.voxels) + first * row_bytes_,
                              std::size_t(held_.count * row_bytes_), cudaMemcpyDeviceToHost, stream),
              "rows");
        check(cudaStreamSynchronize(stream), "rows");
    }

    static constexpr std::int64_t window_bytes = std::int64_t{8} << 20;
    StreamDevice& device_;
    StreamVolume volume_;
    ForegroundPacker packer_;
    std::int64_t row_bytes_, most_rows_;
    exec::PinnedMemory pinned_;
    exec::Array<std::byte> window_;
    std::mutex mutex_;
    RowRange held_{0, 0};  // the rows of the window
};

class CudaStreamBuffer : public StreamBuffer {
public:
    CudaStreamBuffer(StreamDevice& device, std::size_t bytes)
        : device_(device), memory_(stream_, device.number, device.pool), bytes_(memory_, std::int64_t(bytes)) {}
    void* data() override { return bytes_.data(); }
    void* stream() override { return static_cast<cudaStream_t>(stream_); }
    void upload(const void* from, std::size_t first, std::size_t bytes) override {
        copy(bytes_.data() + first, from, bytes, cudaMemcpyHostToDevice);
    }
    void download(void* to, std::size_t first, std::size_t bytes) override {
        copy(to, bytes_.data() + first, bytes, cudaMemcpyDeviceToHost);
    }

private:
    void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
        const OnDevice current(device_.number);
        check(cudaMemcpyAsync(to, from, bytes, kind, stream_), "copy");
        check(cudaStreamSynchronize(stream_), "copy");
    }

    StreamDevice& device_;
    exec::CudaStream stream_;
    exec::CudaMemory memory_;
    exec::Array<std::byte> bytes_;
};

}  // namespace

std::unique_ptr<StreamLabelling> label_on_stream(const StreamVolume& volume, const Question& question, const StreamMask& mask) {
    checked_bytes(volume.extent, 8, "volume");
    StreamDevice& device = StreamDevice::of(volume.device);
    const OnDevice current(device.number);
    return std::make_unique<CudaStreamLabelling>(device, volume, question, mask);
}

TableTimes measure_cuda_tables(int device, const void* voxels, ScalarType type, const Extent& extent, Connectivity connectivity, Rule rule,
                               int runs) {
    exec::use_cuda_device(device);
    exec::CudaExecutor executor;
    exec::Array<std::byte> on_device(executor.memory(), extent.voxels() * size_of(type));
    const exec::Array<std::uint32_t> labels(executor.memory(), extent.voxels());
    executor.upload("upload", static_cast<const std::byte*>(voxels), on_device);
    TableTimes times;
    for (int run = 0; run < runs; ++run) {
        executor.reset_phases();
        const auto labelling = block_runs::tiles::label_resident<NoExecutor>(
            executor, {on_device.data(), type, extent}, {{.connectivity = connectivity, .rule = rule}}, [](std::size_t) {});
        labelling->paint(labels.data(), ScalarType::u32, {});
        labelling->measure();
        times.components = labelling->shape().size();
        times.pairs = labelling->contacts(connectivity, {}).size();
        times.runs.push_back(executor.phases());
    }
    return times;
}

void exec::with_stream_executor(const StreamVolume& volume, const std::function<void(CudaExecutor&)>& work) {
    StreamDevice& device = StreamDevice::of(volume.device);
    const OnDevice current(device.number);
    CudaExecutor executor(static_cast<cudaStream_t>(volume.stream), device.pool);
    work(executor);
}

std::unique_ptr<RowSource> rows_on_stream(const StreamVolume& volume) {
    StreamDevice& device = StreamDevice::of(volume.device);
    const OnDevice current(device.number);
    return std::make_unique<CudaStreamRows>(device, volume);
}

void wait_for_stream(int device, void* first, void* then) {
    const OnDevice current(StreamDevice::of(device).number);
    exec::let_wait(static_cast<cudaStream_t>(then), static_cast<cudaStream_t>(first));
}

int device_of_address(const void* address) {
    if (const std::string why = exec::why_no_cuda(0); !why.empty()) throw Error(ErrorKind::no_device, "device cuda", why);
    cudaPointerAttributes attributes{};
    check(cudaPointerGetAttributes(&attributes, address), "address");
    if (attributes.type != cudaMemoryTypeDevice && attributes.type != cudaMemoryTypeManaged)
        throw Error(ErrorKind::invalid_argument, "array", "its address is not in the memory of a CUDA device");
    return attributes.device;
}

void release_stream_memory() { StreamDevice::release_memory(); }

std::unique_ptr<StreamBuffer> stream_buffer(int device, std::size_t bytes) {
    StreamDevice& found = StreamDevice::of(device);
    const OnDevice current(found.number);
    return std::make_unique<CudaStreamBuffer>(found, bytes);
}

}  // namespace voxcc
