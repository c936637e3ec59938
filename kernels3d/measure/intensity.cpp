#include <voxcc/label.h>
#include <voxcc/measure.h>

#include "kernels3d/base/union_shifted.h"
#include "kernels3d/measure/float_blocks.h"
#include "kernels3d/measure/float_runs.h"
#include "kernels3d/measure/intensity_table.h"
#include "kernels3d/measure/small_integers.h"
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
CountedVoxels add_integers(IntegerSums<Powers::one>& sums, const ValueRun& run) {
    std::int64_t sum = 0;  // of at most 2^32 values
    for (std::size_t i = 0; i < run.count; ++i) sum += std::int64_t(load<T>(run.values, i));
    sums.v += sum;
    return {run.count, run.sum_of_x()};
}

/// Adds the values of a run of integers of up to 32 bits, and their powers.
template <class T, Powers P>
CountedVoxels add_integers(IntegerSums<P>& sums, const ValueRun& run) {
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
            if constexpr (P == Powers::four) {
                cubes += Cube(square) * value;
                if constexpr (is_narrow) fourths += square * square;
                else sums.fourths.add_unsigned(uint128(square) * square);
            }
        }
        sums.v += sum, sums.vv += squares;
        sums.vx += ramp + int128(sum) * std::int64_t(run.x + begin);
        sums.vy += int128(sum) * std::int64_t(run.y), sums.vz += int128(sum) * std::int64_t(run.z);
        if constexpr (P == Powers::four) sums.cubes.add(cubes), sums.fourths.add_unsigned(fourths);
    }
    return {run.count, run.sum_of_x()};
}

/// Whether a voxel x, y, z is before another one in raster order.
bool is_before(const std::array<std::uint32_t, 3>& a, const std::array<std::uint32_t, 3>& b) {
    return std::tuple(a[2], a[1], a[0]) < std::tuple(b[2], b[1], b[0]);
}

/// Widens the range of the values by a run with the extremes `low` and `high`, which have their first positions in raster order.
template <class T, class Sums>
void add_positions(IntensityMoments<Sums>& m, const ValueRun& run, double low, double high) {
    const std::array first{std::uint32_t(run.x), std::uint32_t(run.y), std::uint32_t(run.z)};
    const auto update = [&](double value, bool is_beyond, double& known, std::array<std::uint32_t, 3>& known_at) {
        // An equal value of a run that begins later is later, too: runs of a component do not overlap.
        if (m.n > 0 && !is_beyond && !(value == known && is_before(first, known_at))) return;
        std::size_t i = 0;
        while (double(load<T>(run.values, i)) != value) ++i;
        known = double(load<T>(run.values, i)), known_at = first;
        known_at[0] += std::uint32_t(i);
    };
    update(low, low < m.min, m.min, m.min_at);
    update(high, high > m.max, m.max, m.max_at);
}

