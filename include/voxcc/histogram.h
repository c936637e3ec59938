// Histograms of values, from which thresholds of an image are computed.
#pragma once
#include <voxcc/isa.h>

#include <array>
#include <cstdint>
#include <limits>
#include <span>

namespace voxcc {

/// The range of finite values.
template <class T>
struct ValueRange {
    T least = std::numeric_limits<T>::max(), largest = std::numeric_limits<T>::lowest();  // least > largest: no finite value exists

    /// Extends the range to the finite values among `values`. Thread-safe for different ranges.
    /// @tparam T any scalar type of a volume
    // {2, 5} with the values 3, NaN, 7, infinity  ->  {2, 7}
    void add(std::span<const T> values, block_runs::Isa isa = block_runs::default_isa());
};

/// 256 bins of equal width. Edges, and the bin of a value, follow numpy.histogram.
/// @tparam V float or double
template <class V>
class EqualBins {
public:
    static constexpr std::size_t bins = 256;

    /// @param least, largest must be finite and in this order; their difference must be finite
    EqualBins(V least, V largest);
    /// The centre of a bin.
    double centre(std::size_t bin) const { return double((edges_[bin] + edges_[bin + 1]) / 2); }
    const std::array<V, bins + 1>& edges() const { return edges_; }
    /// Adds the number of values per bin to `counts`. Thread-safe for different `counts`.
    /// @param values must be in [least, largest], or must not be finite. Values that are not finite are left out
    /// @param counts must have 256 entries
    void count(std::span<const V> values, std::span<std::uint64_t> counts, block_runs::Isa isa = block_runs::default_isa()) const;

private:
    V span_;
    std::array<V, bins + 1> edges_;
};

}  // namespace voxcc
