// Loops over all values of a volume, for thresholds that are computed from the image.
#pragma once
#include <voxcc/foreground.h>
#include <voxcc/source.h>
#include "src/errors/program_error.h"
#include "src/pipeline/foreground_rows.h"
#include "src/pipeline/input.h"
#include "src/pipeline/level_voxels.h"

namespace voxcc {

/// Calls f(values) for the values of each row inside the mask.
template <class T, class F>
void each_masked_row(const LevelVoxels& voxels, F&& f) {
    const Extent& extent = voxels.info().extent;
    const ForegroundPacker packer(voxels.mask->info().type, rule_of_mask(voxels.mask->info()));
    std::vector<std::uint64_t> bits(std::size_t(words_of(extent.nx)));
    std::vector<T> inside;
    RowStream images(voxels.image), masks(*voxels.mask);
    for (std::int64_t row = 0; row < extent.rows(); ++row) {
        const auto* const values = reinterpret_cast<const T*>(images.next().data());
        packer.pack(default_isa(), masks.next().data(), extent.nx, bits.data());
        inside.clear();
        for (std::int64_t x = 0; x < extent.nx; ++x)
            if (bits[std::size_t(x / 64)] >> (x % 64) & 1) inside.push_back(values[x]);
        f(std::span<const T>(inside));
    }
}

/// Calls f(values) for parts of the voxels, in any order, until all values are read. Rewinds the readers before and after.
template <class T, class F>
void each_part(const LevelVoxels& voxels, F&& f) {
    voxels.rewind();
    if (voxels.mask) each_masked_row<T>(voxels, f);
    else
        for_each_piece(voxels.image, [&](std::span<const std::byte> bytes) {
            f(std::span(reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)));
        });
    voxels.rewind();
}

/// Calls f(value) for every voxel, in any order. Rewinds the readers before and after.
template <class T, class F>
void each_value(const LevelVoxels& voxels, F&& f) {
    each_part<T>(voxels, [&](std::span<const T> values) {
        for (const T value : values) f(value);
    });
}

/// @param what is missing in the file, without "no"
[[noreturn]] inline void no_values(const LevelVoxels& voxels, const char* what) {
    throw ProgramError(ErrorKind::invalid_file, voxels.info().path,
                       std::string("no ") + what + (voxels.mask ? " inside the mask" : " in it") + ", so the level is not defined",
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
ValueRange<T> range_of(const LevelVoxels& voxels) {
    ValueRange<T> range;
    each_part<T>(voxels, [&](std::span<const T> values) { range.add(values); });
    if (!(range.least < range.largest)) no_values(voxels, "two different finite values");
    return range;
}

/// Whether a histogram has one bin per stored value.
template <class T>
bool counts_each_value(const ValueRange<T>& range) {
    return std::is_integral_v<T> && double(range.largest) - double(range.least) < double(1 << 24);
}

}  // namespace voxcc
