// A pointer that counts the accesses through it, per thread. A read or write of a word counts as one, and so does a read of four bytes at
// once. An atomic operation counts as one atomic, even if a CPU needs several attempts.
#pragma once
#include "kernels3d/exec/atomic.h"

#include <cstddef>
#include <cstring>

namespace voxcc::exec {

struct Accesses {
    std::uint64_t reads = 0, writes = 0, atomics = 0;
    std::uint64_t bytes_read = 0, bytes_written = 0;  // an atomic operation reads and writes its word

    void read(std::size_t bytes) { ++reads, bytes_read += bytes; }
    void write(std::size_t bytes) { ++writes, bytes_written += bytes; }
    void change(std::size_t bytes) { ++atomics, bytes_read += bytes, bytes_written += bytes; }
};
inline thread_local Accesses accesses;

/// The result of * and [] on a pointer to non-const words.
template <class T>
class CountingReference {
public:
    explicit CountingReference(T* p) : p_(p) {}
    operator T() const {
        accesses.read(sizeof(T));
        return *p_;
    }
    const CountingReference& operator=(T value) const {
        accesses.write(sizeof(T));
        *p_ = value;
        return *this;
    }
    const CountingReference& operator=(const CountingReference& o) const { return *this = T(o); }
    const CountingReference& operator&=(T value) const { return *this = T(T(*this) & value); }

private:
    T* p_;
};

template <class T>
class CountingPointer {
public:
    using Value = std::remove_const_t<T>;
    CountingPointer() = default;
    CountingPointer(T* p) : p_(p) {}
    operator CountingPointer<const T>() const requires(!std::is_const_v<T>) { return p_; }
    /// The plain pointer; accesses through it are not counted.
    T* plain() const { return p_; }

    auto operator*() const {
        if constexpr (std::is_const_v<T>) {
            accesses.read(sizeof(T));
            return Value(*p_);
        } else {
            return CountingReference<T>(p_);
        }
    }
    auto operator[](std::int64_t i) const { return *(*this + i); }
    CountingPointer operator+(std::int64_t n) const { return p_ + n; }
    CountingPointer operator-(std::int64_t n) const { return p_ - n; }
    CountingPointer& operator+=(std::int64_t n) {
        p_ += n;
        return *this;
    }

private:
    T* p_ = nullptr;
};

// The functions of atomic.h and pointer.h for counting pointers.
template <class T>
std::remove_const_t<T> load(CountingPointer<T> p) {
    accesses.read(sizeof(T));
    return load(p.plain());
}
template <class T>
void store(CountingPointer<T> p, std::type_identity_t<T> value) {
    accesses.write(sizeof(T));
    store(p.plain(), value);
}
template <class T>
T fetch_min(CountingPointer<T> p, std::type_identity_t<T> value) {
    accesses.change(sizeof(T));
    return fetch_min(p.plain(), value);
}
inline std::uint32_t append(CountingPointer<std::uint32_t> count) {
    accesses.change(sizeof(std::uint32_t));
    return append(count.plain());
}
template <class T>
std::uintptr_t address_of(CountingPointer<T> p) {
    return reinterpret_cast<std::uintptr_t>(p.plain());
}
inline std::uint32_t word_at(CountingPointer<const std::uint8_t> p) {
    std::uint32_t word;
    accesses.read(sizeof word);
    std::memcpy(&word, p.plain(), sizeof word);
    return word;
}

}  // namespace voxcc::exec
