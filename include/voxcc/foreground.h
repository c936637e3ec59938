// Rules that divide voxels into foreground and background, for every stored type and scaling.
//
// A rule compares the value of a voxel with one or more bounds. The precision of the comparison depends on the stored type:
//   float32, no scaling    values and bounds are float32: a bound is rounded to the nearest float32 (infinity past the largest), as numpy
//                          rounds a Python number that is compared with a float32 array
//   float64, no scaling    values and bounds are float64
//   integers, no scaling   exact: see voxcc/bound.h
//   any type, scaled       double(stored) * slope + intercept, compared with a float64 bound
// The scaling is monotone. The foreground is therefore a small number of intervals of stored values, or all values outside of them. The
// constructor of ForegroundPacker finds the ends of the intervals by bisection, with the arithmetic above. Packing then takes two
// comparisons per voxel and interval.
#pragma once
#include <voxcc/bound.h>
#include <voxcc/isa.h>
#include <voxcc/volume.h>

#include <functional>
#include <limits>
#include <vector>

namespace voxcc {

/// A rule for scaled values: value = stored * slope + intercept. `nan` alone decides about NaN, whatever `take` is.
// {.kind = Kind::range, .low = 2, .high = 5}: the values 2, 3.5 and 5 are foreground; 1, 6 and NaN are not
struct ForegroundRule {
    enum class Kind : std::uint8_t {
        nonzero,
        above,         // value > low
        at_least,      // value >= low
        range,         // low <= value <= high
        below,         // value < high
        at_most,       // value <= high
        abs_above,     // |value| > low
        abs_at_least,  // |value| >= low
        one_of,        // value is in `values`
        none_of,       // value is not in `values`
    } kind = Kind::nonzero;
    Bound low = {}, high = {};
    double slope = 1, intercept = 0;
    enum class Take : std::uint8_t { inside, complement } take = Take::inside;       // complement: voxels that do not match, except NaN
    enum class Nan : std::uint8_t { background, foreground } nan = Nan::background;  // foreground: as in scipy, where NaN is not 0
    std::vector<Bound> values = {};                                                  // in any order, also repeatedly
    bool scaled() const { return slope != 1 || intercept != 0; }
    bool operator==(const ForegroundRule&) const = default;
};

/// Packs the foreground of rows of one type by one rule: one bit per voxel.
class ForegroundPacker {
public:
    ForegroundPacker(ScalarType type, const ForegroundRule& rule);
    ScalarType type() const { return type_; }
    /// Sets bit x % 64 of bits[x / 64] if voxel x is foreground, and clears it if not. Clears the bits from nx on. Thread-safe.
    /// @param isa must be supported by the processor: see supports() and best_isa()
    /// @param row must hold nx voxels of type type(), in host memory; may begin at any byte
    /// @param bits must hold (nx + 63) / 64 words
    /// @return the number of NaN voxels in the row
    // row = [0 7 0 2 2] of u8, kind nonzero  ->  bits[0] = 0b11010
    std::int64_t pack(block_runs::Isa isa, const std::byte* row, std::int64_t nx, std::uint64_t* bits) const {
        return pack_(isa, {row, 0, 1}, nx, bits);
    }
    /// Rows whose first voxels are `stride` bytes apart.
    struct Rows {
        const std::byte* first;
        std::int64_t stride, count;
    };
    /// Packs each row as pack() does; faster than one call of pack() per row if rows are short. Thread-safe.
    /// @param bits must hold rows.count * ((nx + 63) / 64) words
    /// @return the number of NaN voxels in the rows
    std::int64_t pack(block_runs::Isa isa, const Rows& rows, std::int64_t nx, std::uint64_t* bits) const {
        return pack_(isa, rows, nx, bits);
    }

private:
    ScalarType type_;
    std::function<std::int64_t(block_runs::Isa, const Rows&, std::int64_t, std::uint64_t*)> pack_;
};

}  // namespace voxcc
