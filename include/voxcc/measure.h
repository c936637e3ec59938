// The properties of components: exact integer sums over their voxels, and what follows from them. Also the
// values of an intensity image in each component.
//
// The sums are exact and do not depend on the order of summation. Every device, thread count and algorithm gives the same table.
#pragma once
#include <voxcc/source.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace voxcc {

struct Sections;

/// The number of voxels, the sums of their coordinates and the sums of the products of two coordinates.
/// @tparam First type of n, x, y, z
/// @tparam Second type of the sums of products; at least as wide as First
// voxels = (1, 0, 4), (2, 0, 4)  ->  n 2, x 3, y 0, z 8, xx 5, yy 0, zz 32, xy 0, xz 12, yz 0
template <class First, class Second = First>
struct Moments {
    First n = 0, x = 0, y = 0, z = 0;
    Second xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;

    /// The voxels (first, 0, 0), (first + 1, 0, 0), ..., (first + length - 1, 0, 0).
    /// @param length at least 1; length^2 must fit First, length^3 must fit Second
    // first = 3, length = 2  ->  n 2, x 7, xx 25
    [[gnu::always_inline]] VOXCC_HD static constexpr Moments stretch(First first, First length) {
        const First ramp = length * (length - 1) / 2;  // 0 + 1 + ... + (length - 1)
        // 0^2 + 1^2 + ... + (length - 1)^2. The product before the division is less than length^3.
        const Second squares = Second(ramp) * (Second(2) * length - 1) / 3;
        Moments s;
        s.n = length, s.x = length * first + ramp;
        s.xx = Second(first) * (Second(s.x) + ramp) + squares;
        return s;
    }

    /// The same voxels after a move by (dx, dy, dz). A negative distance of an unsigned type is its two's complement; then Second must
    /// be First.
    // n 1, x 3, xx 9 shifted by (2, 0, 1)  ->  n 1, x 5, z 1, xx 25, zz 1, xz 5
    [[gnu::always_inline]] VOXCC_HD constexpr Moments shifted(First dx, First dy, First dz) const {
        Moments s;
        s.n = n, s.x = dx * n + x, s.y = dy * n + y, s.z = dz * n + z;
        const Second X = dx, Y = dy, Z = dz;
        s.xx = X * (Second(s.x) + x) + xx, s.yy = Y * (Second(s.y) + y) + yy, s.zz = Z * (Second(s.z) + z) + zz;
        s.xy = Y * s.x + X * y + xy, s.xz = Z * s.x + X * z + xz, s.yz = Z * s.y + Y * z + yz;
        return s;
    }

    /// The same moments in other types. Negative values become two's complements. Values that do not fit are taken modulo 2^bits.
    template <class ToFirst, class ToSecond = ToFirst>
    [[gnu::always_inline]] VOXCC_HD constexpr Moments<ToFirst, ToSecond> as() const {
        return {ToFirst(n),   ToFirst(x),   ToFirst(y),   ToFirst(z),   ToSecond(xx),
                ToSecond(yy), ToSecond(zz), ToSecond(xy), ToSecond(xz), ToSecond(yz)};
    }

    /// Calls f(sum, sum of o) for each of the ten sums, in the order of their declaration.
    template <class OtherFirst, class OtherSecond, class F>
    [[gnu::always_inline]] VOXCC_HD constexpr void for_each_with(const Moments<OtherFirst, OtherSecond>& o, const F& f) {
        f(n, o.n), f(x, o.x), f(y, o.y), f(z, o.z);
        f(xx, o.xx), f(yy, o.yy), f(zz, o.zz), f(xy, o.xy), f(xz, o.xz), f(yz, o.yz);
    }

    /// The moments of the union of two sets without a common voxel.
    template <class OtherFirst, class OtherSecond>
    [[gnu::always_inline]] VOXCC_HD constexpr Moments& operator+=(const Moments<OtherFirst, OtherSecond>& o) {
        for_each_with(o, [](auto& to, const auto& part) { to += part; });
        return *this;
    }

    bool operator==(const Moments&) const = default;
};

/// Widens the bounding box x0, ..., z1 of `to` so that it contains the bounding box of `o`.
template <class To, class From>
[[gnu::always_inline]] inline void widen_box(To& to, const From& o) {
    to.x0 = std::min(to.x0, o.x0), to.y0 = std::min(to.y0, o.y0), to.z0 = std::min(to.z0, o.z0);
    to.x1 = std::max(to.x1, o.x1), to.y1 = std::max(to.y1, o.y1), to.z1 = std::max(to.z1, o.z1);
}

