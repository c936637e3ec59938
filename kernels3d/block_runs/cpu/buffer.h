// Memory for the engine: large buffers are reserved address space on huge pages. Pages come with the first touch, so a generous bound
// costs nothing until it is used.
#pragma once
#include "kernels3d/error.h"

#include <cstddef>
#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <utility>

namespace voxcc::block_runs {

/// Uninitialised memory for trivial types; vector code may read 64 bytes past either end.
template <class T> class Buffer {
public:
    Buffer() = default;
    /// @throw Error out_of_memory
    explicit Buffer(std::size_t count) {
        if (count > (std::size_t{1} << 47) / sizeof(T)) fail(count);
        bytes_ = count * sizeof(T) + 2 * guard;
        void* base = nullptr;
        if (bytes_ < huge_page) {
            base = std::aligned_alloc(guard, (bytes_ + guard - 1) & ~(guard - 1));
        } else {
            bytes_ = (bytes_ + huge_page - 1) & ~(huge_page - 1);
            base = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (base == MAP_FAILED) base = nullptr;
            else madvise(base, bytes_, MADV_HUGEPAGE);  // a hint: without it everything works, slower
        }
        if (!base) fail(count);
        base_ = static_cast<std::byte*>(base);
        data_ = reinterpret_cast<T*>(base_ + guard);
    }
    Buffer(Buffer&& o) noexcept { swap(o); }
    Buffer& operator=(Buffer&& o) noexcept {
        swap(o);
        return *this;
    }
    ~Buffer() {
        if (bytes_ < huge_page) std::free(base_);
        else munmap(base_, bytes_);
    }
    T* data() { return data_; }
    const T* data() const { return data_; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }

private:
    static constexpr std::size_t huge_page = std::size_t{2} << 20, guard = 64;
    [[noreturn]] static void fail(std::size_t count) {
        throw Error(ExitCode::out_of_memory, "memory", "no " + std::to_string((count * sizeof(T) >> 20) + 1) + " MiB to be had");
    }
    void swap(Buffer& o) noexcept {
        std::swap(base_, o.base_);
        std::swap(bytes_, o.bytes_);
        std::swap(data_, o.data_);
    }
    std::byte* base_ = nullptr;
    std::size_t bytes_ = 0;
    T* data_ = nullptr;
};

}  // namespace voxcc::block_runs
