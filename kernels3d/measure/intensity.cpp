#include <voxcc/intensity.h>

#include "kernels3d/measure/stretch.h"

#include <cmath>
#include <cstring>

namespace voxcc {
namespace {

// The type in which quotients and differences of the sums are computed, before they are rounded once: 113 bits if __float128 exists.
#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 Quad;
#else
using Quad = long double;
#endif

Quad total(const ExactSum& sum) { return Quad(sum.value); }
Quad total(const CompensatedSum& sum) { return Quad(sum.value) + Quad(sum.rest); }
Quad total(const WideInteger& sum) {
    if (sum.is_negative()) return -total(sum.negated());
    constexpr Quad limb = 18446744073709551616.0;  // 2^64
    const auto& limbs = sum.limbs();
    return (Quad(limbs[2]) * limb + Quad(limbs[1])) * limb + Quad(limbs[0]);
}

template <class T>
T load(const std::byte* values, std::size_t index) {
    T value;
    std::memcpy(&value, values + index * sizeof(T), sizeof(T));
    return value;
}

template <class T>
constexpr bool adds_up_exactly = std::is_integral_v<T> && sizeof(T) <= 4;

/// Raises `higher` to the sums of third and fourth powers that include these.
void add_powers(HigherPowers<ExactSum>& higher, int128 cubes, uint128 fourths) {
    higher.cubes.add(WideInteger(cubes));
    higher.fourths.add_unsigned(fourths);
}

/// Adds the values [first, end) of a row of integers of up to 32 bits, without the products with y and z.
template <class T>
void add_values(IntensityMoments<ExactSum>& m, const std::byte* values, std::size_t first, std::size_t end, ExactSum& v) {
    constexpr bool is_narrow = sizeof(T) <= 2;
    constexpr std::size_t most = 1 << 14;  // values of a stretch: 2^14 cubes of 16-bit integers are below 2^62
    using Cube = std::conditional_t<is_narrow, std::int64_t, int128>;
    for (std::size_t begin = first; begin < end; begin += most) {
        const std::size_t stop = std::min(end, begin + most);
        std::int64_t sum = 0;
        Cube squares = 0, ramp = 0, cubes = 0;
        uint128 fourths = 0;
        for (std::size_t x = begin; x < stop; ++x) {
            const std::int64_t value = load<T>(values, x);
            const std::uint64_t square = std::uint64_t(value) * std::uint64_t(value);
            sum += value;
            squares += Cube(square);
            ramp += Cube(value) * Cube(x - begin);
            cubes += Cube(square) * value;
            if constexpr (is_narrow) fourths += square * square;
            else m.higher.fourths.add_unsigned(uint128(square) * square);
        }
        v.add(sum);
        m.vv.value += squares;
        m.vx.value += ramp;
        m.vx.add_product(sum, std::int64_t(begin));
        add_powers(m.higher, cubes, fourths);
    }
    m.n += end - first;
    m.x += (end - first) * (end - 1 + first) / 2;
}

/// Adds the values [first, end) of a row of floats or 64-bit integers that are not NaN, without the products with y and z.
template <class T>
void add_values(IntensityMoments<CompensatedSum>& m, const std::byte* values, std::size_t first, std::size_t end, CompensatedSum& v) {
    CompensatedSum vv, vx;
    for (std::size_t x = first; x < end; ++x) {
        const T value = load<T>(values, x);
        if constexpr (std::is_floating_point_v<T>)
            if (std::isnan(value)) continue;
        const double term = double(value);
        if (m.n == 0) m.higher.origin = term;
        ++m.n;
        m.x += x;
        v.add(term);
        if constexpr (std::is_same_v<T, float>) {  // products of floats (and indices below 2^29) are exact doubles
            vv.add(term * term);
            vx.add(term * double(x));
        } else {
            vv.add_product(term, term);
            vx.add_product(term, double(x));
        }
        m.higher.add(term);
    }
    m.vv.add(vv), m.vx.add(vx);
}

/// Widens the range of the values by the values [first, end) of row (y, z). The first value must not be NaN.
template <class T, class Sum>
void add_extremes(IntensityMoments<Sum>& m, const std::byte* values, std::size_t first, std::size_t end, std::int64_t y, std::int64_t z) {
    T low = load<T>(values, first), high = low;
    for (std::size_t x = first + 1; x < end; ++x) {
        const T value = load<T>(values, x);
        low = value < low ? value : low, high = value > high ? value : high;
    }
    const auto first_of = [&](double value) {
        std::size_t x = first;
        while (double(load<T>(values, x)) != value) ++x;
        return std::array{std::uint32_t(x), std::uint32_t(y), std::uint32_t(z)};
    };
    const double least = double(low), largest = double(high);
    if (m.n == 0 || least < m.min) m.min = least, m.min_at = first_of(least);
    if (m.n == 0 || largest > m.max) m.max = largest, m.max_at = first_of(largest);
}

/// Adds the voxels [first, end) of a row. @return the number of NaN voxels
template <class T, class Sum>
std::uint64_t add_run(IntensityMoments<Sum>& m, const std::byte* values, std::size_t first, std::size_t end, std::int64_t y,
                      std::int64_t z) {
    using Term = std::conditional_t<adds_up_exactly<T>, std::int64_t, double>;
    const std::size_t length = end - first;
    if constexpr (std::is_floating_point_v<T>)
        while (first < end && std::isnan(load<T>(values, first))) ++first;
    if (first == end) return length;
    add_extremes<T>(m, values, first, end, y, z);
    const std::uint64_t before = m.n;
    Sum v;
    add_values<T>(m, values, first, end, v);
    const std::uint64_t n = m.n - before;
    m.y += n * std::uint64_t(y), m.z += n * std::uint64_t(z);
    m.v.add(v);
    m.vy.add_product(v, Term(y)), m.vz.add_product(v, Term(z));
    return length - n;
}

/// The sums of (v - c)^k over n values, for k = 1 to 4, and the number c near their mean.
struct NearlyCentred {
    Quad first, second, third, fourth;
};

NearlyCentred nearly_centred(const IntensityMoments<ExactSum>& m) {
    const auto c = std::int64_t(std::llround(double(Quad(m.v.value) / Quad(m.n))));
    const auto by_c = [&](WideInteger sum, int times) {  // sum * (-c)^times
        for (int i = 0; i < times; ++i) sum = sum.times(-c);
        return sum;
    };
    const std::array<WideInteger, 5> raw{WideInteger(int128(m.n)), WideInteger(m.v.value), WideInteger(m.vv.value), m.higher.cubes,
                                         m.higher.fourths};
    const auto centred = [&](std::initializer_list<std::int64_t> binomials) {
        WideInteger sum;
        const int order = int(binomials.size()) - 1;
        for (int k = 0; k <= order; ++k) sum.add(by_c(raw[std::size_t(k)], order - k).times(binomials.begin()[k]));
        return total(sum);
    };
    return {centred({1, 1}), centred({1, 2, 1}), centred({1, 3, 3, 1}), centred({1, 4, 6, 4, 1})};
}

NearlyCentred nearly_centred(const IntensityMoments<CompensatedSum>& m) {
    const Quad c = m.higher.origin, n = m.n, v = total(m.v);
    return {v - n * c, total(m.vv) - 2 * c * v + n * c * c, total(m.higher.cubes), total(m.higher.fourths)};
}

struct Shape {
    double skewness = IntensityProperties::none, kurtosis = IntensityProperties::none;
};

/// Skewness and excess kurtosis of the stored values.
template <class Sum>
Shape shape_of(const IntensityMoments<Sum>& m) {
    if (m.min == m.max) return {};
    const NearlyCentred s = nearly_centred(m);
    const Quad n = m.n, d = s.first / n, m2 = s.second / n - d * d;
    const Quad m3 = s.third / n - 3 * d * s.second / n + 2 * d * d * d;
    const Quad m4 = s.fourth / n - 4 * d * s.third / n + 6 * d * d * s.second / n - 3 * d * d * d * d;
    const double kurtosis = double(m4 / (m2 * m2));
    // The kurtosis is at least 1. It is not if the fourth powers are too small or too large for doubles.
    if (!(kurtosis > 0.5) || std::isinf(kurtosis)) return {};
    return {double(m3 / (m2 * Quad(std::sqrt(static_cast<long double>(m2))))), double(m4 / (m2 * m2) - 3)};
}

template <class Sum>
IntensityProperties describe(const IntensityMoments<Sum>& m, const LinearScale& scale, const std::optional<World>& world) {
    IntensityProperties p;
    if (m.n == 0) return p;
    const Quad slope = scale.slope, intercept = scale.intercept, n = m.n, sum = total(m.v);
    const auto scaled = [&](double value) { return double(slope * Quad(value) + intercept); };
    const Quad weight = slope * sum + intercept * n;
    p.mean = double(weight / n);
    p.sum = double(weight);
    const bool descends = scale.slope < 0;
    p.min = scaled(descends ? m.max : m.min), p.max = scaled(descends ? m.min : m.max);
    const auto indices = [](const std::array<std::uint32_t, 3>& at) { return std::array<std::int64_t, 3>{at[0], at[1], at[2]}; };
    p.minimum = indices(descends ? m.max_at : m.min_at), p.peak = indices(descends ? m.min_at : m.max_at);
    const auto in_mm = [&](const std::array<std::int64_t, 3>& at) {
        return world_position(*world, {double(at[0]), double(at[1]), double(at[2])});
    };
    if (world) p.minimum_mm = in_mm(*p.minimum), p.peak_mm = in_mm(*p.peak);
    const Quad variance = (n * total(m.vv) - sum * sum) / (n * n);
    // If all values are equal, the deviation is 0. The computed variance can differ from 0 by rounding.
    p.standard_deviation =
        m.min == m.max ? 0 : std::abs(scale.slope) * double(std::sqrt(static_cast<long double>(variance < 0 ? Quad(0) : variance)));
    const Shape shape = shape_of(m);
    p.skewness = descends ? -shape.skewness : shape.skewness, p.kurtosis = shape.kurtosis;
    if (weight == 0) return p;
    const auto centroid = [&](const Sum& weighted, std::uint64_t plain) {
        return double((slope * total(weighted) + intercept * Quad(plain)) / weight);
    };
    p.weighted_centroid = {centroid(m.vx, m.x), centroid(m.vy, m.y), centroid(m.vz, m.z)};
    if (world) p.weighted_centroid_mm = world_position(*world, p.weighted_centroid);
    return p;
}

}  // namespace

IntensitySums::IntensitySums(ScalarType intensity) : type_(intensity) {
    visit_scalar(intensity, [&]<class T>(std::type_identity<T>) {
        if constexpr (!adds_up_exactly<T>) moments_.emplace<std::vector<IntensityMoments<CompensatedSum>>>();
    });
}

void IntensitySums::reserve(std::uint64_t components) {
    std::visit([&](auto& moments) { moments.reserve(components); }, moments_);
}

std::size_t IntensitySums::bytes_per_component() const {
    return std::visit([](const auto& moments) { return sizeof(moments[0]); }, moments_);
}

StoredRange IntensitySums::stored_range(std::uint64_t component) const {
    return std::visit(
        [&](const auto& moments) {
            if (component > moments.size()) return StoredRange{};
            const auto& m = moments[component - 1];
            return StoredRange{m.n, m.min, m.max};
        },
        moments_);
}

template <class Index>
void IntensitySums::add_row(std::int64_t y, std::int64_t z, std::span<const Index> components, std::span<const std::byte> values) {
    visit_scalar(type_, [&]<class T>(std::type_identity<T>) {
        using Sum = std::conditional_t<adds_up_exactly<T>, ExactSum, CompensatedSum>;
        auto& moments = std::get<std::vector<IntensityMoments<Sum>>>(moments_);
        for (std::size_t first = 0, end = 0; first < components.size(); first = end) {
            const Index component = components[first];
            end = end_of_stretch(components, first);
            if (component == 0) continue;
            if (component > moments.size()) moments.resize(component);
            nan_voxels_ += add_run<T>(moments[component - 1], values.data(), first, end, y, z);
        }
    });
}

template void IntensitySums::add_row(std::int64_t, std::int64_t, std::span<const std::uint8_t>, std::span<const std::byte>);
template void IntensitySums::add_row(std::int64_t, std::int64_t, std::span<const std::uint16_t>, std::span<const std::byte>);
template void IntensitySums::add_row(std::int64_t, std::int64_t, std::span<const std::uint32_t>, std::span<const std::byte>);
template void IntensitySums::add_row(std::int64_t, std::int64_t, std::span<const std::uint64_t>, std::span<const std::byte>);

void IntensitySums::add(const IntensitySums& other, std::span<const std::uint32_t> numbers) {
    using Moments = std::vector<IntensityMoments<ExactSum>>;
    auto& moments = std::get<Moments>(moments_);
    const auto& others = std::get<Moments>(other.moments_);
    for (std::size_t k = 0; k < others.size(); ++k) {
        const IntensityMoments<ExactSum>& o = others[k];
        if (o.n == 0) continue;
        if (numbers[k] > moments.size()) moments.resize(numbers[k]);
        IntensityMoments<ExactSum>& m = moments[numbers[k] - 1];
        if (m.n == 0 || o.min < m.min) m.min = o.min, m.min_at = o.min_at;
        if (m.n == 0 || o.max > m.max) m.max = o.max, m.max_at = o.max_at;
        m.n += o.n, m.x += o.x, m.y += o.y, m.z += o.z;
        m.v.add(o.v), m.vv.add(o.vv), m.vx.add(o.vx), m.vy.add(o.vy), m.vz.add(o.vz);
        m.higher.cubes.add(o.higher.cubes), m.higher.fourths.add(o.higher.fourths);
    }
    nan_voxels_ += other.nan_voxels_;
}

IntensityProperties IntensitySums::properties(std::uint64_t component, const LinearScale& scale, const std::optional<World>& world) const {
    return std::visit(
        [&](const auto& moments) {
            using Moments = typename std::decay_t<decltype(moments)>::value_type;
            return describe(component <= moments.size() ? moments[component - 1] : Moments{}, scale, world);
        },
        moments_);
}

}  // namespace voxcc
