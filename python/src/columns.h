// Columns of a table as NumPy arrays.
#pragma once
#include "python/src/axes.h"

#include <voxcc/intensity.h>
#include <voxcc/statistics.h>

#include <bit>
#include <string>
#include <string_view>
#include <vector>

namespace voxcc::python {

/// A table that becomes a dict of NumPy arrays, one per column, all of the same length.
class Columns {
public:
    explicit Columns(std::size_t rows) : rows_(rows) {}
    /// Adds a column. @param value called as value(row)
    template <class T, class Value>
    void add(const std::string& name, const Value& value) {
        constexpr std::string_view type = std::is_same_v<T, bool> ? "bool" : name_of(scalar_type_of<T>());
        const nb::object column = empty_(rows_, nb::str(type.data(), type.size()));
        const Array array(column, Array::Use::write);
        T* const data = reinterpret_cast<T*>(array.data());
        for (std::size_t row = 0; row < rows_; ++row) data[row] = T(value(row));
        dict_[name.c_str()] = column;
    }
    nb::dict dict() const { return dict_; }

private:
    std::size_t rows_;
    nb::object empty_ = nb::module_::import_("numpy").attr("empty");
    nb::dict dict_;
};

/// Distances between the centres of neighbouring voxels along the axes of the array.
using Spacing = std::optional<std::vector<double>>;

/// The same sums with other names of the axes: axis i of the result is axis from[i]. Axes::none: all indices along axis i are 0.
WideSums permuted(const WideSums& s, const std::array<int, 3>& from);

/// Adds the columns voxels, centroid_A, bbox_A_min, bbox_A_max and cov_AB for the axes A, B of an array; with a spacing also volume,
/// axis_1 to axis_3, elongation and flatness.
/// @param sums called as sums(row), in the axes of the engine. The result does not depend on the layout of the array.
void add_properties(Columns& columns, std::size_t rows, const std::function<WideSums(std::size_t)>& sums, const Axes& axes, int dimensions,
                    const Spacing& spacing);

/// Adds the columns intensity_mean, _std, _min, _max, _sum and _weighted_centroid_A.
/// @param number called as number(row): the number of a component in `sums`
void add_intensities(Columns& columns, const IntensitySums& sums, std::size_t rows, const std::function<std::uint64_t(std::size_t)>& number,
                     const Axes& axes, int dimensions);

/// The value of a voxel whose bits are in the low bits of a word, as in Labelling::source_values().
// float, 0x3f800000 -> 1.0; std::int16_t, 0xfffffffffffffffd -> -3
template <class T>
T value_of(std::uint64_t bits) {
    if constexpr (std::is_same_v<T, float>) return std::bit_cast<float>(std::uint32_t(bits));
    else if constexpr (std::is_same_v<T, double>) return std::bit_cast<double>(bits);
    else return T(bits);
}

}  // namespace voxcc::python
