#include "io/samples.h"

#include <voxcc/error.h>

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

// Refuses a choice that reads outside the row.
void check_choice(std::span<const std::byte> row, std::int64_t bits, const SampleChoice& choice) {
    std::int64_t end = 0;  // index after the last sample
    const bool is_valid = choice.first >= 0 && choice.step >= 1 && choice.count >= 0 &&
                          !__builtin_mul_overflow(choice.count - 1, choice.step, &end) &&
                          !__builtin_add_overflow(end, choice.first + 1, &end);
    if (choice.count == 0) return;
    if (!is_valid || end > std::int64_t(row.size()) * 8 / bits)
        throw Error(ErrorKind::internal, "samples", "a row of " + std::to_string(row.size()) + " bytes is too short");
}

template <class T>
void unpack(std::span<const std::byte> row, int bits, const SampleChoice& choice, std::byte* to) {
    constexpr std::size_t window = 3;  // bytes that a number of 16 bits can touch
    const auto width = std::size_t(bits);
    std::size_t at = std::size_t(choice.first) * width;  // bit of the row
    for (std::int64_t i = 0; i < choice.count; ++i, at += std::size_t(choice.step) * width) {
        std::uint32_t bytes = 0;
        for (std::size_t byte = at / 8; byte < at / 8 + window; ++byte)
            bytes = bytes << 8 | (byte < row.size() ? std::to_integer<std::uint32_t>(row[byte]) : 0);
        const T value = T(bytes >> (8 * window - at % 8 - width) & ((1u << width) - 1));
        std::memcpy(to + std::size_t(i) * sizeof(T), &value, sizeof(T));
    }
}

template <class T>
void gather(std::span<const std::byte> row, const SampleChoice& choice, std::byte* to) {
    const std::byte* from = row.data() + std::size_t(choice.first) * sizeof(T);
    for (std::int64_t i = 0; i < choice.count; ++i)
        std::memcpy(to + std::size_t(i) * sizeof(T), from + std::size_t(i * choice.step) * sizeof(T), sizeof(T));
}

}  // namespace

void unpack_samples(std::span<const std::byte> row, int bits, const SampleChoice& choice, std::byte* to) {
    if (bits < 1 || bits > most_packed_bits) throw Error(ErrorKind::internal, "samples", std::to_string(bits) + " packed bits");
    check_choice(row, bits, choice);
    if (bits <= 8) unpack<std::uint8_t>(row, bits, choice, to);
    else unpack<std::uint16_t>(row, bits, choice, to);
}

void gather_samples(std::span<const std::byte> row, std::int64_t sample_bytes, const SampleChoice& choice, std::byte* to) {
    check_choice(row, 8 * sample_bytes, choice);
    switch (sample_bytes) {
        case 1: return gather<std::uint8_t>(row, choice, to);
        case 2: return gather<std::uint16_t>(row, choice, to);
        case 4: return gather<std::uint32_t>(row, choice, to);
        case 8: return gather<std::uint64_t>(row, choice, to);
        default: throw Error(ErrorKind::internal, "samples", std::to_string(sample_bytes) + " bytes per sample");
    }
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
