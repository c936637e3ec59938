// Phase "pack": voxels of any type in the memory of the executor become rows of bits (BitRows), and on request words that can be compared
// (ValueRows). So the phases of the engine are compiled for one type of voxels instead of ten.
//
//   voxels  [0 7 0 2 2] of i16, foreground: not 0   ->   bits 0b11010, words [0 7 0 2 2] of u32
#pragma once
#include <voxcc/source.h>
#include "kernels3d/base/host_device.h"
#include "kernels3d/engine/tiles/source.h"

namespace voxcc::block_runs::tiles {

/// The type of the words of values of type T. Narrow types are widened: two types of words need fewer kernels than four.
template <class T>
using WideWord = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

/// Whether values of type T can be compared as words where they are.
template <class T>
inline constexpr bool is_word = std::is_integral_v<T> && sizeof(T) >= 4;

/// The low bits of value_bits(v) (value_bits.h).
// std::int8_t{-3} -> 0xfffffffd; -0.0f -> 0; every NaN of float -> 0x7fc00000
template <class T>
VOXCC_HD inline WideWord<T> word_of(T v) {
    if constexpr (std::is_floating_point_v<T>) {
        constexpr auto quiet_nan = WideWord<T>(sizeof(T) == 8 ? 0x7ff8000000000000 : 0x7fc00000);
        return v != v ? quiet_nan : same_bits<WideWord<T>>(v + T{0});
    } else {
        return WideWord<T>(std::int64_t(v));
    }
}

/// Phase functor. Each group of 32 lanes packs 32 half words; lane l reads column l of each half word.
template <class T>
struct PackVoxels {
    static constexpr int lanes = 256, resident = 8, group = 32, halves_per_group = 32, groups = lanes / group;
    static constexpr int at_once = 8;  // number of loads that run before the first one is evaluated
    struct Shared {};

    exec::Grid size;
    const T* voxels;  // [z][y][x]
    ForegroundInterval<T> foreground;
    uint32_t* halves;     // [row][2 * words_of(nx)]: the low and the high half of each word of BitRows
    WideWord<T>* values;  // [z][y][x], receives the words of the values; null: they are not needed
    enum class Into : std::uint8_t {
        replace,
        any,
        all
    } into = Into::replace;  // how the bits are combined with bits that are already there

    VOXCC_HD int64_t halves_per_row() const { return 2 * int64_t(words_of(size.x)); }
    VOXCC_HD int64_t count() const { return halves_per_row() * size.y * size.z; }
    /// The number of tiles for which the phase must be called.
    int64_t tiles() const { return (count() + groups * halves_per_group - 1) / (groups * halves_per_group); }

    template <class Tile>
    VOXCC_HD void operator()(Tile& tile, std::int64_t t) const {
        tile.template transpose<halves_per_group>(
            [&](int lane) {
                const int64_t first = (t * groups + lane / group) * halves_per_group, rows = int64_t(size.y) * size.z;
                int64_t row = first / halves_per_row(), x = first % halves_per_row() * group + lane % group;
                uint32_t bits = 0;
                for (int h = 0; h < halves_per_group; h += at_once) {
                    T v[at_once];
                    int64_t index[at_once];  // -1: outside of the volume
                    VOXCC_UNROLL
                    for (int i = 0; i < at_once; ++i) {
                        index[i] = row < rows && x < size.x ? row * size.x + x : -1;
                        v[i] = index[i] < 0 ? T{} : voxels[index[i]];
                        x += group;
                        if (x >= halves_per_row() * group) x -= halves_per_row() * group, ++row;
                    }
                    VOXCC_UNROLL
                    for (int i = 0; i < at_once; ++i) {
                        if (index[i] < 0) continue;
                        if (values) values[index[i]] = word_of(v[i]);
                        if (foreground.contains(v[i])) bits |= 1u << (h + i);
                    }
                }
                return bits;
            },
            [&](int lane, uint32_t column) {
                const int64_t i = (t * groups + lane / group) * halves_per_group + lane % group;
                if (i >= count()) return;
                halves[i] = into == Into::replace ? column : into == Into::any ? halves[i] | column : halves[i] & column;
            });
    }
};

/// The number of u64 words of BitRows for a volume.
inline int64_t words_of_bit_rows(const Extent& extent) { return extent.rows() * words_of(extent.nx); }

/// Packs a volume. Reads it once per interval of the foreground.
/// @param bits receives words_of_bit_rows() words
/// @param values receives one word per voxel; null: they are not needed
template <class T, class Executor>
void pack_voxels(Executor& executor, const exec::Grid& size, const T* voxels, const ForegroundIntervals<T>& foreground, uint64_t* bits,
                 WideWord<T>* values) {
    using Phase = PackVoxels<T>;
    Phase phase{size, voxels, foreground.intervals[0], reinterpret_cast<uint32_t*>(bits), values};
    for (const ForegroundInterval<T>& interval : foreground.intervals) {
        phase.foreground = interval;
        executor.template for_each_tile<Phase::lanes, typename Phase::Shared>("pack", phase.tiles(), phase);
        phase.values = nullptr;
        phase.into = foreground.combine == Combine::any ? Phase::Into::any : Phase::Into::all;
    }
}

/// Clears the bits of packed voxels for which a mask holds 0 or NaN.
/// @param bits words_of_bit_rows() words
template <class T, class Executor>
void mask_bits(Executor& executor, const exec::Grid& size, const T* mask, uint64_t* bits) {
    using Phase = PackVoxels<T>;
    const Phase phase{size, mask, foreground_intervals<T>({}).intervals[0], reinterpret_cast<uint32_t*>(bits), nullptr, Phase::Into::all};
    executor.template for_each_tile<Phase::lanes, typename Phase::Shared>("pack", phase.tiles(), phase);
}

}  // namespace voxcc::block_runs::tiles