/// Widens the range of the values by a run. The first value must not be NaN.
template <class T, class Sums>
void add_extremes(IntensityMoments<Sums>& m, const ValueRun& run) {
    T low = load<T>(run.values, 0), high = low;
    for (std::size_t i = 1; i < run.count; ++i) {
        const T value = load<T>(run.values, i);
        low = value < low ? value : low, high = value > high ? value : high;
    }
    if constexpr (Sums::powers != Powers::four) {
        m.min = std::min(m.min, double(low)), m.max = std::max(m.max, double(high));
    } else {
        add_positions<T>(m, run, double(low), double(high));
    }
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

/// Same as add_run(), block by block.
template <class T>
std::uint64_t add_blocks(IntensityMoments<FloatSums<Powers::two>>& m, const ValueRun& run) {
    if (run.count == 1 && add_value<T>(m.sums, run)) {
        const auto value = double(load<T>(run.values, 0));
        m.min = std::min(m.min, value), m.max = std::max(m.max, value);
        ++m.n, m.x += run.x, m.y += run.y, m.z += run.z;
        return 0;
    }
    std::uint64_t nan_voxels = 0;
    for (std::size_t first = 0; first < run.count; first += most_of_block) {
        const std::size_t count = std::min(run.count - first, most_of_block);
        const ValueRun block{run.values + first * sizeof(T), count, run.x + first, run.y, run.z};
        if (const std::optional<ValueExtremes> extremes = add_block<T>(m.sums, block)) {
            m.min = std::min(m.min, extremes->least), m.max = std::max(m.max, extremes->largest);
            m.n += count, m.x += block.sum_of_x(), m.y += count * run.y, m.z += count * run.z;
        } else {
            nan_voxels += add_run<T>(m, block);
        }
    }
    return nan_voxels;
}

/// Adds a run in the fastest way. @return the number of NaN voxels
template <class T, class Sums>
std::uint64_t add_values(IntensityMoments<Sums>& m, const ValueRun& run) {
    if constexpr (std::is_same_v<Sums, FloatSums<Powers::two>>) return add_blocks<T>(m, run);
    else return add_run<T>(m, run);
}

/// Bytes of the sums that are not in the moments themselves.
template <Powers P>
std::uint64_t more_bytes_of(const IntensityMoments<IntegerSums<P>>&) {
    return 0;
}
template <Powers P>
std::uint64_t more_bytes_of(const IntensityMoments<FloatSums<P>>& m) {
    return m.sums.units() > 1 ? (m.sums.units() - 1) * sizeof(ScaledSums<P>) : 0;
}

/// Adds a run of small integers M 2^unit.
/// @param unit_value 2^unit
[[gnu::always_inline]] inline void add_small(IntensityMoments<FloatSums<Powers::two>>& m, const SmallSums& s, std::int32_t unit,
                                             double unit_value, const ValueRun& run) {
    if (s.vv != 0) {
        ScaledSums<Powers::two>& sums = m.sums.of(unit);
        sums.v += s.v;
        sums.vv.add_unsigned(s.vv);
        sums.vx.add(int128(s.v) * std::int64_t(run.x) + s.vx);
        sums.vy.add(int128(s.v) * std::int64_t(run.y)), sums.vz.add(int128(s.v) * std::int64_t(run.z));
    }
    m.min = std::min(m.min, double(s.least) * unit_value), m.max = std::max(m.max, double(s.largest) * unit_value);
    m.n += run.count, m.x += run.sum_of_x(), m.y += run.count * run.y, m.z += run.count * run.z;
}

/// The largest finite magnitude of the values outside of the background; 0 if there is none.
template <class T, class Index>
double largest_magnitude(std::span<const Index> components, const std::byte* values) {
    double largest = 0;
    for (std::size_t i = 0; i < components.size(); ++i) {
        const double magnitude = std::abs(double(load<T>(values, i)));
        if (components[i] != 0 && std::isfinite(magnitude)) largest = std::max(largest, magnitude);
    }
    return largest;
}

/// Adds runs of one part of a row as small integers where this is possible. Each part tries the unit of the part before it, unless most
/// voxels could not be added with that unit.
template <class T, class Index>
class SmallRuns {
public:
    SmallRuns(IntensitySums::Table::SmallUnit& small, std::span<const Index> components, const std::byte* values)
        : small_(small), components_(components), values_(values) {}
    /// @param first number of the first voxel of the run in the part
    /// @return false, and nothing is added, if a value is not a small integer, or if the sums would need memory
    bool add(IntensityMoments<FloatSums<Powers::two>>& m, std::size_t first, const ValueRun& run) {
        if (!is_ready_ && !prepare()) return false;
        const std::optional<SmallSums> sums = integers_.sums(first, first + run.count);
        const bool is_added = sums && m.sums.has_room(unit_);
        (is_added ? small_.added : small_.refused) += run.count;
        if (is_added) add_small(m, *sums, unit_, unit_value_, run);
        return is_added;
    }

private:
    bool prepare() {
        if (small_.refused > 1024 && small_.refused > small_.added) small_ = {std::nullopt, 0, 0, small_.choices_left};
        if (!small_.unit) {
            if (small_.choices_left == 0) return false;
            const double largest = largest_magnitude<T>(components_, values_);
            if (largest > 0) small_.unit = unit_of_small_integers(largest), --small_.choices_left;
        }
        unit_ = small_.unit.value_or(0);
        unit_value_ = std::ldexp(1.0, unit_);
        integers_.set<T>(default_isa(), {values_, components_.size() * sizeof(T)}, unit_);
        return is_ready_ = true;
    }

    static_assert(SmallIntegers::most >= Stretches::most);
    IntensitySums::Table::SmallUnit& small_;
    std::span<const Index> components_;
    const std::byte* values_;
    SmallIntegers integers_;
    bool is_ready_ = false;
    std::int32_t unit_ = 0;
    double unit_value_ = 1;
};

/// Adds the voxels of a part of a row, at most Stretches::most.
/// @param part values of all voxels of the part; voxels of the background are included
template <class T, class Sums, class Index>
void add_part(IntensitySums::Table& table, std::vector<IntensityMoments<Sums>>& moments, std::span<const Index> components,
              const ValueRun& part) {
    const std::span values(part.values, part.count * sizeof(T));
    // The processor does not foresee which values between background are read, except where all are converted to small integers.
    std::size_t fetched = table.small.unit ? values.size() : 0;
    SmallRuns<T, Index> small(table.small, components, part.values);
    Stretches(default_isa(), components).for_each([&](std::size_t first, std::size_t end) __attribute__((always_inline)) {
        const Index component = components[first];
        if (component == 0) return;
        for (; fetched < values.size(); fetched += 64) __builtin_prefetch(values.data() + fetched);
        if (component > moments.size()) moments.resize(component);
        auto& m = moments[component - 1];
        const ValueRun run{part.values + first * sizeof(T), end - first, part.x + first, part.y, part.z};
        if constexpr (std::is_same_v<Sums, FloatSums<Powers::two>>)
            if (small.add(m, first, run)) return;
        const std::uint64_t before = more_bytes_of(m);
        table.nan_voxels += add_values<T>(m, run);
        table.more_bytes += more_bytes_of(m) - before;
    });
}

}  // namespace

