// Rows of values for the tests of vector code: special values of each type, and memory with a chosen alignment.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

namespace voxcc {

/// Extreme values of a type. Floats also have NaN of both signs, infinities, -0, and denormal numbers.
template <class T>
std::vector<T> special_values() {
    using L = std::numeric_limits<T>;
    std::vector<T> values{T(0), T(1), T(2), L::max(), T(L::max() - 1), T(L::max() / 2 + 1), L::lowest(), T(L::lowest() + 1)};
    if constexpr (std::is_floating_point_v<T>)
        for (const T v :
             {L::quiet_NaN(), -L::quiet_NaN(), L::infinity(), -L::infinity(), T(-0.0), L::denorm_min(), -L::denorm_min(), T(0.1)})
            values.push_back(v);
    return values;
}

/// Memory that is aligned to 64 bytes, so that an offset into it determines the alignment. All bits of the values are zero.
template <class T>
class Aligned {
public:
    explicit Aligned(std::int64_t count) : lines_(std::size_t(count) * sizeof(T) / 64 + 1) {}
    T* data() { return reinterpret_cast<T*>(lines_.data()); }
    std::int64_t size() const { return std::int64_t(lines_.size() * (64 / sizeof(T))); }

private:
    struct alignas(64) Line {
        T values[64 / sizeof(T)];
    };
    std::vector<Line> lines_;
};

/// A row that begins `offset` values after a multiple of 64 bytes and ends with its memory. An address sanitizer detects every read past
/// the end.
template <class T>
class AlignedRow {
public:
    AlignedRow(std::int64_t nx, std::int64_t offset) : nx_(nx) {
        // The vector has the alignment of a large allocation: 16 bytes. The row begins at the first place with the wanted alignment.
        memory_.resize(std::size_t(nx + 2 * per_line));
        const auto address = reinterpret_cast<std::uintptr_t>(memory_.data()) / sizeof(T);
        first_ = std::size_t((per_line - std::int64_t(address % per_line)) % per_line + offset);
        memory_.resize(first_ + std::size_t(nx));  // shrinks, so the memory stays where it is
    }
    T* data() { return memory_.data() + first_; }
    const T* data() const { return memory_.data() + first_; }
    std::int64_t size() const { return nx_; }
    T* begin() { return data(); }
    T* end() { return data() + nx_; }

    static constexpr std::int64_t per_line = 64 / std::int64_t(sizeof(T));  // number of different offsets

private:
    std::vector<T> memory_;
    std::size_t first_;
    std::int64_t nx_;
};

}  // namespace voxcc