/// Sums over the voxels of a component, in 0-based voxel indices.
/// @tparam Wide type of the second moments. 64 bits hold the second moments of a solid cube of 8884^3 voxels; see second_moments_fit()
// voxels = (1, 0, 4), (2, 0, 4)  ->  n 2, x 3, xx 5, ..., box x 1..2, y 0..0, z 4..4
template <class Wide>
struct Sums : Moments<std::uint64_t, Wide> {
    static constexpr std::uint32_t no_index = ~std::uint32_t{0};
    std::uint32_t x0 = no_index, y0 = no_index, z0 = no_index, x1 = 0, y1 = 0, z1 = 0;  // bounding box, both ends inclusive

    /// Merges the sums of other voxels into these sums.
    template <class Other>
    [[gnu::always_inline]] void add(const Sums<Other>& o) {
        *this += o;
        widen_box(*this, o);
    }
    /// The sums of the same voxels after a move by `slices` along z. There must be at least one voxel.
    template <class Other>
    Sums<Other> moved_up(std::uint32_t slices) const {
        return {this->template as<std::uint64_t, Other>().shifted(0, 0, slices), x0, y0, z0 + slices, x1, y1, z1 + slices};
    }
    bool operator==(const Sums&) const = default;
};
using WideSums = Sums<uint128>;

/// The sums of the same voxels after a move along x, y and z. There must be at least one voxel.
// box x 1..2 moved by {10, 0, 0}  ->  box x 11..12
inline WideSums moved(const WideSums& s, const std::array<std::int64_t, 3>& by) {
    const auto x = std::uint32_t(by[0]), y = std::uint32_t(by[1]), z = std::uint32_t(by[2]);
    return {s.as<uint128>().shifted(x, y, z).as<std::uint64_t, uint128>(), s.x0 + x, s.y0 + y, s.z0 + z, s.x1 + x, s.y1 + y, s.z1 + z};
}

/// Whether the second moments of every component in a volume of this extent are certain to fit into 64 bits: voxels * longest^2 < 2^64,
/// where `longest` is the number of voxels along the longest axis.
// {512, 512, 512} -> true; {8000, 8000, 8000} -> false
constexpr bool second_moments_fit(const Extent& e) {
    const std::int64_t longest = std::max({e.nx, e.ny, e.nz});
    return uint128(std::uint64_t(e.voxels())) * std::uint64_t(longest) * std::uint64_t(longest) >> 64 == 0;
}

/// The sums of all components; row k - 1 for label k. The rows do not change. A copy shares them. Thread-safe.
///
/// In a periodic volume, the sums of a component are the sums of the unwrapped component: see Sections. Its bounding box starts
/// inside the volume, and may end outside.
class SumTable {
public:
    SumTable() = default;
    /// @param rows sums in any representation with rows.size(), rows[k] as an argument of WideSums::add(), and rows.voxels(k) or rows[k].n;
    ///     rows.wraps(k) if components may wrap around axes
    template <class Rows>
    requires requires(const Rows& r) { r[r.size()]; }
    explicit SumTable(Rows rows) : rows_(std::make_shared<const Held<Rows>>(std::move(rows))) {}
    std::size_t size() const { return rows_ ? rows_->size() : 0; }
    std::uint64_t voxels(std::size_t row) const { return rows_->voxels(row); }
    WideSums operator[](std::size_t row) const { return rows_->sums(row); }
    /// The periodic axes around which a component reaches completely: a path in the component leads around the axis, back to its start.
    /// The sums of indices along these axes are sums of the stored indices, and have no meaning.
    AxisSet wraps(std::size_t row) const { return rows_->wraps(row); }

private:
    struct AnyRows {
        virtual ~AnyRows() = default;
        virtual std::size_t size() const = 0;
        virtual std::uint64_t voxels(std::size_t row) const = 0;
        virtual WideSums sums(std::size_t row) const = 0;
        virtual AxisSet wraps(std::size_t row) const = 0;
    };
    template <class Rows>
    struct Held final : AnyRows {
        explicit Held(Rows r) : rows(std::move(r)) {}
        std::size_t size() const override { return rows.size(); }
        std::uint64_t voxels(std::size_t row) const override {
            if constexpr (requires { rows.voxels(row); }) return rows.voxels(row);
            else return rows[row].n;
        }
        WideSums sums(std::size_t row) const override {
            WideSums sums;
            sums.add(rows[row]);
            return sums;
        }
        AxisSet wraps(std::size_t row) const override {
            if constexpr (requires { rows.wraps(row); }) return rows.wraps(row);
            else return {};
        }
        Rows rows;
    };
    std::shared_ptr<const AnyRows> rows_;
};