template <class Sums>
void IntensityMoments<Sums>::add(const IntensityMoments& o) {
    if constexpr (powers != Powers::four) {
        min = std::min(min, o.min), max = std::max(max, o.max);
    } else {
        if (o.n > 0 && (n == 0 || o.min < min || (o.min == min && is_before(o.min_at, this->min_at)))) min = o.min, this->min_at = o.min_at;
        if (o.n > 0 && (n == 0 || o.max > max || (o.max == max && is_before(o.max_at, this->max_at)))) max = o.max, this->max_at = o.max_at;
    }
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
template struct IntensityMoments<IntegerSums<Powers::one>>;
template struct IntensityMoments<IntegerSums<Powers::two>>;
template struct IntensityMoments<IntegerSums<Powers::four>>;
template struct IntensityMoments<FloatSums<Powers::two>>;
template struct IntensityMoments<FloatSums<Powers::four>>;

IntensitySums::Table::Table(ScalarType of_values, Powers powers) : type(of_values) {
    visit_scalar(of_values, [&]<class T>(std::type_identity<T>) {
        if constexpr (are_integer_sums<T>) {
            if (powers == Powers::one) moments.emplace<Of<IntegerSums, Powers::one>>();
            if (powers == Powers::two) moments.emplace<Of<IntegerSums, Powers::two>>();
        } else {
            if (powers != Powers::four) moments.emplace<Of<FloatSums, Powers::two>>();
            else moments.emplace<Of<FloatSums, Powers::four>>();
        }
    });
}

IntensitySums::IntensitySums(ScalarType intensity, Powers powers) : IntensitySums(Table(intensity, powers)) {}
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
    const auto add_to = [&]<class T>(auto& moments, std::type_identity<T>) {
        for_each_part(components, [&](std::size_t first, std::span<const Index> part) {
            add_part<T>(*table_, moments, part, {values.data() + first * sizeof(T), part.size(), at.x + first, at.y, at.z});
        });
    };
    visit_scalar(table_->type, [&]<class T>(std::type_identity<T> type) {
        std::visit(
            [&]<class Sums>(std::vector<IntensityMoments<Sums>>& moments) {
                if constexpr (Sums::of_integers == are_integer_sums<T>) add_to(moments, type);
            },
            table_->moments);
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

void IntensitySums::clear(std::uint64_t component) {
    std::visit(
        [&](auto& moments) {
            if (component > moments.size()) return;
            table_->more_bytes -= more_bytes_of(moments[component - 1]);
            moments[component - 1] = {};
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
