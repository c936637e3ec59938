// The memory of an executor, with a count of its bytes, and arrays in this memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

namespace voxcc::exec {

/// Allocates the arrays of an executor and counts their bytes. Not thread-safe: only the host thread that runs the algorithm may allocate.
class Memory {
public:
    virtual ~Memory() = default;
    /// @return uninitialised memory, aligned to 256 bytes; null for 0 bytes
    /// @throw Error out_of_memory
    void* allocate(std::size_t bytes) {
        void* const p = bytes ? obtain(bytes) : nullptr;
        used_ += bytes;
        allocated_ += bytes;
        if (used_ > peak_) peak_ = used_;
        return p;
    }
    /// @param bytes must be the size that was passed to allocate()
    void release(void* p, std::size_t bytes) {
        if (bytes) give_back(p, bytes);
        used_ -= bytes;
    }
    /// The largest number of bytes in use at the same time since reset_peak().
    std::size_t peak() const { return peak_; }
    void reset_peak() { peak_ = used_; }
    /// The sum of the sizes of all allocations.
    std::size_t allocated() const { return allocated_; }

protected:
    virtual void* obtain(std::size_t bytes) = 0;
    virtual void give_back(void* p, std::size_t bytes) = 0;

private:
    std::size_t used_ = 0, peak_ = 0, allocated_ = 0;
};

/// Allocates from another Memory and has its own count: the bytes for one purpose.
class MemoryPart : public Memory {
public:
    explicit MemoryPart(Memory& memory) : memory_(memory) {}

protected:
    void* obtain(std::size_t bytes) override { return memory_.allocate(bytes); }
    void give_back(void* p, std::size_t bytes) override { memory_.release(p, bytes); }

private:
    Memory& memory_;
};

/// Owns `size()` uninitialised elements in the memory of an executor. T must be trivially copyable. The host must not access the elements
/// if the memory belongs to a GPU.
template <class T>
class Array {
public:
    Array() = default;
    Array(Memory& memory, std::int64_t size)
        : memory_(&memory), data_(static_cast<T*>(memory.allocate(std::size_t(size) * sizeof(T)))), size_(size), allocated_(size) {}
    Array(Array&& o) noexcept { swap(o); }
    Array& operator=(Array&& o) noexcept {
        swap(o);
        return *this;
    }
    ~Array() {
        if (memory_) memory_->release(data_, std::size_t(allocated_) * sizeof(T));
    }
    T* data() const { return data_; }
    std::int64_t size() const { return size_; }
    /// Keeps the first n elements, n being at most size(). The other elements stay allocated.
    void keep_first(std::int64_t n) { size_ = n; }

private:
    void swap(Array& o) noexcept {
        std::swap(memory_, o.memory_);
        std::swap(data_, o.data_);
        std::swap(size_, o.size_);
        std::swap(allocated_, o.allocated_);
    }
    Memory* memory_ = nullptr;
    T* data_ = nullptr;
    std::int64_t size_ = 0, allocated_ = 0;  // in elements
};

}  // namespace voxcc::exec
