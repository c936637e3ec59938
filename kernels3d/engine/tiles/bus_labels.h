// Labels for the transfer to the host: the narrowest unsigned integers that hold them. Threads of the host widen them.
#pragma once
#include "kernels3d/base/host_device.h"
#include "kernels3d/simd/simd.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace voxcc::block_runs::tiles {

/// An unsigned integer of three bytes, lowest byte first. Up to 2^24 labels take three quarters of the transfer time of four bytes per
/// label.
struct Label24 {
    std::uint8_t bytes[3];
    Label24() = default;
    VOXCC_HD explicit Label24(std::uint32_t value) : bytes{std::uint8_t(value), std::uint8_t(value >> 8), std::uint8_t(value >> 16)} {}
    VOXCC_HD operator std::uint32_t() const {
        return std::uint32_t(bytes[0]) | std::uint32_t(bytes[1]) << 8 | std::uint32_t(bytes[2]) << 16;
    }
};
static_assert(sizeof(Label24) == 3);

/// Bytes of the narrowest type that holds labels up to `largest`, which must be less than 2^32.
inline int bytes_on_bus(std::uint64_t largest) { return largest < 1u << 8 ? 1 : largest < 1u << 16 ? 2 : largest < 1u << 24 ? 3 : 4; }

/// Calls f<Label>() with the transfer type of 1, 2, 3 or 4 bytes.
template <class F>
void visit_bus_label(int bytes, const F& f) {
    switch (bytes) {
        case 1: return f.template operator()<std::uint8_t>();
        case 2: return f.template operator()<std::uint16_t>();
        case 3: return f.template operator()<Label24>();
        default: return f.template operator()<std::uint32_t>();
    }
}

/// Calls f<Label>() with the unsigned type of 1, 2, 4 or 8 bytes.
template <class F>
void visit_label(int bytes, const F& f) {
    switch (bytes) {
        case 1: return f.template operator()<std::uint8_t>();
        case 2: return f.template operator()<std::uint16_t>();
        case 4: return f.template operator()<std::uint32_t>();
        default: return f.template operator()<std::uint64_t>();
    }
}

/// to[i] = from[i], for labels of `from_bytes` and `to_bytes` each, as visit_bus_label() and visit_label() take them.
/// @param to_bytes at least from_bytes
void copy_bus_labels(const std::byte* from, int from_bytes, std::int64_t n, std::byte* to, int to_bytes, Stores stores);

/// Converts n labels: to[i] = from[i].
template <class Label, class T>
void widen(const Label* from, std::int64_t n, T* to) {
    std::copy_n(from, n, to);
}
inline void widen(const Label24* from, std::int64_t n, std::uint32_t* to) { widen_three_bytes(default_isa(), from->bytes, n, to); }

/// Converts n labels to type T: to[i] = from[i]. With Stores::streaming the stores bypass the caches.
template <class T, class Label>
void copy_labels(const Label* from, std::int64_t n, T* to, Stores stores) {
    if (stores == Stores::cached) {
        widen(from, n, to);
    } else if constexpr (sizeof(Label) == sizeof(T)) {
        stream_copy(from, n * std::int64_t(sizeof(T)), to);
    } else {
        std::array<T, 1024> piece;
        for (std::int64_t at = 0; at < n; at += std::int64_t(piece.size())) {
            const std::int64_t m = std::min(n - at, std::int64_t(piece.size()));
            widen(from + at, m, piece.data());
            stream_copy(piece.data(), m * std::int64_t(sizeof(T)), to + at);
        }
    }
}

}  // namespace voxcc::block_runs::tiles
