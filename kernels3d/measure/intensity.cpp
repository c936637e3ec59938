#include <voxcc/intensity.h>

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

template <class T>
T load(const std::byte* values, std::size_t index) {
    T value;
    std::memcpy(&value, values + index * sizeof(T), sizeof(T));
    return value;
}

template <class T>
constexpr bool adds_up_exactly = std::is_integral_v<T> && sizeof(T) <= 4;

/// Adds the voxels [first, end) of a row. @return the number of NaN voxels
template <class T, class Sum>
std::uint64_t add_run(IntensityMoments<Sum>& m, const std::byte* values, std::size_t first, std::size_t end, std::int64_t y,
                      std::int64_t z) {
    using Term = std::conditional_t<adds_up_exactly<T>, std::int64_t, double>;
    Sum v, vv, vx;
    std::uint64_t n = 0;
    for (std::size_t x = first; x < end; ++x) {
        const T value = load<T>(values, x);
        if constexpr (std::is_floating_point_v<T>)
            if (std::isnan(value)) continue;
        const Term term = Term(value);
        m.min = std::min(m.min, double(value)), m.max = std::max(m.max, double(value));
        ++n;
        m.x += x;
        v.add(term);
        if constexpr (std::is_same_v<T, float>) {  // products of floats (and indices below 2^29) are exact doubles
            vv.add(term * term);
            vx.add(term * double(x));
        } else {
            vv.add_product(term, term);
            vx.add_product(term, Term(x));
        }
    }
    m.n += n, m.y += n * std::uint64_t(y), m.z += n * std::uint64_t(z);
    m.v.add(v), m.vv.add(vv), m.vx.add(vx);
    m.vy.add_product(v, Term(y)), m.vz.add_product(v, Term(z));
    return end - first - n;
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
    p.min = scaled(scale.slope < 0 ? m.max : m.min), p.max = scaled(scale.slope < 0 ? m.min : m.max);
    const Quad variance = (n * total(m.vv) - sum * sum) / (n * n);
    // If all values are equal, the deviation is 0. The computed variance can differ from 0 by rounding.
    p.standard_deviation =
        m.min == m.max ? 0 : std::abs(scale.slope) * double(std::sqrt(static_cast<long double>(variance < 0 ? Quad(0) : variance)));
    if (weight == 0) return p;
    const auto centroid = [&](const Sum& weighted, std::uint64_t plain) {
        return double((slope * total(weighted) + intercept * Quad(plain)) / weight);
    };
    p.weighted_centroid = {centroid(m.vx, m.x), centroid(m.vy, m.y), centroid(m.vz, m.z)};
    if (world) p.weighted_centroid_mm = world_position(*world, p.weighted_centroid);
    return p;
}

}  // namespace

void CompensatedSum::add(double v) {
    const double sum = value + v, v_seen = sum - value;
    rest += (value - (sum - v_seen)) + (v - v_seen);
    value = sum;
}

void CompensatedSum::add(const CompensatedSum& other) {
    add(other.value);
    rest += other.rest;
}

void CompensatedSum::add_product(double a, double b) {
    const double product = a * b;
    rest += std::fma(a, b, -product);
    add(product);
}

void CompensatedSum::add_product(const CompensatedSum& a, double b) {
    add_product(a.value, b);
    rest += a.rest * b;
}

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

template <class Index>
void IntensitySums::add_row(std::int64_t y, std::int64_t z, std::span<const Index> components, std::span<const std::byte> values) {
    visit_scalar(type_, [&]<class T>(std::type_identity<T>) {
        using Sum = std::conditional_t<adds_up_exactly<T>, ExactSum, CompensatedSum>;
        auto& moments = std::get<std::vector<IntensityMoments<Sum>>>(moments_);
        for (std::size_t first = 0, end = 0; first < components.size(); first = end) {
            const Index component = components[first];
            while (end < components.size() && components[end] == component) ++end;
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

IntensityProperties IntensitySums::properties(std::uint64_t component, const LinearScale& scale, const std::optional<World>& world) const {
    return std::visit(
        [&](const auto& moments) {
            using Moments = typename std::decay_t<decltype(moments)>::value_type;
            return describe(component <= moments.size() ? moments[component - 1] : Moments{}, scale, world);
        },
        moments_);
}

}  // namespace voxcc
