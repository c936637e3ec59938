// Uninitialised memory on huge pages.
#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace voxcc::bench {

struct FreeMemory {
    void operator()(void* p) const { std::free(p); }
};

/// An array that starts `offset` bytes after the start of a huge page. Arrays of a benchmark need different offsets: arrays at the same
/// offset in a page compete for the same cache set when they are read in parallel.
template <class T>
class HugeArray {
public:
    /// @param offset a multiple of 64, which streaming stores need; less than 4096
    /// @throw std::bad_alloc
    HugeArray(std::size_t count, std::size_t offset) : offset_(offset) {
        constexpr std::size_t page = std::size_t{2} << 20;
        const std::size_t bytes = (offset + count * sizeof(T) + 64 + page - 1) / page * page;  // vector code may read 64 bytes more
        memory_.reset(static_cast<std::byte*>(std::aligned_alloc(page, bytes)));
        if (!memory_) throw std::bad_alloc();
        madvise(memory_.get(), bytes, MADV_HUGEPAGE);  // only a hint
    }
    T* data() const { return reinterpret_cast<T*>(memory_.get() + offset_); }

private:
    std::unique_ptr<std::byte, FreeMemory> memory_;
    std::size_t offset_;
};

}  // namespace voxcc::bench