/// The properties of a component, as in the table (src/pipeline/component_table.h). Values that depend on an axis in `wraps` do not exist:
/// they are NaN. These are the centroid and the covariances along the axis, the positions and covariances in mm to which the axis
/// contributes, and the axes, elongation and flatness.
struct Properties {
    std::uint64_t voxels = 0;
    std::array<double, 3> centroid{};    // i j k, in 0-based voxel indices; along periodic axes in [0, extent)
    std::array<std::int64_t, 6> box{};   // i_min i_max j_min j_max k_min k_max, inclusive. Along periodic axes, the end may be outside
    std::array<double, 6> covariance{};  // ii ij ik jj jk kk, of the voxel centres (population: divided by the number of voxels)
    bool has_world = false;              // false: without a World; the members from volume_mm3 to flatness are 0
    double volume_mm3 = 0;
    std::array<double, 3> centroid_mm{};     // x y z in mm
    std::array<double, 6> covariance_mm2{};  // xx xy xz yy yz zz
    std::array<double, 3> axes_mm{};         // standard deviations along the principal axes in mm, largest first
    double elongation = 0, flatness = 0;     // axis2 / axis1 and axis3 / axis1, in [0, 1]: 1 is round, 0 is flat; 0 for a single voxel
    bool touches_border = false;
    AxisSet wraps{};  // see SumTable::wraps(). Along these axes, `box` is the complete extent
};

/// Maps voxel indices to positions in mm. The affine must be finite and must not be singular.
struct World {
    std::array<std::array<double, 4>, 3> affine{};  // rows x, y, z; columns i, j, k and the translation
};

/// @param index i j k, in voxels
/// @return x y z, in mm
// affine {{2, 0, 0, 10}, {0, 2, 0, 0}, {0, 0, 3, 0}}, index (1, 0, 2)  ->  (12, 0, 6)
std::array<double, 3> world_position(const World& world, const std::array<double, 3>& index);

/// Whether the bounding box reaches a face of the volume. An axis of extent 1 has no faces.
// box x 0..3, y 2..5, z 0..0 in {10, 10, 1} -> true, because x 0 is a face
bool touches_border(const WideSums& sums, const Extent& extent);

/// How a component lies in a periodic volume.
struct Wrapping {
    std::array<std::int64_t, 3> period{};  // voxels after which the volume repeats along x, y and z; 0: it does not repeat
    AxisSet wraps{};                       // of the component: see SumTable::wraps()
};

/// A position along an axis in [0, period); if the period is 0, the position itself.
// 21.5, 20 -> 1.5
double in_period(double position, std::int64_t period);

/// Computes the properties of a component.
/// @param sums sums of a component with at least one voxel
/// @param extent extent of the volume, for touches_border; 1 along periodic axes
/// @param world empty if the affine is singular or not finite
// the voxels (3, 0, 0) and (3, 1, 0)  ->  centroid (3, 0.5, 0), covariance jj 0.25
// unwrapped x 18..21, period 20  ->  centroid x 19.5
Properties describe(const WideSums& sums, const Extent& extent, const std::optional<World>& world, const Wrapping& wrapping = {});

/// The position in mm of a point that has no indices along some axes: NaN where such an axis contributes.
/// @param index i j k, in voxels; the indices along `missing` are not used
// affine {{2, 0, 0, 10}, {0, 2, 0, 0}, {0, 0, 3, 0}}, index (1, 0, 2), missing x  ->  (NaN, 0, 6)
std::array<double, 3> world_position(const World& world, std::array<double, 3> index, const AxisSet& missing);

/// Value of a voxel = stored * slope + intercept.
struct LinearScale {
    double slope = 1, intercept = 0;
};

