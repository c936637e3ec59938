// The executor of one CUDA device; see executor.h. Only .cu files include it, and only here is CUDA launched, allocated and checked.
#pragma once
#include "kernels3d/exec/executor.h"
#include "kernels3d/exec/tile.h"

#include <cuda_runtime.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

namespace voxcc::exec {

/// @throw Error out_of_memory or internal, naming the phase
inline void check(cudaError_t result, const char* phase) {
    if (result == cudaSuccess) return;
    cudaGetLastError();
    if (result == cudaErrorMemoryAllocation)
        throw Error(ExitCode::out_of_memory, "CUDA", "out of device memory in phase '" + std::string(phase) + "'",
                    "use --device cpu, or a smaller volume");
    throw Error(ExitCode::internal, "CUDA", "phase '" + std::string(phase) + "' failed: " + cudaGetErrorString(result),
                "use --device cpu and report this");
}

/// Makes a device the calling thread's. Memory that is given back stays in the device's pool for the next volume.
/// @throw Error no_device
void use_cuda_device(int device);

/// Lets `to` read the pool of `from` without a way through the host, where the machine can do that.
void connect_cuda_devices(int from, int to);

/// From the pool of a device, which keeps what is given back.
class CudaMemory : public Memory {
public:
    /// @param device the current one
    CudaMemory(cudaStream_t stream, int device) : stream_(stream), device_(device) {}

protected:
    void* obtain(std::size_t bytes) override {
        void* p = nullptr;
        check(cudaMallocAsync(&p, bytes, stream_), "allocation");
        return p;
    }
    /// Also where the thread has turned to another device.
    void give_back(void* p, std::size_t) override {
        int current = device_;
        cudaGetDevice(&current);
        if (current != device_) cudaSetDevice(device_);
        cudaFreeAsync(p, stream_);
        if (current != device_) cudaSetDevice(current);
    }

private:
    cudaStream_t stream_;
    int device_;
};

/// Host memory that the device reads and writes by itself. To obtain it takes longer than to label what it holds, so that some is kept for
/// the next volume, until the program ends.
class PinnedMemory : public Memory {
protected:
    void* obtain(std::size_t bytes) override {
        {
            const std::lock_guard lock(kept().mutex);
            for (Piece& piece : kept().pieces)
                if (piece.bytes >= bytes && piece.bytes / 2 <= bytes) {
                    used_.push_back(piece);
                    piece = kept().pieces.back();
                    kept().pieces.pop_back();
                    return used_.back().data;
                }
        }
        void* p = nullptr;
        const cudaError_t result = cudaMallocHost(&p, bytes);
        if (result == cudaErrorMemoryAllocation) {
            cudaGetLastError();
            throw Error(ExitCode::out_of_memory, "CUDA", "no " + std::to_string((bytes >> 20) + 1) + " MiB of pinned host memory",
                        "use --device cpu, or a smaller volume");
        }
        check(result, "pinned host memory");
        used_.push_back({p, bytes});
        return p;
    }
    void give_back(void* p, std::size_t) override {
        const auto at = std::find_if(used_.begin(), used_.end(), [p](const Piece& piece) { return piece.data == p; });
        const Piece given = *at;
        used_.erase(at);
        const std::lock_guard lock(kept().mutex);
        std::vector<Piece>& pieces = kept().pieces;
        pieces.push_back(given);
        const auto bytes = [&] {
            std::size_t sum = 0;
            for (const Piece& piece : pieces) sum += piece.bytes;
            return sum;
        };
        while (pieces.size() > always_kept && (pieces.size() > most_kept || bytes() > most_bytes)) {
            cudaFreeHost(pieces.front().data);
            pieces.erase(pieces.begin());
        }
    }

private:
    static constexpr std::size_t always_kept = 2, most_kept = 64;  // bits on their way in; labels on their way out, a piece a thread
    static constexpr std::size_t most_bytes = std::size_t{512} << 20;
    struct Piece {
        void* data;
        std::size_t bytes;
    };
    struct Kept {
        std::mutex mutex;
        std::vector<Piece> pieces;
    };
    static Kept& kept() {
        static Kept pieces;
        return pieces;
    }
    std::vector<Piece> used_;
};

/// Work in it waits for none of other streams.
class CudaStream {
public:
    CudaStream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream"); }
    CudaStream(const CudaStream&) = delete;
    CudaStream& operator=(const CudaStream&) = delete;
    ~CudaStream() { cudaStreamDestroy(stream_); }
    operator cudaStream_t() const { return stream_; }

private:
    cudaStream_t stream_ = nullptr;
};

class CudaEvent {
public:
    CudaEvent() { check(cudaEventCreate(&event_), "event"); }
    CudaEvent(CudaEvent&& o) noexcept : event_(std::exchange(o.event_, nullptr)) {}
    ~CudaEvent() {
        if (event_) cudaEventDestroy(event_);
    }
    operator cudaEvent_t() const { return event_; }

private:
    cudaEvent_t event_ = nullptr;
};

namespace cuda {

inline constexpr unsigned block = 256;

template <class F>
constexpr Lanes lanes_of() {
    if constexpr (requires { F::lanes; }) return F::lanes;
    else return {32, 8, 1};
}

/// As wanted; what is wider than the grid goes to y.
inline dim3 lanes_for(Lanes wanted, const Grid& grid) {
    for (; wanted.x > 32 && wanted.x / 2 >= grid.x; wanted.x /= 2) wanted.y *= 2;
    return {wanted.x, wanted.y, wanted.z};
}

template <class F>
__global__ void for_each_index(std::int64_t n, F f) {
    const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) f(i);
}

template <class F>
__global__ void for_each_cell(Grid grid, F f) {
    const Cell c{blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y, blockIdx.z * blockDim.z + threadIdx.z};
    if (c.x < grid.x && c.y < grid.y && c.z < grid.z) f(c);
}

/// Grids whose y and z are more than a launch can count.
template <class F>
__global__ void for_each_cell_of_long_grid(Grid grid, F f) {
    const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= grid.cells()) return;
    f(Cell{std::uint32_t(i % grid.x), std::uint32_t(i / grid.x % grid.y), std::uint32_t(i / grid.x / grid.y)});
}

