// Comparison of two rows of values by their difference, with one bit per value as the result.
#pragma once
#include <voxcc/connectivity.h>
#include <voxcc/volume.h>
#include "kernels3d/simd/isa.h"

#include <cstdint>

namespace voxcc::block_runs {

/// Bit x of `bits` is set where a[x] and b[x] are equal or differ by at most `most`. Differences are exact. A NaN is near no value. Equal
/// infinities are near each other. See is_near(). Thread-safe.
// a = [5 5 7 NaN], b = [5 6 9 NaN], most = 1.5  ->  bits = [1 1 0 0]
/// @tparam T any scalar type of a volume
/// @param most at least 0
/// @param bits receives ceil(n / 64) words; bits from n on are zero
template <class T>
void near_row(Isa isa, const T* a, const T* b, const Bound& most, std::int64_t n, std::uint64_t* bits);

/// near_row() for values of a type that is known at run time.
class NearRows {
public:
    NearRows(Isa isa, ScalarType type, const Bound& most);
    /// @param a, b n values each, aligned for the type
    void operator()(const std::byte* a, const std::byte* b, std::int64_t n, std::uint64_t* bits) const {
        compare_(isa_, a, b, most_, n, bits);
    }
    std::int64_t value_bytes() const { return value_bytes_; }

private:
    Isa isa_;
    Bound most_;
    std::int64_t value_bytes_;
    void (*compare_)(Isa, const std::byte*, const std::byte*, const Bound&, std::int64_t, std::uint64_t*);
};

}  // namespace voxcc::block_runs