/// Properties of the scaled values of a component. NaN voxels are left out. All members are NaN or empty if every voxel is NaN. The
/// weighted centroid is NaN if the values add up to zero. Positions in mm are NaN without a World. If a value is infinite, the members that
/// are sums are NaN. Sums are exact: `sum` and `mean` are the nearest doubles, and the others are rounded from 113 bits.
// values 1 and 3 of the voxels (0, 0, 0) and (4, 0, 0)  ->  mean 2, deviation 1, min 1, max 3, sum 4, weighted centroid (3, 0, 0),
//     minimum (0, 0, 0), peak (4, 0, 0), skewness 0, kurtosis -2
struct IntensityProperties {
    static constexpr double none = std::numeric_limits<double>::quiet_NaN();
    double mean = none, standard_deviation = none, min = none, max = none, sum = none;  // standard deviation of the population
    // i j k, weighted by the scaled values. Along periodic axes in [0, extent); NaN along axes that the component wraps around
    std::array<double, 3> weighted_centroid{none, none, none};
    std::array<double, 3> weighted_centroid_mm{none, none, none};  // x y z in mm
    std::optional<std::array<std::int64_t, 3>> minimum, peak;  // i j k of the voxel with the least and the largest value; first of equals
    std::array<double, 3> minimum_mm{none, none, none}, peak_mm{none, none, none};  // x y z in mm
    // Of the population: the third and the fourth central moment in units of the standard deviation, the fourth minus 3 (excess). NaN if
    // all values are equal or one is infinite.
    double skewness = none, kurtosis = none;
};

/// Which sums IntensitySums holds. `four`: of values, of their powers up to the fourth, and of products with indices; also positions of
/// extremes. `two`: without higher powers and positions. `one`: of values, for integers of up to 32 bits; other types as `two`.
enum class Powers : std::uint8_t { one, two, four };

/// Number, least and largest stored value of the voxels of a component that are not NaN.
struct StoredRange {
    std::uint64_t voxels = 0;
    double least = 0, largest = 0;  // 64-bit integers are rounded to double
};

/// Sums of all components. They are exact, so the results do not depend on the order of the calls. 64-bit integers are rounded to double
/// first. Memory: bytes_per_component(), and for floats and 64-bit integers more_bytes(). add_voxels() is not thread-safe.
class IntensitySums {
public:
    struct FirstVoxel {
        std::uint64_t x, y, z;
    };
    /// @param intensity type of the stored values
    /// @param powers properties() lacks members that need other sums. It always has mean, sum, min and max
    explicit IntensitySums(ScalarType intensity, Powers powers = Powers::four);
    IntensitySums(const IntensitySums& other);
    IntensitySums& operator=(const IntensitySums& other);
    IntensitySums(IntensitySums&&) noexcept;
    IntensitySums& operator=(IntensitySums&&) noexcept;
    ~IntensitySums();
    /// Makes room for the components 1 to `components`, so that adding their voxels allocates no more than more_bytes().
    void reserve(std::uint64_t components);
    std::size_t bytes_per_component() const;
    /// Bytes for components with values of very different exponents: about 200 per component and per 8 exponents (float32: 32).
    std::uint64_t more_bytes() const;
    /// Adds consecutive voxels of a row. The calls may come in any order, but no voxel twice.
    /// @tparam Index std::uint8_t, std::uint16_t, std::uint32_t or std::uint64_t
    /// @param at the indices of the first voxel
    /// @param components component number of each voxel; 0 is background. The table grows to the largest number
    /// @param values must hold components.size() stored values, in host memory; may begin at any byte
    template <class Index>
    void add_voxels(const FirstVoxel& at, std::span<const Index> components, std::span<const std::byte> values);
    /// Adds the voxels of row (y, z): see add_voxels().
    template <class Index>
    void add_row(std::int64_t y, std::int64_t z, std::span<const Index> components, std::span<const std::byte> values) {
        add_voxels({0, std::uint64_t(y), std::uint64_t(z)}, components, values);
    }
    /// Adds the sums of a component of `other` to a component. Both sums must have the same type and powers. Leaves nan_voxels() as it is.
    /// @param by moves the voxels of `other` along x, y and z; each below 2^32
    void add(std::uint64_t component, const IntensitySums& other, std::uint64_t of_other, const std::array<std::int64_t, 3>& by = {});
    /// Removes the voxels of a component, whose number can be used again. Leaves nan_voxels() as it is. @param component from 1
    void clear(std::uint64_t component);
    /// For sums by section (see Sections): adds the sums of all sections to their components, unwrapped, and removes the sections.
    /// @param extent of the volume, in the axes of the sums
    void unwrap(const Sections& sections, const Extent& extent);
    /// The properties of a component; all NaN if it has no voxels.
    /// @param component number of the component, from 1
    /// @param wrapping see describe()
    IntensityProperties properties(std::uint64_t component, const LinearScale& scale, const std::optional<World>& world,
                                   const Wrapping& wrapping = {}) const;
    /// @param component number of the component, from 1
    StoredRange stored_range(std::uint64_t component) const;
    ScalarType type() const;
    /// The number of voxels of all components whose value is NaN.
    std::uint64_t nan_voxels() const;