template <class Chosen>
struct CountChosen {
    Chosen is_chosen;
    std::uint32_t* count;
    __device__ void operator()(std::int64_t i) const {
        const unsigned vote = __ballot_sync(__activemask(), is_chosen(i));
        if (vote && (threadIdx.x & 31) == 0) atomicAdd(count, __popc(vote));
    }
};
template <class T>
struct Fill {
    T* data;
    T value;
    __device__ void operator()(std::int64_t i) const { data[i] = value; }
};

/// Lanes that a processor of the architecture compiled for holds at once.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000
inline constexpr int most_lanes = 2048;
#elif __CUDA_ARCH__ == 750
inline constexpr int most_lanes = 1024;
#else
inline constexpr int most_lanes = 1536;
#endif

template <int Lanes, class Shared, class F>
__global__ void __launch_bounds__(Lanes, std::min(resident_of<F>(), most_lanes / Lanes)) for_each_tile(F f) {
    __shared__ Shared shared;
    CudaTile<Lanes, Shared> tile(shared);
    f(tile, std::int64_t(blockIdx.x));
}

}  // namespace cuda

class CudaExecutor {
public:
    template <int Lanes, class Shared>
    using Tile = CudaTile<Lanes, Shared>;

    void set_timing(Timing timing) { timing_ = timing; }

