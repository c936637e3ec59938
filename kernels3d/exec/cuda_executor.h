// The executor for one CUDA device; see executor.h for the contract. Only .cu files include it. Only this header and the other headers
// cuda_*.h launch kernels, allocate device memory and check CUDA calls.
#pragma once
#include "kernels3d/exec/cuda_kernels.h"
#include "kernels3d/exec/cuda_phases.h"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/scan.h>
#include <thrust/system/cuda/execution_policy.h>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

namespace voxcc::exec {

/// An allocator for the scratch memory of Thrust algorithms.
struct ThrustScratch {
    using value_type = char;
    Memory* memory;
    char* allocate(std::ptrdiff_t bytes) { return static_cast<char*>(memory->allocate(std::size_t(bytes))); }
    void deallocate(char* p, std::size_t bytes) { memory->release(p, bytes); }
};

/// Runs phases on a CUDA device; the functions are documented in executor.h.
class CudaExecutor {
public:
    template <int Lanes, class Shared>
    using Tile = CudaTile<Lanes, Shared>;

    void set_timing(Timing timing) { phases_.set_timing(timing); }

    /// Uses the current device of the calling thread and creates a stream for all work of this executor.
    explicit CudaExecutor(Allocation allocation = Allocation::pool) : device_(current_device()), memory_(stream_, device_, allocation) {}
    /// Runs all work on a stream of the caller, in order with other work of this stream. Does not measure times.
    /// @param stream a stream of the current device of the calling thread; must exist while the executor is used
    /// @param pool the memory pool of the device from which arrays are allocated
    CudaExecutor(cudaStream_t stream, cudaMemPool_t pool) : device_(current_device()), stream_(stream), memory_(stream, device_, pool) {
        phases_.set_timing(Timing::none);
    }
    /// Allocates `bytes` for the next arrays at once.
    void reserve(std::size_t bytes) { memory_.reserve(bytes); }
    /// Allocation::fresh: the time that allocation and release of arrays have taken.
    double allocation_milliseconds() const { return memory_.milliseconds(); }
    Memory& memory() { return memory_; }
    Memory& staging() { return staging_; }
    void enter() { check(cudaSetDevice(device_), "device"); }
    void wait() { phases_.synchronize("end"); }
    std::unique_ptr<CudaExecutor> another() {
        enter();
        return std::make_unique<CudaExecutor>();
    }
    std::size_t free_bytes() {
        std::size_t free = 0, all = 0;
        std::uint64_t reserved = 0, used = 0;  // bytes of the memory pool, which keeps freed memory
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
        timed(phase, [&] {
            launch(phase, Start::early, cuda::for_each_index<F>, unsigned((n + cuda::block - 1) / cuda::block), cuda::block, n, f);
        });
    }
    template <class F>
    void for_each(const char* phase, const Grid& grid, const F& f) {
        if (grid.cells() == 0) return;
        timed(phase, [&] {
            const dim3 lanes = cuda::lanes_for(cuda::lanes_of<F>(), grid);
            const dim3 blocks((grid.x + lanes.x - 1) / lanes.x, (grid.y + lanes.y - 1) / lanes.y, (grid.z + lanes.z - 1) / lanes.z);
            if (blocks.y < 65536 && blocks.z < 65536) launch(phase, Start::early, cuda::for_each_cell<F>, blocks, lanes, grid, f);
            else
                launch(phase, Start::early, cuda::for_each_cell_of_long_grid<F>, unsigned((grid.cells() + cuda::block - 1) / cuda::block),
                       cuda::block, grid, f);
        });
    }
    template <int Lanes, class Shared, class F>
    void for_each_tile(const char* phase, std::int64_t tiles, const F& f) {
        static_assert(Lanes % 32 == 0);
        if (tiles == 0) return;
        timed(phase, [&] { launch(phase, start_of<F>(), cuda::for_each_tile<Lanes, Shared, F>, unsigned(tiles), Lanes, f); });
    }
    template <class Chosen>
    Array<std::uint32_t> select(const char* phase, std::int64_t n, const Chosen& is_chosen) {
        // The number of results is needed to allocate the list: count first, then list.
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
    void inclusive_scan(const char* phase, Array<std::uint32_t>& values) {
        timed(phase, [&] {
            ThrustScratch scratch{&memory_};
            thrust::inclusive_scan(thrust::cuda::par_nosync(scratch).on(stream_), values.data(), values.data() + values.size(),
                                   values.data());
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
        phases_.end_phases();
        T value;
        check(cudaMemcpyAsync(&value, p, sizeof value, cudaMemcpyDeviceToHost, stream_), "fetch");
        phases_.synchronize("fetch");
        return value;
    }
    template <class T>
    std::vector<T> fetch(const Array<T>& array) {
        std::vector<T> values(std::size_t(array.size()));
        if (values.empty()) return values;
        phases_.end_phases();
        check(cudaMemcpyAsync(values.data(), array.data(), values.size() * sizeof(T), cudaMemcpyDeviceToHost, stream_), "fetch");
        phases_.synchronize("fetch");
        return values;
    }

    template <class T>
    void upload(const char* phase, const T* from, Array<T>& to) {
        timed(phase,
              [&] { check(cudaMemcpyAsync(to.data(), from, std::size_t(to.size()) * sizeof(T), cudaMemcpyHostToDevice, stream_), phase); });
        phases_.synchronize(phase);
    }
    template <class T>
    void send(const char* phase, const T* from, Array<T>& to, std::int64_t first, std::int64_t n) {
        timed(phase,
              [&] { check(cudaMemcpyAsync(to.data() + first, from, std::size_t(n) * sizeof(T), cudaMemcpyHostToDevice, stream_), phase); });
    }
    template <class T>
    void download(const char* phase, const Array<T>& from, std::int64_t n, T* to) {
        receive(phase, from, n, to);
        phases_.synchronize(phase);
    }
    template <class T>
    void receive(const char* phase, const Array<T>& from, std::int64_t n, T* to) {
        receive(phase, from.data(), n, to);
    }
    template <class T>
    void receive(const char* phase, const T* from, std::int64_t n, T* to) {
        timed(phase, [&] { check(cudaMemcpyAsync(to, from, std::size_t(n) * sizeof(T), cudaMemcpyDeviceToHost, stream_), phase); });
    }
    void mark() {
        if (!mark_) mark_.emplace();
        check(cudaEventRecord(*mark_, stream_), "mark");
    }
    void wait_for_mark() { check(cudaEventSynchronize(*mark_), "mark"); }
    template <class T>
    const T* reach(const char* phase, CudaExecutor& owner, const Array<T>& from, Array<T>& copy) {
        if (owner.mark_) check(cudaStreamWaitEvent(stream_, *owner.mark_), phase);
        if (sees(owner.device_)) return from.data();
        if (copy.size() < from.size()) copy = Array<T>(memory_, from.size());
        timed(phase, [&] {
            check(cudaMemcpyPeerAsync(copy.data(), device_, from.data(), owner.device_, std::size_t(from.size()) * sizeof(T), stream_),
                  phase);
        });
        return copy.data();
    }

    /// Runs work() as a phase. For work on stream() that is issued outside this class, such as copies.
    template <class Work>
    void timed(const char* phase, const Work& work) {
        phases_.timed(phase, work);
    }
    template <class Work>
    void in_one_phase(const char* phase, const Work& work) {
        phases_.timed_as_one(phase, work);
    }
    /// See CudaPhases::timed_from_first_phase().
    template <class Work>
    void timed_from_first_phase(const char* phase, const std::function<void()>& before_first, const Work& work) {
        phases_.timed_from_first_phase(phase, before_first, work);
    }
    std::vector<Phase> phases() { return phases_.phases(); }
    void reset_phases() { phases_.reset(); }
    cudaStream_t stream() const { return stream_; }

private:
    template <class... Parameters, class... Arguments>
    void launch(const char* phase, Start start, void (*kernel)(Parameters...), dim3 blocks, dim3 lanes, const Arguments&... arguments) {
        const bool starts_early = start == Start::early && starts_early_ && cuda::may_start_early(blocks);
        cudaLaunchAttribute early{};
        early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        early.val.programmaticStreamSerializationAllowed = 1;
        cudaLaunchConfig_t config{};
        config.gridDim = blocks, config.blockDim = lanes, config.stream = stream_;
        config.attrs = &early, config.numAttrs = starts_early ? 1 : 0;
        check(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...), phase);
    }
    static bool starts_early(int device) {
        int major = 0;
        check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "device");
        return major >= 9;
    }
    /// Whether this device has direct access to the memory of device `other`; see connect_cuda_devices().
    bool sees(int other) const {
        if (other == device_) return true;
        cudaMemPool_t pool = nullptr;
        cudaMemLocation here{};
        here.type = cudaMemLocationTypeDevice;
        here.id = device_;
        cudaMemAccessFlags access = cudaMemAccessFlagsProtNone;
        check(cudaDeviceGetDefaultMemPool(&pool, other), "device");
        check(cudaMemPoolGetAccess(&access, pool, &here), "device");
        return access != cudaMemAccessFlagsProtNone;
    }
    static int current_device() {
        int device = 0;
        check(cudaGetDevice(&device), "device");
        return device;
    }
    /// Runs a cub operation with scratch memory. A first call without scratch memory returns the number of bytes that cub needs.
    template <class Call>
    void with_scratch(const char* phase, const Call& call) {
        std::size_t bytes = 0;
        check(call(nullptr, bytes), phase);
        Array<std::byte> scratch(memory_, std::int64_t(std::max<std::size_t>(bytes, 1)));
        timed(phase, [&] { check(call(scratch.data(), bytes), phase); });
    }

    int device_;
    bool starts_early_ = starts_early(device_);
    CudaStream stream_;
    CudaMemory memory_;
    PinnedMemory staging_;
    CudaPhases phases_{stream_};
    std::optional<CudaEvent> mark_;  // made by the first mark()
};
static_assert(TransferExecutor<CudaExecutor>);

}  // namespace voxcc::exec
