// Images whose values are measured in each component.
#pragma once
#include "python/src/axes.h"
#include "python/src/columns.h"
#include "python/src/signals.h"

#include <voxcc/measure.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace voxcc::python {

/// The images of a call, all of the shape of the voxels, and the percentiles that are computed of each.
struct Images {
    struct Image {
        std::string name;  // the columns of the image begin with it
        std::unique_ptr<Array> values;
    };
    struct Percent {
        std::string name;  // "p99.5"
        double percent;    // in [0, 100]
    };
    std::vector<Image> images;
    std::vector<Percent> percents;

    /// @param images a list of tuples (name, array)
    /// @param percents a list of tuples (name, percentage)
    static Images of(nb::handle images, nb::handle percents);
    std::vector<const Array*> arrays() const;
};

/// The values of an image by number of the component.
struct MeasuredImage {
    std::string name;
    IntensitySums sums;
    std::optional<Percentiles> percentiles;  // empty: none are wanted
};

/// The rows of arrays, as rows of the engine. fetch() checks for signals.
class ArrayRows {
public:
    /// @param arrays, signals must outlive this object
    ArrayRows(const std::vector<const Array*>& arrays, const Axes& axes, Signals& signals);
    ~ArrayRows();
    std::span<RowSource* const> rows() const { return rows_; }

private:
    struct Source;
    std::vector<std::unique_ptr<Source>> sources_;
    std::vector<RowSource*> rows_;
};

/// Writes the component number of each voxel of a row. 0 is background.
using NumberRow = std::function<void(std::int64_t row, std::span<std::uint64_t> numbers)>;

/// Computes the percentiles of an image. Must be called without the GIL.
/// @param components number of components
/// @param sums of the image
/// @param numbers called for all rows in ascending order, once or several times
Percentiles percentiles_of(const Array& image, const std::vector<Images::Percent>& percents, const IntensitySums& sums,
                           std::uint64_t components, const Axes& axes, const NumberRow& numbers);

/// The percentiles of all images: see percentiles_of().
void add_percentiles(std::vector<MeasuredImage>& measured, const Images& images, std::uint64_t components, const Axes& axes,
                     const NumberRow& numbers);

/// Adds the columns of all images: see add_intensities() and Images::Percent::name.
/// @param percents of the percentiles of each image
/// @param component called as component(row) by several threads: a component in the sums
void add_images(Columns& table, const std::vector<MeasuredImage>& measured, const std::vector<Images::Percent>& percents,
                const std::function<NumberedComponent(std::size_t)>& component, const Axes& axes, int dimensions);

}  // namespace voxcc::python