    /// The current device; all work goes to a stream of its own.
    CudaExecutor() : device_(current_device()), memory_(stream_, device_) {}
    Memory& memory() { return memory_; }
    Memory& staging() { return staging_; }
    void enter() { check(cudaSetDevice(device_), "device"); }
    void wait() { synchronize("end"); }
    std::unique_ptr<CudaExecutor> another() {
        enter();
        return std::make_unique<CudaExecutor>();
    }
    std::size_t free_bytes() {
        std::size_t free = 0, all = 0;
        std::uint64_t reserved = 0, used = 0;  // by the pool, which keeps what is given back
        cudaMemPool_t pool = nullptr;
        check(cudaMemGetInfo(&free, &all), "device");
        check(cudaDeviceGetDefaultMemPool(&pool, device_), "device");
        check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved), "device");
        check(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), "device");
        return free + std::size_t(reserved - used);
    }

    template <class F>
    void for_each(const char* phase, std::int64_t n, const F& f) {
        if (n == 0) return;
        timed(phase, [&] { cuda::for_each_index<<<unsigned((n + cuda::block - 1) / cuda::block), cuda::block, 0, stream_>>>(n, f); });
    }
    template <class F>
    void for_each(const char* phase, const Grid& grid, const F& f) {
        if (grid.cells() == 0) return;
        timed(phase, [&] {
            const dim3 lanes = cuda::lanes_for(cuda::lanes_of<F>(), grid);
            const dim3 blocks((grid.x + lanes.x - 1) / lanes.x, (grid.y + lanes.y - 1) / lanes.y, (grid.z + lanes.z - 1) / lanes.z);
            if (blocks.y < 65536 && blocks.z < 65536) cuda::for_each_cell<<<blocks, lanes, 0, stream_>>>(grid, f);
            else
                cuda::for_each_cell_of_long_grid<<<unsigned((grid.cells() + cuda::block - 1) / cuda::block), cuda::block, 0, stream_>>>(
                    grid, f);
        });
    }
    template <int Lanes, class Shared, class F>
    void for_each_tile(const char* phase, std::int64_t tiles, const F& f) {
        static_assert(Lanes % 32 == 0);
        if (tiles == 0) return;
        timed(phase, [&] { cuda::for_each_tile<Lanes, Shared><<<unsigned(tiles), Lanes, 0, stream_>>>(f); });
    }
    template <class Chosen>
    Array<std::uint32_t> select(const char* phase, std::int64_t n, const Chosen& is_chosen) {
        // As many as there are is not known before: count, then list.
        Array<std::uint32_t> count(memory_, 1);
        fill(phase, count, std::uint32_t{0});
        std::uint32_t* const counter = count.data();
        for_each(phase, n, cuda::CountChosen<Chosen>{is_chosen, counter});
        Array<std::uint32_t> chosen(memory_, fetch(counter));
        if (chosen.size() == 0) return chosen;
        const thrust::counting_iterator<std::uint32_t> all(0);
        with_scratch(phase, [&](void* scratch, std::size_t& bytes) {
            return cub::DeviceSelect::If(scratch, bytes, all, chosen.data(), counter, n, is_chosen, stream_);
        });
        return chosen;
    }
    template <class Value>
    void exclusive_scan(const char* phase, std::int64_t n, const Value& value, Array<std::uint32_t>& sums) {
        const auto values = thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), value);
        with_scratch(phase, [&](void* scratch, std::size_t& bytes) {
            return cub::DeviceScan::ExclusiveSum(scratch, bytes, values, sums.data(), n, stream_);
        });
    }
    void sort_by_key(const char* phase, Array<std::uint32_t>& keys, Array<std::uint32_t>& values) {
        const std::int64_t n = keys.size();
        if (n < 2) return;
        Array<std::uint32_t> sorted_keys(memory_, n), sorted_values(memory_, n);
        with_scratch(phase, [&](void* scratch, std::size_t& bytes) {
            return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys.data(), sorted_keys.data(), values.data(), sorted_values.data(), n,
                                                   0, 32, stream_);
        });
        keys = std::move(sorted_keys);
        values = std::move(sorted_values);
    }
    template <class T>
    void fill(const char* phase, Array<T>& array, T value) {
        for_each(phase, array.size(), cuda::Fill<T>{array.data(), value});
    }
    template <class T>
    T fetch(const T* p) {
        T value;
        check(cudaMemcpyAsync(&value, p, sizeof value, cudaMemcpyDeviceToHost, stream_), "fetch");
        synchronize("fetch");
        return value;
    }
    template <class T>
    std::vector<T> fetch(const Array<T>& array) {
        std::vector<T> values(std::size_t(array.size()));
        if (values.empty()) return values;
        check(cudaMemcpyAsync(values.data(), array.data(), values.size() * sizeof(T), cudaMemcpyDeviceToHost, stream_), "fetch");
        synchronize("fetch");
        return values;
    }

    template <class T>
    void upload(const char* phase, const T* from, Array<T>& to) {
        timed(phase,
              [&] { check(cudaMemcpyAsync(to.data(), from, std::size_t(to.size()) * sizeof(T), cudaMemcpyHostToDevice, stream_), phase); });
        synchronize(phase);
    }
    template <class T>
    void send(const char* phase, const T* from, Array<T>& to, std::int64_t first, std::int64_t n) {
        timed(phase,
              [&] { check(cudaMemcpyAsync(to.data() + first, from, std::size_t(n) * sizeof(T), cudaMemcpyHostToDevice, stream_), phase); });
    }
    template <class T>
    void download(const char* phase, const Array<T>& from, std::int64_t n, T* to) {
        timed(phase, [&] { check(cudaMemcpyAsync(to, from.data(), std::size_t(n) * sizeof(T), cudaMemcpyDeviceToHost, stream_), phase); });
        synchronize(phase);
    }
    template <class T>
    void bring(const char* phase, CudaExecutor& owner, const Array<T>& from, Array<T>& to) {
        timed(phase, [&] {
            check(cudaMemcpyPeerAsync(to.data(), device_, from.data(), owner.device_, std::size_t(to.size()) * sizeof(T), stream_), phase);
        });
    }

    /// Work of its own kind as a phase, such as a copy.
    template <class Work>
    void timed(const char* phase, const Work& work) {
        if (waits_for_first_) {
            record_event(phase);
            spans_[inside_span_].begin = events_used_ - 1;
            waits_for_first_ = false;
        }
        if (inside_ > 0 && timing_ == Timing::outermost) {
            work();
            check(cudaGetLastError(), phase);
            return;
        }
        const std::size_t span = spans_.size();
        if (!busy_) record_event(phase);
        spans_.push_back({phase, events_used_ - 1, 0});
        ++inside_;
        work();
        --inside_;
        check(cudaGetLastError(), phase);
        record_event(phase);
        spans_[span].end = events_used_ - 1;
    }
    /// As timed(), from the first phase in it on: what the host does before, such as to allocate, is not counted.
    template <class Work>
    void timed_from_first_phase(const char* phase, const Work& work) {
        synchronize(phase);
        inside_span_ = spans_.size();
        spans_.push_back({phase, 0, 0});
        waits_for_first_ = true;
        ++inside_;
        work();
        --inside_;
        record_event(phase);
        spans_[inside_span_].end = events_used_ - 1;
        if (waits_for_first_) spans_[inside_span_].begin = events_used_ - 1;
        waits_for_first_ = false;
    }
    std::vector<Phase> phases() {
        synchronize("end");
        std::vector<Phase> phases;
        for (const Span& span : spans_) {
            float milliseconds = 0;
            check(cudaEventElapsedTime(&milliseconds, events_[span.begin], events_[span.end]), span.phase);
            add_phase(phases, span.phase, milliseconds);
        }
        return phases;
    }
    void reset_phases() {
        spans_.clear();
        events_used_ = 0;
        busy_ = false;
    }
    cudaStream_t stream() const { return stream_; }

