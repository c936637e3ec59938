// Memory of an executor, counted, and arrays in it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

namespace voxcc::exec {

/// Where an executor's arrays live. Not thread-safe: the host thread that runs the algorithm allocates.
class Memory {
public:
    virtual ~Memory() = default;
    /// @return aligned to 256 bytes, not initialised. @throw Error out_of_memory
    void* allocate(std::size_t bytes) {
        void* const p = bytes ? obtain(bytes) : nullptr;
        used_ += bytes;
        if (used_ > peak_) peak_ = used_;
        return p;
    }
    void release(void* p, std::size_t bytes) {
        if (bytes) give_back(p, bytes);
        used_ -= bytes;
    }
    /// The most bytes in use at once since reset_peak().
    std::size_t peak() const { return peak_; }
    void reset_peak() { peak_ = used_; }

protected:
    virtual void* obtain(std::size_t bytes) = 0;
    virtual void give_back(void* p, std::size_t bytes) = 0;

private:
    std::size_t used_ = 0, peak_ = 0;
};

/// Memory of another, with a count of its own: what one purpose takes.
class MemoryPart : public Memory {
public:
    explicit MemoryPart(Memory& whole) : whole_(whole) {}

protected:
    void* obtain(std::size_t bytes) override { return whole_.allocate(bytes); }
    void give_back(void* p, std::size_t bytes) override { whole_.release(p, bytes); }

private:
    Memory& whole_;
};

/// Owns `size()` elements in an executor's memory. Only trivially copyable T; never touched by the host where that memory is a GPU's.
template <class T>
class Array {
public:
    Array() = default;
    Array(Memory& memory, std::int64_t size)
        : memory_(&memory), data_(static_cast<T*>(memory.allocate(std::size_t(size) * sizeof(T)))), size_(size) {}
    Array(Array&& o) noexcept { swap(o); }
    Array& operator=(Array&& o) noexcept {
        swap(o);
        return *this;
    }
    ~Array() {
        if (memory_) memory_->release(data_, std::size_t(size_) * sizeof(T));
    }
    T* data() const { return data_; }
    std::int64_t size() const { return size_; }

private:
    void swap(Array& o) noexcept {
        std::swap(memory_, o.memory_);
        std::swap(data_, o.data_);
        std::swap(size_, o.size_);
    }
    Memory* memory_ = nullptr;
    T* data_ = nullptr;
    std::int64_t size_ = 0;
};

}  // namespace voxcc::exec
