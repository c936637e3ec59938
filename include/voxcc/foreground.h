// Which voxels are foreground, for every stored type and scaling.
//
// A rule compares a value with one or two bounds. The precision of the comparison depends on the stored values:
//   float32, no scaling    values and bounds are float32: a bound is rounded to the nearest float32 (infinity past the largest), as numpy
//                          rounds a Python number that is compared with a float32 array
//   float64, no scaling    values and bounds are float64
//   integers, no scaling   exact
//   any type, scaled       double(stored) * slope + intercept, compared as float64
// Every rule is, for a monotone scaling, an interval of stored values or its complement. The ends of the interval are found once by
// bisection over the values of the type with the arithmetic above, so packing a row takes two comparisons per voxel.
#pragma once
#include <voxcc/isa.h>
#include <voxcc/volume.h>

#include <functional>
#include <limits>
#include <vector>

namespace voxcc {

/// A rule for scaled values: value = stored * slope + intercept. NaN is never foreground.
struct ForegroundRule {
    enum class Kind : std::uint8_t { nonzero, above, at_least, range } kind = Kind::nonzero;
    double low = 0, high = 0;  // above: > low; at_least: >= low; range: low..high, inclusive
    double slope = 1, intercept = 0;
    enum class Take : std::uint8_t { inside, complement } take = Take::inside;  // complement: voxels that are neither inside nor NaN
    bool scaled() const { return slope != 1 || intercept != 0; }
};

/// Packs rows of one type by one rule.
class ForegroundPacker {
public:
    ForegroundPacker(ScalarType type, const ForegroundRule& rule);
    ScalarType type() const { return type_; }
    /// Bit x % 64 of bits[x / 64] says whether voxel x is foreground; bits past nx are zero. Thread-safe.
    /// @param row nx voxels of type type(), in host memory; may begin at any byte
    /// @return the number of NaN voxels in the row
    std::int64_t pack(block_runs::Isa isa, const std::byte* row, std::int64_t nx, std::uint64_t* bits) const {
        return pack_(isa, row, nx, bits);
    }

private:
    ScalarType type_;
    std::function<std::int64_t(block_runs::Isa, const std::byte*, std::int64_t, std::uint64_t*)> pack_;
};

}  // namespace voxcc
