// Columns of a table as NumPy arrays.
#pragma once
#include "python/src/axes.h"
#include "python/src/shared_pool.h"

#include <voxcc/measure.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace voxcc::python {

/// A number as tables have it: 0 instead of -0.
template <class T>
T written_number(T number) {
    if constexpr (std::is_floating_point_v<T>) return number + T(0);
    else return number;
}

/// A table that becomes a dict of NumPy arrays, one per column, all of the same length.
class Columns {
public:
    /// @param threads that compute the columns of ObjectColumns
    explicit Columns(std::size_t rows, int threads = 1) : rows_(rows), threads_(threads) {}
    /// Adds a column. @param value called as value(row)
    template <class T, class Value>
    void add(const std::string& name, const Value& value) {
        T* const data = add_empty<T>(name);
        for (std::size_t row = 0; row < rows_; ++row) data[row] = written_number(T(value(row)));
    }
    /// Adds a column without values. @return its values; they exist as long as the table
    template <class T>
    T* add_empty(const std::string& name) {
        constexpr std::string_view type = std::is_same_v<T, bool> ? "bool" : name_of(scalar_type_of<T>());
        const nb::object column = empty_(rows_, nb::str(type.data(), type.size()));
        dict_[name.c_str()] = column;
        return reinterpret_cast<T*>(Array(column, Array::Use::write).data());
    }
    std::size_t rows() const { return rows_; }
    int threads() const { return threads_; }
    nb::dict dict() const { return dict_; }

private:
    std::size_t rows_;
    int threads_;
    nb::object empty_ = nb::module_::import_("numpy").attr("empty");
    nb::dict dict_;
};

/// Columns whose values are computed from one object per row. Only the objects of some rows exist at the same time, because the objects of
/// all rows may need more memory than the table.
template <class Object>
class ObjectColumns {
public:
    explicit ObjectColumns(Columns& columns) : columns_(columns) {}
    /// Adds a column. @param value called as value(object)
    template <class T, class Value>
    void add(const std::string& name, const Value& value) {
        T* const data = columns_.add_empty<T>(name);
        stores_.push_back([data, value](std::size_t first, const std::vector<Object>& objects) {
            for (std::size_t i = 0; i < objects.size(); ++i) data[first + i] = written_number(T(value(objects[i])));
        });
    }
    /// Computes the values of all columns. @param object called as object(row), by several threads
    template <class Make>
    void fill(const Make& object) {
        constexpr std::size_t together = 256;
        CallPool(columns_.threads()).for_each(std::int64_t((columns_.rows() + together - 1) / together), [&](std::int64_t part) {
            const std::size_t first = std::size_t(part) * together, end = std::min(first + together, columns_.rows());
            std::vector<Object> objects;
            objects.reserve(together);
            for (std::size_t row = first; row < end; ++row) objects.push_back(object(row));
            for (const auto& store : stores_) store(first, objects);
        });
    }

private:
    Columns& columns_;
    std::vector<std::function<void(std::size_t, const std::vector<Object>&)>> stores_;
};

/// Distances between the centres of neighbouring voxels along the axes of the array.
using Spacing = std::optional<std::vector<double>>;

/// The same sums with other names of the axes: axis i of the result is axis from[i]. Axes::none: all indices along axis i are 0.
WideSums permuted(const WideSums& s, const std::array<int, 3>& from);
Wrapping permuted(const Wrapping& wrapping, const std::array<int, 3>& from);

/// The sums of a component, and how it lies in a periodic array. In the axes of the engine.
struct MeasuredComponent {
    WideSums sums;
    Wrapping wrapping = {};
};

/// Adds the columns voxels, centroid_A, bbox_A_min, bbox_A_max and cov_AB for the axes A, B of an array; with a spacing also volume,
/// axis_1 to axis_3, elongation and flatness. The result does not depend on the layout of the array.
/// @param component called as component(row) by several threads
void add_properties(Columns& table, const std::function<MeasuredComponent(std::size_t)>& component, const Axes& axes, int dimensions,
                    const Spacing& spacing);

/// A component in sums of intensities, and how it lies in a periodic array, in the axes of the engine.
struct NumberedComponent {
    std::uint64_t number;
    Wrapping wrapping = {};
};

/// Adds the columns NAME_mean, _std, _min, _max, _sum and _weighted_centroid_A.
/// @param component called as component(row) by several threads: a component in `sums`
void add_intensities(Columns& table, const std::string& image_name, const IntensitySums& sums,
                     const std::function<NumberedComponent(std::size_t)>& component, const Axes& axes, int dimensions);

/// The value of a voxel whose bits are in the low bits of a word, as in Labelling::source_values().
// float, 0x3f800000 -> 1.0; std::int16_t, 0xfffffffffffffffd -> -3
template <class T>
T value_of(std::uint64_t bits) {
    if constexpr (std::is_same_v<T, float>) return std::bit_cast<float>(std::uint32_t(bits));
    else if constexpr (std::is_same_v<T, double>) return std::bit_cast<double>(bits);
    else return T(bits);
}

}  // namespace voxcc::python
