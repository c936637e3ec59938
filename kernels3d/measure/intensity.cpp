#include <voxcc/label.h>
#include <voxcc/measure.h>

#include "kernels3d/base/union_shifted.h"
#include "kernels3d/measure/float_runs.h"
#include "kernels3d/measure/intensity_table.h"
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

/// Adds the values of a run of integers of up to 32 bits.
template <class T>
CountedVoxels add_integers(IntegerSums& sums, const ValueRun& run) {
    constexpr bool is_narrow = sizeof(T) <= 2;
    constexpr std::size_t most = 1 << 14;  // values of a stretch: 2^14 cubes of 16-bit integers are below 2^62
    using Cube = std::conditional_t<is_narrow, std::int64_t, int128>;
    for (std::size_t begin = 0; begin < run.count; begin += most) {
        const std::size_t stop = std::min(run.count, begin + most);
        std::int64_t sum = 0;
        Cube squares = 0, ramp = 0, cubes = 0;
        uint128 fourths = 0;
        for (std::size_t i = begin; i < stop; ++i) {
            const std::int64_t value = load<T>(run.values, i);
            const std::uint64_t square = std::uint64_t(value) * std::uint64_t(value);
            sum += value;
            squares += Cube(square);
            ramp += Cube(value) * Cube(i - begin);
            cubes += Cube(square) * value;
            if constexpr (is_narrow) fourths += square * square;
            else sums.fourths.add_unsigned(uint128(square) * square);
        }
        sums.v += sum, sums.vv += squares;
        sums.vx += ramp + int128(sum) * std::int64_t(run.x + begin);
        sums.vy += int128(sum) * std::int64_t(run.y), sums.vz += int128(sum) * std::int64_t(run.z);
        sums.cubes.add(cubes), sums.fourths.add_unsigned(fourths);
    }
    return {run.count, run.sum_of_x()};
}

/// Whether a voxel x, y, z is before another one in raster order.
bool is_before(const std::array<std::uint32_t, 3>& a, const std::array<std::uint32_t, 3>& b) {
    return std::tuple(a[2], a[1], a[0]) < std::tuple(b[2], b[1], b[0]);
}

/// Widens the range of the values by a run. The first value must not be NaN.
template <class T, class Sums>
void add_extremes(IntensityMoments<Sums>& m, const ValueRun& run) {
    T low = load<T>(run.values, 0), high = low;
    for (std::size_t i = 1; i < run.count; ++i) {
        const T value = load<T>(run.values, i);
        low = value < low ? value : low, high = value > high ? value : high;
    }
    const std::array first{std::uint32_t(run.x), std::uint32_t(run.y), std::uint32_t(run.z)};
    const auto update = [&](double value, bool is_beyond, double& known, std::array<std::uint32_t, 3>& known_at) {
        // An equal value of a run that begins later is later, too: runs of a component do not overlap.
        if (m.n > 0 && !is_beyond && !(value == known && is_before(first, known_at))) return;
        std::size_t i = 0;
        while (double(load<T>(run.values, i)) != value) ++i;
        known = double(load<T>(run.values, i)), known_at = first;
        known_at[0] += std::uint32_t(i);
    };
    update(double(low), double(low) < m.min, m.min, m.min_at);
    update(double(high), double(high) > m.max, m.max, m.max_at);
}

/// Adds a run. @return the number of NaN voxels
template <class T, class Sums>
std::uint64_t add_run(IntensityMoments<Sums>& m, ValueRun run) {
    const std::size_t length = run.count;
    if constexpr (std::is_floating_point_v<T>)
        while (run.count > 0 && std::isnan(load<T>(run.values, 0))) ++run.x, --run.count, run.values += sizeof(T);
    if (run.count == 0) return length;
    add_extremes<T>(m, run);
    CountedVoxels counted;
    if constexpr (are_integer_sums<T>) counted = add_integers<T>(m.sums, run);
    else counted = add_floats<T>(m.sums, run);
    m.n += counted.n, m.x += counted.x;
    m.y += counted.n * run.y, m.z += counted.n * run.z;
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
    if (o.n > 0 && (n == 0 || o.min < min || (o.min == min && is_before(o.min_at, min_at)))) min = o.min, min_at = o.min_at;
    if (o.n > 0 && (n == 0 || o.max > max || (o.max == max && is_before(o.max_at, max_at)))) max = o.max, max_at = o.max_at;
    n += o.n, x += o.x, y += o.y, z += o.z;
    sums.add(o.sums);
}

template <class Sums>
IntensityMoments<Sums> IntensityMoments<Sums>::moved(const std::array<std::int64_t, 3>& by) const {
    IntensityMoments there = *this;
    there.x += n * std::uint64_t(by[0]), there.y += n * std::uint64_t(by[1]), there.z += n * std::uint64_t(by[2]);
    there.sums.move(by);
    return there;
}
template struct IntensityMoments<IntegerSums>;
template struct IntensityMoments<FloatSums>;

