// The shape of the components of one volume: what is measured, and the values of the table.
#pragma once
#include <voxcc/shape.h>
#include "src/options/options.h"
#include "src/pipeline/input.h"

namespace voxcc {

/// The extent in the axes of the engine, which labels slices across z: see VolumeBits.
// {4, 5, 6}: Axis::z -> {4, 5, 6}; Axis::y -> {4, 6, 5}; Axis::x -> {5, 6, 4}
Extent engine_extent(const Extent& stored, Axis slices);

/// What is measured in a volume.
/// @param question of the labelling. Its connectivity must fit the volume
/// @param slices the axis across which the engine labels slices
/// @param units of the values
ShapeRequest shape_request(const Question& question, const io::VolumeInfo& info, Axis slices, Units units);

/// What is measured in a label volume.
/// @param connectivity number of neighbours; 0: 26, or 8 in an image of one slice
/// @throw Error invalid_argument if the connectivity does not fit the volume
ShapeRequest shape_request(int connectivity, const io::VolumeInfo& labels, Units units);

/// The dimensions of the components of a volume.
Space space_of_components(Connectivity connectivity, const io::VolumeInfo& info);

/// What is counted of the shape of a component.
struct CountedShape {
    ShapeCounts counts;
    std::optional<double> feret_mm;
};
inline CountedShape counted_shape(const ShapeTable& table, std::size_t row) { return {table.counts(row), table.feret_mm(row)}; }

/// Computes the values of the table for one volume.
class ShapeValues {
public:
    ShapeValues(Connectivity connectivity, const io::VolumeInfo& info, Axis slices, Units units);
    ShapeProperties of(const CountedShape& shape, const Properties& properties) const {
        return describe_shape(properties, shape.counts, shape.feret_mm, scale_);
    }

private:
    ShapeScale scale_;
};

}  // namespace voxcc