    struct Table;  // kernels3d/measure/intensity_table.h
    explicit IntensitySums(Table table);
    const Table& table() const { return *table_; }

private:
    std::unique_ptr<Table> table_;
};

/// The results do not depend on the order of the calls of add_row() within a pass. Not thread-safe. Memory: 16 bytes per percentile and
/// component, about 80 bytes per component for cells, and the counters of a pass.
class Percentiles {
public:
    /// @param intensity type of the stored values
    /// @param percents percentages in [0, 100]
    /// @param ranges the range of component k is entry k - 1, see IntensitySums::stored_range()
    /// @param scale of the values; only its sign changes which stored values are found
    /// @param bytes limit for the counters of a pass; at least the counters of one component are used. A lower limit means more passes
    Percentiles(ScalarType intensity, std::vector<double> percents, std::span<const StoredRange> ranges, const LinearScale& scale,
                std::int64_t bytes);
    Percentiles(Percentiles&&) noexcept;
    ~Percentiles();
    /// Prepares the next pass. @return false if all percentiles are known
    bool begin_pass();
    /// Adds the voxels of a row. Each pass must add all rows, in any order. NaN is left out. @throw Error changed_file, see end_pass()
    /// @tparam Index std::uint32_t or std::uint64_t
    /// @param components component number of each voxel; 0 is background
    /// @param values must hold components.size() stored values; may begin at any byte
    template <class Index>
    void add_row(std::span<const Index> components, std::span<const std::byte> values);
    /// Must be called after the last row of each pass. @throw Error changed_file if the values do not agree with an earlier pass
    void end_pass();
    /// A percentile of the scaled values, as computed by numpy.percentile from the values as float64; NaN for a component without values.
    /// All passes must be complete.
    /// @param component number of the component, from 1
    /// @param percent index of the percentage
    double value(std::uint64_t component, std::size_t percent) const;

    /// Memory without the counters of a pass.
    static std::size_t bytes_per_component(std::size_t percents);

private:
    class Search;
    std::unique_ptr<Search> search_;
};

struct LocalMaximum {
    std::uint32_t component = 0;
    std::array<std::uint32_t, 3> at{};  // x y z of the first voxel of the plateau
    double stored = 0;                  // the stored value; 64-bit integers are rounded
    bool operator==(const LocalMaximum&) const = default;
};

/// Finds the local maxima of all components in one pass, in raster order. Memory: slice_bytes() for four slices, and 32 bytes per plateau
/// that can still be a maximum. Not thread-safe.
class LocalMaxima {
public:
    /// Which stored values are the greater ones; `lower` for a scaling with a negative slope.
    enum class Greater : std::uint8_t { higher, lower };
    /// @param memory limit for the plateaus; null: none. Must outlive this object
    LocalMaxima(ScalarType type, const Extent& extent, Greater greater, MemoryLimit* memory);
    LocalMaxima(LocalMaxima&&) noexcept;
    ~LocalMaxima();
    /// Adds the next row in raster order. NaN is not a maximum, and not greater than a neighbour.
    /// @tparam Index std::uint32_t or std::uint64_t
    /// @param components component number of each voxel, below 2^32; 0 is background
    /// @param values must hold components.size() stored values; may begin at any byte
    /// @throw MemoryLimitReached; Error out_of_memory, unsupported
    template <class Index>
    void add_row(std::span<const Index> components, std::span<const std::byte> values);
    /// Must be called once, after the last row.
    /// @return the maxima by component; of a component, the greatest first; ties: the first in raster order
    std::vector<LocalMaximum> finish();

    /// Memory of the slices, in bytes.
    static std::int64_t slice_bytes(ScalarType type, const Extent& extent);

    class Finder;

private:
    std::unique_ptr<Finder> finder_;
    std::vector<std::uint32_t> row_;
};

/// Drops maxima that are nearer than `distance` to a maximum of the same component that is kept. The greatest maxima are kept first.
/// @param maxima in the order of LocalMaxima::finish(), which is kept
/// @param distance in mm. Distances that are equal to it, with a tolerance of 1e-9, are kept
// spacing 1 mm, maxima 9 at x = 0, 8 at x = 2, 7 at x = 4, distance 3  ->  9 and 7
std::vector<LocalMaximum> keep_apart(const std::vector<LocalMaximum>& maxima, const World& world, double distance);

}  // namespace voxcc
