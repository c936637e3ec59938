#include "io/formats/dicom/dicom_pixels.h"

#include "io/samples.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace voxcc::io {
namespace {

struct Range {
    double low = 0, high = 0;
    void add(double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
};

Range range_of(const DicomSamples& samples) {
    if (samples.is_signed) return {-std::ldexp(1, samples.stored - 1), std::ldexp(1, samples.stored - 1) - 1};
    return {0, std::ldexp(1, samples.stored) - 1};
}

ScalarType smallest_type(const Range& range) {
    struct Integers {
        ScalarType type;
        double low, high;
    };
    constexpr std::array types{
        Integers{ScalarType::u8, 0, 255.},          Integers{ScalarType::u16, 0, 65535.},
        Integers{ScalarType::u32, 0, 4294967295.},  Integers{ScalarType::i8, -128., 127.},
        Integers{ScalarType::i16, -32768., 32767.}, Integers{ScalarType::i32, -2147483648., 2147483647.},
        Integers{ScalarType::i64, -0x1p53, 0x1p53}, Integers{ScalarType::f64, -INFINITY, INFINITY},
    };
    const auto fits = [&](const Integers& t) { return range.low >= t.low && range.high <= t.high; };
    return std::ranges::find_if(types, fits)->type;
}

bool is_whole(double value) { return value == std::floor(value); }

template <class T>
void keep_stored_bits(const DicomSamples& samples, std::span<std::byte> bytes) {
    const int shift = samples.high_bit + 1 - samples.stored, unused = int(8 * sizeof(T)) - samples.stored;
    if (shift == 0 && unused == 0) return;
    for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
        std::make_unsigned_t<T> word;
        std::memcpy(&word, bytes.data() + at, sizeof word);
        word = std::make_unsigned_t<T>(std::make_unsigned_t<T>(word >> shift) << unused);
        const T value = T(T(word) >> unused);  // extends the sign of signed types
        std::memcpy(bytes.data() + at, &value, sizeof value);
    }
}

template <class From, class To>
void scale(std::span<const std::byte> samples, const Scaling& scaling, std::byte* to) {
    for (std::size_t at = 0; at + sizeof(From) <= samples.size(); at += sizeof(From), to += sizeof(To)) {
        From sample;
        std::memcpy(&sample, samples.data() + at, sizeof sample);
        const auto value = To(double(sample) * scaling.slope + scaling.intercept);
        std::memcpy(to, &value, sizeof value);
    }
}

}  // namespace

ScalarType voxel_type(const std::vector<DicomFrameOf>& frames) {
    const ScalarType stored = frames.front().object->samples.type();
    const auto is_plain = [&](const DicomFrameOf& f) { return f.frame->scaling.is_identity() && f.object->samples.type() == stored; };
    if (std::ranges::all_of(frames, is_plain)) return stored;
    Range values;
    for (const DicomFrameOf& f : frames) {
        const Scaling& scaling = f.frame->scaling;
        if (f.object->samples.kind == DicomSamples::Kind::real || !is_whole(scaling.slope) || !is_whole(scaling.intercept))
            return ScalarType::f64;
        const Range samples = range_of(f.object->samples);
        values.add(samples.low * scaling.slope + scaling.intercept);
        values.add(samples.high * scaling.slope + scaling.intercept);
    }
    return smallest_type(values);
}

void convert_samples(const DicomConversion& conversion, std::span<std::byte> samples, std::byte* to) {
    const ScalarType from = conversion.samples.type();
    visit_scalar(from, [&]<class From>(std::type_identity<From>) {
        if constexpr (std::is_integral_v<From>)
            if (conversion.samples.allocated > 1) keep_stored_bits<From>(conversion.samples, samples);
        if (from == conversion.type && conversion.scaling.is_identity()) {
            if (samples.data() != to) std::ranges::copy(samples, to);
            return;
        }
        visit_scalar(conversion.type, [&]<class To>(std::type_identity<To>) { scale<From, To>(samples, conversion.scaling, to); });
    });
}

void unpack_bits(std::span<const std::byte> bits, std::int64_t first, std::span<std::byte> to) {
    for (std::size_t i = 0; i < to.size(); ++i) {
        const std::size_t bit = std::size_t(first) + i;
        to[i] = (bits[bit / 8] >> (bit % 8)) & std::byte{1};
    }
}

}  // namespace voxcc::io