IntensitySums::Table::Table(ScalarType of_values) : type(of_values) {
    visit_scalar(of_values, [&]<class T>(std::type_identity<T>) {
        if constexpr (!are_integer_sums<T>) moments.emplace<std::vector<IntensityMoments<FloatSums>>>();
    });
}

IntensitySums::IntensitySums(ScalarType intensity) : IntensitySums(Table(intensity)) {}
IntensitySums::IntensitySums(Table table) : table_(std::make_unique<Table>(std::move(table))) {}
IntensitySums::IntensitySums(const IntensitySums& other) : IntensitySums(*other.table_) {}
IntensitySums& IntensitySums::operator=(const IntensitySums& other) { return *this = IntensitySums(other); }
IntensitySums::IntensitySums(IntensitySums&&) noexcept = default;
IntensitySums& IntensitySums::operator=(IntensitySums&&) noexcept = default;
IntensitySums::~IntensitySums() = default;

ScalarType IntensitySums::type() const { return table_->type; }
std::uint64_t IntensitySums::more_bytes() const { return table_->more_bytes; }
std::uint64_t IntensitySums::nan_voxels() const { return table_->nan_voxels; }

void IntensitySums::reserve(std::uint64_t components) {
    std::visit([&](auto& moments) { moments.reserve(components); }, table_->moments);
}

std::size_t IntensitySums::bytes_per_component() const {
    return std::visit([](const auto& moments) { return sizeof(moments[0]); }, table_->moments);
}

StoredRange IntensitySums::stored_range(std::uint64_t component) const {
    return std::visit(
        [&](const auto& moments) {
            if (component > moments.size()) return StoredRange{};
            const auto& m = moments[component - 1];
            return StoredRange{m.n, m.min, m.max};
        },
        table_->moments);
}

template <class Index>
void IntensitySums::add_voxels(const FirstVoxel& at, std::span<const Index> components, std::span<const std::byte> values) {
    visit_scalar(table_->type, [&]<class T>(std::type_identity<T>) {
        using Sums = std::conditional_t<are_integer_sums<T>, IntegerSums, FloatSums>;
        auto& moments = std::get<std::vector<IntensityMoments<Sums>>>(table_->moments);
        for (std::size_t first = 0, end = 0; first < components.size(); first = end) {
            const Index component = components[first];
            end = end_of_stretch(components, first);
            if (component == 0) continue;
            if (component > moments.size()) moments.resize(component);
            IntensityMoments<Sums>& m = moments[component - 1];
            const std::uint64_t before = more_bytes_of(m);
            table_->nan_voxels += add_run<T>(m, {values.data() + first * sizeof(T), end - first, at.x + first, at.y, at.z});
            table_->more_bytes += more_bytes_of(m) - before;
        }
    });
}

template void IntensitySums::add_voxels(const FirstVoxel&, std::span<const std::uint8_t>, std::span<const std::byte>);
template void IntensitySums::add_voxels(const FirstVoxel&, std::span<const std::uint16_t>, std::span<const std::byte>);
template void IntensitySums::add_voxels(const FirstVoxel&, std::span<const std::uint32_t>, std::span<const std::byte>);
template void IntensitySums::add_voxels(const FirstVoxel&, std::span<const std::uint64_t>, std::span<const std::byte>);

void IntensitySums::add(std::uint64_t component, const IntensitySums& other, std::uint64_t of_other,
                        const std::array<std::int64_t, 3>& by) {
    std::visit(
        [&]<class OfAll>(OfAll& moments) {
            const auto& others = std::get<OfAll>(other.table_->moments);
            if (of_other > others.size() || others[of_other - 1].n == 0) return;
            if (component > moments.size()) moments.resize(component);
            auto& m = moments[component - 1];
            const std::uint64_t before = more_bytes_of(m);
            m.add(others[of_other - 1].moved(by));
            table_->more_bytes += more_bytes_of(m) - before;
        },
        table_->moments);
}

void IntensitySums::unwrap(const Sections& sections, const Extent& extent) {
    for (std::uint64_t section = sections.components + 1; section <= sections.count(); ++section)
        add(sections.component_of(section), *this, section, voxels_of(sections.shift_of(section), extent));
    std::visit([&](auto& moments) { moments.resize(std::min<std::size_t>(moments.size(), sections.components)); }, table_->moments);
}

IntensityProperties IntensitySums::properties(std::uint64_t component, const LinearScale& scale, const std::optional<World>& world,
                                              const Wrapping& wrapping) const {
    return std::visit(
        [&](const auto& moments) {
            using OfComponent = typename std::decay_t<decltype(moments)>::value_type;
            return describe(component <= moments.size() ? moments[component - 1] : OfComponent{}, scale, world, wrapping);
        },
        table_->moments);
}

}  // namespace voxcc
