// Memory and streams of CUDA devices, and the check of CUDA calls. Part of cuda_executor.h.
#pragma once
#include <voxcc/error.h>
#include <voxcc/threads.h>
#include "kernels3d/exec/memory.h"
#include "kernels3d/exec/phases.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace voxcc::exec {

/// Checks the result of a CUDA call.
/// @throw Error out_of_memory or internal, with the name of the phase
inline void check(cudaError_t result, const char* phase) {
    if (result == cudaSuccess) return;
    cudaGetLastError();
    if (result == cudaErrorMemoryAllocation)
        throw Error(ErrorKind::device_memory, "CUDA", "out of device memory in phase '" + std::string(phase) + "'");
    throw Error(ErrorKind::device_failure, "CUDA", "phase '" + std::string(phase) + "' failed: " + cudaGetErrorString(result));
}

/// Makes `device` the current device of the calling thread. Freed device memory stays in the memory pool of the device for the next volume.
/// @throw Error no_device
void use_cuda_device(int device);

/// Gives device `to` direct access to the memory pool of device `from`, if the machine supports peer access.
void connect_cuda_devices(int from, int to);

/// A stream: its own, whose work does not wait for the work of other streams, or a stream of the caller.
class CudaStream {
public:
    CudaStream() : owner_(Owner::self) { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream"); }
    /// @param stream must exist while this object is used
    explicit CudaStream(cudaStream_t stream) : stream_(stream), owner_(Owner::caller) {}
    CudaStream(const CudaStream&) = delete;
    CudaStream& operator=(const CudaStream&) = delete;
    ~CudaStream() {
        if (owner_ == Owner::self) cudaStreamDestroy(stream_);
    }
    operator cudaStream_t() const { return stream_; }

private:
    cudaStream_t stream_ = nullptr;
    enum class Owner : std::uint8_t { self, caller } owner_;
};

/// Memory of a device: from its memory pool, which keeps freed memory, or from cudaMalloc.
class CudaMemory : public Memory {
public:
    /// @param device must be the current device
    CudaMemory(cudaStream_t stream, int device, Allocation allocation) : stream_(stream), device_(device), allocation_(allocation) {}
    /// @param pool a memory pool of the device
    CudaMemory(cudaStream_t stream, int device, cudaMemPool_t pool) : stream_(stream), device_(device), pool_(pool) {}
    ~CudaMemory() override {
        if (block_) give_back(std::exchange(block_, nullptr), 0);
    }
    /// Allocates one block for later arrays, because the driver needs a microsecond per allocation. Arrays for which the block has no room
    /// left are allocated one by one. May be called once.
    void reserve(std::size_t bytes) {
        block_ = static_cast<std::byte*>(from_device(bytes));
        room_ = bytes;
    }
    /// Allocation::fresh: the time that cudaMalloc and cudaFree have taken, by the host clock. The stream is idle during these calls.
    double milliseconds() const { return milliseconds_; }

protected:
    void* obtain(std::size_t bytes) override {
        const std::size_t padded = (bytes + 255) / 256 * 256;
        if (room_ - cut_ < padded) return from_device(bytes);
        cut_ += padded;
        return block_ + (cut_ - padded);
    }
    /// Works also while another device is the current device of the thread.
    void give_back(void* p, std::size_t) override {
        if (block_ && p >= block_ && p < block_ + room_) return;
        int current = device_;
        cudaGetDevice(&current);
        if (current != device_) cudaSetDevice(device_);
        if (allocation_ == Allocation::pool) cudaFreeAsync(p, stream_);
        else timed([&] { return cudaFree(p); });
        if (current != device_) cudaSetDevice(current);
    }

private:
    void* from_device(std::size_t bytes) {
        void* p = nullptr;
        if (pool_) check(cudaMallocFromPoolAsync(&p, bytes, pool_, stream_), "allocation");
        else if (allocation_ == Allocation::pool) check(cudaMallocAsync(&p, bytes, stream_), "allocation");
        else check(timed([&] { return cudaMalloc(&p, bytes); }), "allocation");
        return p;
    }
    /// Waits for the stream first, so that only the call is timed.
    template <class Call>
    cudaError_t timed(const Call& call) {
        cudaStreamSynchronize(stream_);
        Stopwatch watch;
        const cudaError_t result = call();
        milliseconds_ += 1000 * watch.lap();
        return result;
    }

    cudaStream_t stream_;
    int device_;
    Allocation allocation_ = Allocation::pool;
    cudaMemPool_t pool_ = nullptr;    // null: the current pool of the device
    std::byte* block_ = nullptr;      // null: no block
    std::size_t room_ = 0, cut_ = 0;  // bytes of the block, and how many of them are used
    double milliseconds_ = 0;
};

/// Pinned host memory, which the device can read and write directly. Its allocation takes longer than labelling its content. Freed pieces
/// are therefore kept for the next volume, until the program ends. The kept pieces are shared by all threads, under a lock.
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
            throw Error(ErrorKind::device_memory, "CUDA", "no " + std::to_string((bytes >> 20) + 1) + " MiB of pinned host memory");
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
    /// Numbers of kept pieces. An upload of bits uses two pieces; a download of labels uses one piece per thread.
    static constexpr std::size_t always_kept = 2, most_kept = 64;
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

}  // namespace voxcc::exec