private:
    static int current_device() {
        int device = 0;
        check(cudaGetDevice(&device), "device");
        return device;
    }
    /// A phase that follows another at once begins with the event that ended that one: an event takes about as long as a launch.
    struct Span {
        const char* phase;
        std::size_t begin, end;  // of events_
    };
    void record_event(const char* phase) {
        if (events_used_ == events_.size()) events_.emplace_back();
        check(cudaEventRecord(events_[events_used_++], stream_), phase);
        busy_ = true;
    }
    /// Waits for the device, which has nothing to do then.
    void synchronize(const char* phase) {
        check(cudaStreamSynchronize(stream_), phase);
        busy_ = false;
    }
    /// cub's way: asked without scratch memory, a call says how much it needs.
    template <class Call>
    void with_scratch(const char* phase, const Call& call) {
        std::size_t bytes = 0;
        check(call(nullptr, bytes), phase);
        Array<std::byte> scratch(memory_, std::int64_t(std::max<std::size_t>(bytes, 1)));
        timed(phase, [&] { check(call(scratch.data(), bytes), phase); });
    }

    int device_;
    CudaStream stream_;
    CudaMemory memory_;
    PinnedMemory staging_;
    std::vector<Span> spans_;
    std::vector<CudaEvent> events_;
    std::size_t events_used_ = 0;  // since reset_phases()
    int inside_ = 0;               // phases that have begun
    std::size_t inside_span_ = 0;  // of timed_from_first_phase()
    bool waits_for_first_ = false;
    Timing timing_ = Timing::each;
    bool busy_ = false;  // whether no host code has waited since the last event
};

}  // namespace voxcc::exec
