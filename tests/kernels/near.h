// Volumes and expected labels for tests of Rule::gradient.
#pragma once
#include <voxcc/connectivity.h>
#include "kernels/oracle.h"
#include "kernels3d/base/near_values.h"

#include <array>
#include <limits>
#include <random>
#include <vector>

namespace near_tests {

using namespace voxcc;

/// Labels by flood fill. Neighbours are connected if their values differ by at most `most`.
template <class T>
oracle::Labels flood_fill_near(const std::vector<T>& v, oracle::Shape s, Connectivity c, double most, std::array<bool, 3> periodic) {
    return oracle::flood_fill_by(
        s, number_of(c), periodic, [&](long i) { return v[i] != T{} && v[i] == v[i]; },
        [&](long i, long j) {
            return is_near_stored(scalar_type_of<T>(), reinterpret_cast<const std::byte*>(&v[i]), reinterpret_cast<const std::byte*>(&v[j]),
                                  most);
        });
}

/// Random values from 0 to `values` - 1.
template <class T>
std::vector<T> random_values(oracle::Shape s, int values, std::mt19937_64& rng) {
    std::vector<T> v(s.size());
    for (T& voxel : v) voxel = T(rng() % std::uint64_t(values));
    return v;
}

/// A volume of a few values of the type, with its limits and background.
template <class T>
std::vector<T> extreme_values(oracle::Shape s, std::mt19937_64& rng) {
    using Limits = std::numeric_limits<T>;
    const std::array values{T(0), T(1), Limits::max(), Limits::lowest(), T(Limits::max() / 2), T(Limits::max() - 1), T(3)};
    std::vector<T> v(s.size());
    for (T& voxel : v) voxel = values[rng() % values.size()];
    if constexpr (std::is_floating_point_v<T>)
        for (std::size_t i = 0; i < v.size(); i += 7) v[i] = std::array{Limits::infinity(), Limits::quiet_NaN(), T(-0.0)}[rng() % 3];
    return v;
}

}  // namespace near_tests
