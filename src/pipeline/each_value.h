// Loops over all values of a volume, for thresholds that are computed from the image.
#pragma once
#include <voxcc/histogram.h>
#include "src/messages/program_error.h"
#include "src/pipeline/input.h"

namespace voxcc {

/// Calls f(values) for parts of the volume, in any order, until all values are read. Rewinds the reader before and after.
template <class T, class F>
void each_part(io::VolumeReader& reader, F&& f) {
    reader.rewind();
    for_each_piece(reader, [&](std::span<const std::byte> bytes) {
        f(std::span(reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)));
    });
    reader.rewind();
}

/// Calls f(value) for every voxel of the volume, in any order. Rewinds the reader before and after.
template <class T, class F>
void each_value(io::VolumeReader& reader, F&& f) {
    each_part<T>(reader, [&](std::span<const T> values) {
        for (const T value : values) f(value);
    });
}

/// @param what is missing in the file, without "no"
[[noreturn]] inline void no_values(const io::VolumeReader& reader, const char* what) {
    throw ProgramError(ErrorKind::invalid_file, reader.info().path, std::string("no ") + what + " in it, so the level is not defined",
                       "give --threshold a number, as in --threshold 100");
}

/// Calls f(type, value), where `type` is the type identity of the stored values, and value(stored) is the scaled value in the precision in
/// which thresholds are compared; see include/voxcc/foreground.h.
template <class F>
auto visit_values(const io::VolumeInfo& info, F&& f) {
    const io::Scaling scaling = info.scaling;
    return visit_scalar(info.type, [&]<class T>(std::type_identity<T> stored) {
        if constexpr (std::is_same_v<T, float>)
            if (scaling.is_identity()) return f(stored, [](float v) { return v; });
        return f(stored, [scaling](T v) { return double(v) * scaling.slope + scaling.intercept; });
    });
}

/// The range of the finite values. @throw Error invalid_file if fewer than two different finite values exist
template <class T>
ValueRange<T> range_of(io::VolumeReader& reader) {
    ValueRange<T> range;
    each_part<T>(reader, [&](std::span<const T> values) { range.add(values); });
    if (!(range.least < range.largest)) no_values(reader, "two different finite values");
    return range;
}

/// Whether a histogram has one bin per stored value.
template <class T>
bool counts_each_value(const ValueRange<T>& range) {
    return std::is_integral_v<T> && double(range.largest) - double(range.least) < double(1 << 24);
}

}  // namespace voxcc
