// Memory for the engine: buffers are reserved address space, large ones on huge pages. Pages come with the first touch, so a generous bound
// costs nothing until it is used; and since the first touch costs more than the labelling, mappings are kept for the next volume.
#pragma once
#include <cstddef>
#include <utility>

namespace voxcc {

/// Gives mappings that are kept for the next volume back to the system; where that is of another shape, they are of no use to it.
void release_kept_memory();

/// A piece of uninitialised memory, 64 bytes aligned; vector code may read 64 bytes past either end.
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
    /// For bytes of which few may be touched: a huge page would be 2 MiB for the first of them.
    void use_small_pages(std::size_t first, std::size_t bytes);

private:
    static constexpr std::size_t guard = 64;
    std::byte* base_ = nullptr;
    std::size_t bytes_ = 0;  // with both guards
    std::size_t front_ = 0;  // bytes before the data: a guard or more
};

/// The same for trivial types.
template <class T>
class Buffer {
public:
    Buffer() = default;
    explicit Buffer(std::size_t count) : block_(count > (std::size_t{1} << 47) / sizeof(T) ? ~std::size_t{0} : count * sizeof(T)) {}
    T* data() { return reinterpret_cast<T*>(block_.data()); }
    const T* data() const { return reinterpret_cast<const T*>(block_.data()); }
    T& operator[](std::size_t i) { return data()[i]; }
    const T& operator[](std::size_t i) const { return data()[i]; }
    /// As Block's, for elements from `first` on.
    void use_small_pages(std::size_t first, std::size_t bytes) { block_.use_small_pages(first * sizeof(T), bytes); }

private:
    Block block_;
};

}  // namespace voxcc
