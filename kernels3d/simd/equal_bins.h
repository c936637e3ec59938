// Bins of a histogram.
#pragma once
#include <voxcc/foreground.h>

#include <array>
#include <span>

namespace voxcc {

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
    void count(std::span<const V> values, std::span<std::uint64_t> counts, Isa isa = default_isa()) const;

private:
    V span_;
    std::array<V, bins + 1> edges_;
};

}  // namespace voxcc
