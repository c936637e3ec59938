// Sources of the foreground of tiles. A source gives 16 columns of a row at a time. They are first loaded and then evaluated, so that
// several loads run at the same time. The volume must have fewer than 2^32 voxels: indices of 32 bits save instructions on a GPU.
//
//   Raw                     16 columns as loaded
//   at_once                 number of loads that should run before the first one is evaluated
//   load(x, y, z)           x must be a multiple of 16; (x, y, z) must lie inside the volume
//   find_bits(raw, x, bits) for several loads from column x on: bit i is set if column x + i is foreground; columns outside the volume
//                           are not
#pragma once
#include <voxcc/source.h>
#include "kernels3d/base/foreground_interval.h"
#include "kernels3d/base/host_device.h"
#include "kernels3d/engine/tiles/shape.h"
#include "kernels3d/exec/bits.h"
#include "kernels3d/exec/quad.h"

#include <cstring>

namespace voxcc::block_runs::tiles {

using exec::load_quad, exec::store_quad, exec::Quad;

/// Same as std::bit_cast, with which nvcc 13.0 crashes here.
template <class To, class From>
VOXCC_HD inline To same_bits(From from) {
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}

/// Rows of bits as packed by the CPU: [row][words()]. Bits past the extent must be zero.
struct BitRows {
    using Raw = uint64_t;
    static constexpr int at_once = 4;
    exec::Grid size;
    const uint64_t* bits;

    VOXCC_HD uint32_t words() const { return words_of(size.x); }
    VOXCC_HD Raw load(uint32_t x, uint32_t y, uint32_t z) const { return bits[(z * size.y + y) * words() + x / 64]; }
    template <int N>
    VOXCC_HD void find_bits(const Raw (&raw)[N], uint32_t x, uint32_t (&found)[N]) const {
        VOXCC_UNROLL
        for (int i = 0; i < N; ++i) found[i] = uint32_t(raw[i] >> x % 64) & 0xffff;
    }
};

/// How voxels are loaded. `vector` needs rows whose length is a multiple of 16 voxels and an address that is a multiple of 16; `element`
/// does not.
enum class VoxelLoads : std::uint8_t { vector, element };

/// Voxels [z][y][x] of type T in the memory of the executor.
template <class T, VoxelLoads Loads>
struct Voxels {
    struct Raw {
        Quad quads[sizeof(T)];
    };
    static constexpr int at_once = sizeof(T) < 4 ? int(4 / sizeof(T)) : 1;
    exec::Grid size;
    const T* voxels;
    ForegroundInterval<T> foreground;

    VOXCC_HD Raw load(uint32_t x, uint32_t y, uint32_t z) const {
        const T* const from = voxels + ((z * size.y + y) * size.x + x);
        Raw raw;
        if constexpr (Loads == VoxelLoads::vector) {
            VOXCC_UNROLL
            for (int q = 0; q < int(sizeof(T)); ++q) raw.quads[q] = load_quad(reinterpret_cast<const std::byte*>(from) + 16 * q);
        } else {
            VOXCC_UNROLL
            for (int i = 0; i < 16; ++i) put(raw, i, x + uint32_t(i) < size.x ? from[i] : T{});
        }
        return raw;
    }
    template <int N>
    VOXCC_HD void find_bits(const Raw (&raw)[N], uint32_t x, uint32_t (&found)[N]) const {
        if constexpr (sizeof(T) == 1 && std::is_unsigned_v<T> && Loads == VoxelLoads::vector)
            if (foreground.side == ForegroundInterval<T>::Side::outside && foreground.low == 0 && foreground.high == 0) {
                VOXCC_UNROLL
                for (int i = 0; i < N; ++i) found[i] = nonzero(raw[i]);
                return;
            }
        VOXCC_UNROLL
        for (int i = 0; i < N; ++i) found[i] = bits_of(raw[i], x);
    }

private:
    using Same = std::conditional_t<sizeof(T) == 4, uint32_t, std::conditional_t<sizeof(T) == 2, uint16_t, std::uint8_t>>;
    VOXCC_HD static void put(Raw& raw, int i, T value) {
        if constexpr (sizeof(T) == 8) {
            const uint64_t v = same_bits<uint64_t>(value);
            raw.quads[i / 2].words[i % 2 * 2] = uint32_t(v), raw.quads[i / 2].words[i % 2 * 2 + 1] = uint32_t(v >> 32);
        } else {
            constexpr int a_word = 4 / sizeof(T);
            const uint32_t v = uint32_t(same_bits<Same>(value)) << i % a_word * 8 * int(sizeof(T));
            uint32_t& word = raw.quads[i / a_word / 4].words[i / a_word % 4];
            word = i % a_word == 0 ? v : word | v;
        }
    }
    VOXCC_HD static T get(const Raw& raw, int i) {
        if constexpr (sizeof(T) == 8) {
            const uint32_t* const words = raw.quads[i / 2].words + i % 2 * 2;
            return same_bits<T>(words[0] | uint64_t(words[1]) << 32);
        } else {
            constexpr int a_word = 4 / sizeof(T);
            return same_bits<T>(Same(raw.quads[i / a_word / 4].words[i / a_word % 4] >> i % a_word * 8 * int(sizeof(T))));
        }
    }
    VOXCC_HD uint32_t bits_of(const Raw& raw, uint32_t x) const {
        uint32_t bits = 0;
        VOXCC_UNROLL
        for (int i = 0; i < 16; ++i) bits |= uint32_t(foreground.contains(get(raw, i))) << i;
        if (Loads == VoxelLoads::element && size.x - x < 16) bits &= (1u << (size.x - x)) - 1;
        return bits;
    }
    /// Bit i is set if byte i of 16 is not zero. The additions set the top bit of each nonzero byte; a product of bytes gathers the top
    /// bits of two words.
    VOXCC_HD static uint32_t nonzero(const Raw& raw) {
        uint32_t halves[2] = {};  // the bits, times 128
        VOXCC_UNROLL
        for (int w = 0; w < 4; ++w) {
            const uint32_t v = raw.quads[0].words[w];
            const uint32_t tops = (((v & 0x7f7f7f7f) + 0x7f7f7f7f) | v) & 0x80808080;
            halves[w / 2] = exec::sum_of_products(tops, w % 2 == 0 ? 0x08040201 : 0x80402010, halves[w / 2]);
        }
        return halves[0] >> 7 | halves[1] << 1;
    }
};

/// Calls f(source) with the foreground of voxels of one byte, 0 being background.
template <class F>
decltype(auto) visit_nonzero(const exec::Grid& size, const std::uint8_t* voxels, const F& f) {
    using Interval = ForegroundInterval<std::uint8_t>;
    const Interval nonzero{0, 0, Interval::Side::outside};
    const bool aligned = size.x % 16 == 0 && reinterpret_cast<std::uintptr_t>(voxels) % 16 == 0;
    return aligned ? f(Voxels<std::uint8_t, VoxelLoads::vector>{size, voxels, nonzero})
                   : f(Voxels<std::uint8_t, VoxelLoads::element>{size, voxels, nonzero});
}

}  // namespace voxcc::block_runs::tiles
