// The largest difference of near_row(), in the type of the values.
#pragma once
#include "kernels3d/base/near_values.h"

#include <cmath>
#include <limits>
#include <type_traits>

namespace voxcc::block_runs {

/// The limit for integers, as the unsigned type of the same width. Rounded down.
template <class T>
struct NearLimit {
    std::make_unsigned_t<T> most;
    explicit NearLimit(const Bound& limit) : most(whole_limit<T>(limit)) {}
};

/// The limit for floats, in two parts: two floats are near if their rounded difference is below `most`, or if it equals `most` and its
/// rounding error is at most `rest`.
template <class T>
requires std::is_floating_point_v<T>
struct NearLimit<T> {
    T most, rest;
    /// @param limit must be below the largest T, unless T is double
    explicit NearLimit(const Bound& limit) : most(T(limit.real)), rest(0) {
        if constexpr (std::is_same_v<T, float>) {
            const double exact = limit.real - double(most);
            rest = T(exact);
            if (double(rest) > exact) rest = std::nextafter(rest, -std::numeric_limits<T>::infinity());
        }
    }
};

}  // namespace voxcc::block_runs
