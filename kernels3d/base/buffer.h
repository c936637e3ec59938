// Memory for the block-runs engine. A buffer is reserved address space; large buffers use huge pages. The system assigns a page at the
// first access to it, so a buffer may be larger than needed: unused pages take no memory. The first access to all pages takes longer than
// the labelling. Mappings are therefore kept for the next volume.
#pragma once
#include <cstddef>
#include <utility>

namespace voxcc {

/// Returns the kept mappings to the system. Useful before a volume of another shape: a kept mapping serves only requests of the same size.
/// Thread-safe.
void release_kept_memory();

/// A block of uninitialised memory, aligned to 64 bytes. Up to 64 bytes before its begin and after its end may be read.
class Block {
public:
    Block() = default;
    /// @throw Error out_of_memory
    explicit Block(std::size_t bytes);
    Block(Block&& o) noexcept
        : base_(std::exchange(o.base_, nullptr)), bytes_(std::exchange(o.bytes_, 0)), front_(std::exchange(o.front_, 0)) {}
    Block& operator=(Block&& o) noexcept {
        std::swap(base_, o.base_);
        std::swap(bytes_, o.bytes_);
        std::swap(front_, o.front_);
        return *this;
    }
    ~Block();
    std::byte* data() const { return base_ ? base_ + front_ : nullptr; }
    /// Requests small pages for a range in which perhaps few bytes are used: the first access to a huge page takes 2 MiB.
    /// @param first, bytes range, relative to data()
    void use_small_pages(std::size_t first, std::size_t bytes);

private:
    static constexpr std::size_t guard = 64;
    std::byte* base_ = nullptr;
    std::size_t bytes_ = 0;  // including the guards before and after the data
    std::size_t front_ = 0;  // bytes before the data, at least `guard`
};

/// A Block of `count` uninitialised elements. T must be a trivial type.
template <class T>
class Buffer {
public:
    Buffer() = default;
    explicit Buffer(std::size_t count) : block_(count > (std::size_t{1} << 47) / sizeof(T) ? ~std::size_t{0} : count * sizeof(T)) {}
    T* data() { return reinterpret_cast<T*>(block_.data()); }
    const T* data() const { return reinterpret_cast<const T*>(block_.data()); }
    T& operator[](std::size_t i) { return data()[i]; }
    const T& operator[](std::size_t i) const { return data()[i]; }
    /// See Block::use_small_pages(). `first` is an element index; `bytes` is in bytes.
    void use_small_pages(std::size_t first, std::size_t bytes) { block_.use_small_pages(first * sizeof(T), bytes); }

private:
    Block block_;
};

}  // namespace voxcc
