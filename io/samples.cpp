#include "io/samples.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace voxcc::io {
namespace {

float half_to_float(std::uint16_t half) {
    const int exponent = half >> 10 & 31, mantissa = half & 1023;
    const float sign = half & 0x8000 ? -1.0f : 1.0f;
    if (exponent == 31) return mantissa ? std::numeric_limits<float>::quiet_NaN() : sign * std::numeric_limits<float>::infinity();
    if (exponent == 0) return sign * std::ldexp(float(mantissa), -24);
    return sign * std::ldexp(float(mantissa + 1024), exponent - 25);
}

template <class T>
void swap_all(std::span<std::byte> samples) {
    for (std::size_t i = 0; i + sizeof(T) <= samples.size(); i += sizeof(T)) {
        T value;
        std::memcpy(&value, samples.data() + i, sizeof value);
        if constexpr (sizeof(T) == 2) value = __builtin_bswap16(value);
        else if constexpr (sizeof(T) == 4) value = __builtin_bswap32(value);
        else value = __builtin_bswap64(value);
        std::memcpy(samples.data() + i, &value, sizeof value);
    }
}

}  // namespace

void bits_to_bytes(const std::byte* from, std::span<std::uint8_t> to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = std::uint8_t(unsigned(from[i / 8]) >> (7 - i % 8) & 1);
}

void halves_to_floats(std::span<const std::byte> halves, std::byte* to) {
    for (std::size_t i = halves.size() / 2; i-- > 0;) {  // backwards, so that conversion in place works
        std::uint16_t half;
        std::memcpy(&half, halves.data() + 2 * i, 2);
        const float value = half_to_float(half);
        std::memcpy(to + 4 * i, &value, 4);
    }
}

void swap_samples(std::span<std::byte> samples, std::int64_t bytes_per_sample) {
    switch (bytes_per_sample) {
        case 2: return swap_all<std::uint16_t>(samples);
        case 4: return swap_all<std::uint32_t>(samples);
        case 8: return swap_all<std::uint64_t>(samples);
        default: return;
    }
}

}  // namespace voxcc::io
