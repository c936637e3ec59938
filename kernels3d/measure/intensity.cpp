#include <voxcc/intensity.h>

#include "kernels3d/measure/float_rows.h"
#include "kernels3d/measure/stretch.h"

#include <cmath>
#include <cstring>
#include <tuple>

namespace voxcc {
namespace {

template <class T>
T load(const std::byte* values, std::size_t index) {
    T value;
    std::memcpy(&value, values + index * sizeof(T), sizeof(T));
    return value;
}

template <class T>
constexpr bool are_integer_sums = std::is_integral_v<T> && sizeof(T) <= 4;

/// Adds the values [first, end) of a row of integers of up to 32 bits.
template <class T>
CountedVoxels add_integers(IntegerSums& sums, const std::byte* values, std::size_t first, std::size_t end, std::int64_t y, std::int64_t z) {
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
            else sums.fourths.add_unsigned(uint128(square) * square);
        }
        sums.v += sum, sums.vv += squares;
        sums.vx += ramp + int128(sum) * std::int64_t(begin);
        sums.vy += int128(sum) * y, sums.vz += int128(sum) * z;
        sums.cubes.add(cubes), sums.fourths.add_unsigned(fourths);
    }
    return {end - first, (end - first) * (end - 1 + first) / 2};
}

/// Widens the range of the values by the values [first, end) of row (y, z). The first value must not be NaN.
template <class T, class Sums>
void add_extremes(IntensityMoments<Sums>& m, const std::byte* values, std::size_t first, std::size_t end, std::int64_t y, std::int64_t z) {
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
template <class T, class Sums>
std::uint64_t add_run(IntensityMoments<Sums>& m, const std::byte* values, std::size_t first, std::size_t end, std::int64_t y,
                      std::int64_t z) {
    const std::size_t length = end - first;
    if constexpr (std::is_floating_point_v<T>)
        while (first < end && std::isnan(load<T>(values, first))) ++first;
    if (first == end) return length;
    add_extremes<T>(m, values, first, end, y, z);
    CountedVoxels counted;
    if constexpr (are_integer_sums<T>) counted = add_integers<T>(m.sums, values, first, end, y, z);
    else counted = add_floats<T>(m.sums, values, first, end, std::uint64_t(y), std::uint64_t(z));
    m.n += counted.n, m.x += counted.x;
    m.y += counted.n * std::uint64_t(y), m.z += counted.n * std::uint64_t(z);
    return length - counted.n;
}

/// Bytes of the sums that are not in the moments themselves.
std::uint64_t more_bytes_of(const IntensityMoments<IntegerSums>&) { return 0; }
std::uint64_t more_bytes_of(const IntensityMoments<FloatSums>& m) {
    return m.sums.units() > 1 ? (m.sums.units() - 1) * sizeof(ScaledSums) : 0;
}

}  // namespace

template <class Sums>
void IntensityMoments<Sums>::add(const IntensityMoments& o) {
    const auto is_before = [](const std::array<std::uint32_t, 3>& a, const std::array<std::uint32_t, 3>& b) {
        return std::tuple(a[2], a[1], a[0]) < std::tuple(b[2], b[1], b[0]);
    };
    if (o.n > 0 && (n == 0 || o.min < min || (o.min == min && is_before(o.min_at, min_at)))) min = o.min, min_at = o.min_at;
    if (o.n > 0 && (n == 0 || o.max > max || (o.max == max && is_before(o.max_at, max_at)))) max = o.max, max_at = o.max_at;
    n += o.n, x += o.x, y += o.y, z += o.z;
    sums.add(o.sums);
}
template struct IntensityMoments<IntegerSums>;
template struct IntensityMoments<FloatSums>;

IntensitySums::IntensitySums(ScalarType intensity) : type_(intensity) {
    visit_scalar(intensity, [&]<class T>(std::type_identity<T>) {
        if constexpr (!are_integer_sums<T>) moments_.emplace<std::vector<IntensityMoments<FloatSums>>>();
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
        using Sums = std::conditional_t<are_integer_sums<T>, IntegerSums, FloatSums>;
        auto& moments = std::get<std::vector<IntensityMoments<Sums>>>(moments_);
        for (std::size_t first = 0, end = 0; first < components.size(); first = end) {
            const Index component = components[first];
            end = end_of_stretch(components, first);
            if (component == 0) continue;
            if (component > moments.size()) moments.resize(component);
            IntensityMoments<Sums>& m = moments[component - 1];
            const std::uint64_t before = more_bytes_of(m);
            nan_voxels_ += add_run<T>(m, values.data(), first, end, y, z);
            more_bytes_ += more_bytes_of(m) - before;
        }
    });
}

template void IntensitySums::add_row(std::int64_t, std::int64_t, std::span<const std::uint8_t>, std::span<const std::byte>);
template void IntensitySums::add_row(std::int64_t, std::int64_t, std::span<const std::uint16_t>, std::span<const std::byte>);
template void IntensitySums::add_row(std::int64_t, std::int64_t, std::span<const std::uint32_t>, std::span<const std::byte>);
template void IntensitySums::add_row(std::int64_t, std::int64_t, std::span<const std::uint64_t>, std::span<const std::byte>);

void IntensitySums::add(const IntensitySums& other, std::span<const std::uint32_t> numbers) {
    std::visit(
        [&]<class Moments>(Moments& moments) {
            const auto& others = std::get<Moments>(other.moments_);
            for (std::size_t k = 0; k < others.size(); ++k) {
                if (others[k].n == 0) continue;
                if (numbers[k] > moments.size()) moments.resize(numbers[k]);
                auto& m = moments[numbers[k] - 1];
                const std::uint64_t before = more_bytes_of(m);
                m.add(others[k]);
                more_bytes_ += more_bytes_of(m) - before;
            }
        },
        moments_);
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
