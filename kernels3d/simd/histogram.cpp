// Range and histogram of values. The loops are compiled for each instruction set (run_on).
#include <voxcc/foreground.h>
#include "kernels3d/simd/equal_bins.h"
#include "kernels3d/simd/isa.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace voxcc {
namespace {

using block_runs::run_on;

/// Integers in the order of the values of T. Compilers vectorise the minimum of integers, but not the minimum of floats.
template <class T>
struct Ordered {
    using Key = std::conditional_t<std::is_same_v<T, float>, std::int32_t, std::conditional_t<std::is_same_v<T, double>, std::int64_t, T>>;
    using Unsigned = std::make_unsigned_t<Key>;
    static constexpr Key key(T v) {
        const Key bits = std::bit_cast<Key>(v);
        // The order of negative floats is the inverse of the order of their bits. -0.0 is below 0.0.
        if constexpr (std::is_floating_point_v<T>) return bits ^ ((bits >> (sizeof(Key) * 8 - 1)) & std::numeric_limits<Key>::max());
        else return bits;
    }
    static constexpr T value(Key k) { return std::bit_cast<T>(key(std::bit_cast<T>(k))); }
    /// Distances from the ends of the finite values. The distances of NaN and infinities are greater than the distances of all finite
    /// values, so minima of distances leave them out.
    static constexpr Unsigned above_lowest(T v) { return Unsigned(Unsigned(key(v)) - Unsigned(key(std::numeric_limits<T>::lowest()))); }
    static constexpr Unsigned below_highest(T v) { return Unsigned(Unsigned(key(std::numeric_limits<T>::max())) - Unsigned(key(v))); }
};

}  // namespace

template <class T>
void ValueRange<T>::add(std::span<const T> values, Isa isa) {
    using Order = Ordered<T>;
    using Unsigned = typename Order::Unsigned;
    Unsigned above = Order::above_lowest(least), below = Order::below_highest(largest);
    run_on(isa, [&above, &below, v = values.data(), n = values.size()] {
        Unsigned a = above, b = below;
        for (std::size_t i = 0; i < n; ++i) {
            a = std::min(a, Order::above_lowest(v[i]));
            b = std::min(b, Order::below_highest(v[i]));
        }
        above = a, below = b;
    });
    using Key = typename Order::Key;
    least = Order::value(Key(Unsigned(Order::key(std::numeric_limits<T>::lowest())) + above));
    largest = Order::value(Key(Unsigned(Order::key(std::numeric_limits<T>::max())) - below));
}

template <class V>
EqualBins<V>::EqualBins(V least, V largest) : span_(largest - least) {
    const V step = span_ / V(bins);
    for (std::size_t i = 0; i < bins; ++i) edges_[i] = V(i) * step + least;
    edges_[bins] = largest;
}

template <class V>
void EqualBins<V>::count(std::span<const V> values, std::span<std::uint64_t> counts, Isa isa) const {
    constexpr std::size_t piece = 1024;  // small enough for the first-level cache
    constexpr std::int32_t none = bins;  // the bin of values that are not finite
    std::array<std::int32_t, piece> bin;
    std::array<std::uint64_t, bins + 1> counted{};  // the last entry: values that are not finite
    for (std::size_t from = 0; from < values.size(); from += piece) {
        const std::size_t n = std::min(piece, values.size() - from);
        run_on(isa, [n, edge = edges_.data(), span = span_, v = values.data() + from, to = bin.data()] {
            const V first = edge[0], last = edge[bins];
            for (std::size_t i = 0; i < n; ++i) {
                V place = (v[i] - first) / span * V(bins);
                place = place < V(bins - 1) ? place : V(bins - 1);  // also if `place` is NaN
                place = place > 0 ? place : 0;
                to[i] = std::int32_t(place);
            }
            for (std::size_t i = 0; i < n; ++i) {
                const V value = v[i];
                const std::int32_t at = to[i];
                const std::int32_t down = value < edge[at] ? 1 : 0, up = value >= edge[at + 1] ? 1 : 0;
                std::int32_t in = at - down + up;
                in = in < 0 ? 0 : in;
                in = in < none ? in : none - 1;
                in = value >= first ? in : none;
                to[i] = value <= last ? in : none;
            }
        });
        for (std::size_t i = 0; i < n; ++i) ++counted[std::size_t(bin[i])];
    }
    for (std::size_t b = 0; b < bins; ++b) counts[b] += counted[b];
}

template class EqualBins<float>;
template class EqualBins<double>;
template struct ValueRange<std::uint8_t>;
template struct ValueRange<std::int8_t>;
template struct ValueRange<std::uint16_t>;
template struct ValueRange<std::int16_t>;
template struct ValueRange<std::uint32_t>;
template struct ValueRange<std::int32_t>;
template struct ValueRange<std::uint64_t>;
template struct ValueRange<std::int64_t>;
template struct ValueRange<float>;
template struct ValueRange<double>;

}  // namespace voxcc
