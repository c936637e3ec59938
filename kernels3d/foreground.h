// Which voxels are foreground, whatever their type and scaling.
//
// Every rule is, for a monotone scaling, an interval of stored values or its complement. The interval's ends are found once by bisection
// over the type's values with the very arithmetic that defines the rule (double(stored) * slope + intercept), so packing a row is two
// comparisons a voxel and no voxel is decided by a rounded threshold.
#pragma once
#include "kernels3d/block_runs/cpu/isa.h"
#include "kernels3d/volume.h"

#include <functional>
#include <limits>
#include <vector>

namespace voxcc {

/// On scaled values: value = stored * slope + intercept. NaN is never inside.
struct ForegroundRule {
    enum class Kind : std::uint8_t { nonzero, above, at_least, range } kind = Kind::nonzero;
    double low = 0, high = 0;  // above: > low; at_least: >= low; range: low..high, inclusive
    double slope = 1, intercept = 0;
    enum class Take : std::uint8_t {
        inside,
        complement
    } take = Take::inside;  // complement: exactly the voxels that are not inside, NaN too
};

/// Packs rows of one type by one rule.
class ForegroundPacker {
public:
    ForegroundPacker(ScalarType type, const ForegroundRule& rule);
    ScalarType type() const { return type_; }
    /// Bit x % 64 of bits[x / 64] says whether voxel x is foreground; bits past nx are zero. Thread-safe.
    void pack(block_runs::Isa isa, const std::byte* row, std::int64_t nx, std::uint64_t* bits) const { pack_(isa, row, nx, bits); }

private:
    ScalarType type_;
    std::function<void(block_runs::Isa, const std::byte*, std::int64_t, std::uint64_t*)> pack_;
};

}  // namespace voxcc
