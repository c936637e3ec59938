// Phase "ends": the numbers or values of the voxels at the ends of an axis, in the order of Ends::layers()
// (kernels3d/engine/periodic.h).
#pragma once
#include <voxcc/volume.h>
#include "kernels3d/engine/periodic.h"
#include "kernels3d/engine/tiles/padded_rows.h"

namespace voxcc::block_runs::tiles {

/// The voxels in the first layer along an axis.
inline exec::Grid first_layer(const exec::Grid& size, Axis axis) {
    return {axis == Axis::x ? 1 : size.x, axis == Axis::y ? 1 : size.y, axis == Axis::z ? 1 : size.z};
}

/// The numbers of the components of voxels; 0 for background.
template <class Shape>
struct NumbersOfVoxels {
    using Element = uint32_t;
    TileArrays arrays;
    VOXCC_HD uint32_t operator()(const exec::Cell& c) const {
        const uint32_t tile = arrays.tile_at({c.x / columns, c.y / Shape::size_y, c.z / Shape::size_z});
        const int y = int(c.y % Shape::size_y), z = int(c.z % Shape::size_z), column = int(c.x % columns), b = Shape::block_row_at(y, z);
        const uint64_t* const words = arrays.rows + int64_t(tile) * Shape::words;
        if (!(words[Shape::row_at(y, z)] >> column & 1)) return 0;
        const int run = arrays.first_run[tile * block_rows + uint32_t(b)] + count_bits(starts_of<Shape>(words, b) << (63 - column)) - 1;
        return number_of_run<Shape>(arrays, tile, uint32_t(run));
    }
};

/// The stored values of voxels.
template <class Value>
struct ValuesOfVoxels {
    using Element = Value;
    exec::Grid size;
    const Value* values;  // [z][y][x]
    VOXCC_HD Value operator()(const exec::Cell& c) const { return values[(int64_t(c.z) * size.y + c.y) * size.x + c.x]; }
};

/// Phase: called for the voxels of first_layer(). Also reads the voxels of the last layer.
/// @tparam Of NumbersOfVoxels or ValuesOfVoxels
template <class Of>
struct ReadEnds {
    Of of;
    exec::Grid size;
    Axis axis;
    typename Of::Element* out;

    VOXCC_HD int64_t place(const exec::Cell& c, int end) const {
        if (axis == Axis::x) return 2 * (int64_t(c.z) * size.y + c.y) + end;
        if (axis == Axis::y) return (2 * int64_t(c.z) + end) * size.x + c.x;
        return (int64_t(end) * size.y + c.y) * size.x + c.x;
    }
    VOXCC_HD void operator()(const exec::Cell& first) const {
        exec::Cell last = first;
        if (axis == Axis::x) last.x = size.x - 1;
        else if (axis == Axis::y) last.y = size.y - 1;
        else last.z = size.z - 1;
        out[place(first, 0)] = of(first);
        out[place(first, 1)] = of(last);
    }
};

/// Copies the numbers or values of the voxels at the ends of the axes of `to` to the host. Waits for the executor.
/// @param to elements of the type of `of`
template <class Of, class Executor>
void read_ends(Executor& executor, const Of& of, const exec::Grid& size, Ends& to) {
    using Element = typename Of::Element;
    for (const Axis axis : {Axis::x, Axis::y, Axis::z}) {
        std::vector<std::byte>& layers = to.layers(axis);
        if (layers.empty()) continue;
        const int64_t elements = int64_t(layers.size() / sizeof(Element));
        exec::Array<Element> read(executor.memory(), elements);
        executor.for_each("ends", first_layer(size, axis), ReadEnds<Of>{of, size, axis, read.data()});
        executor.download("download", read, elements, reinterpret_cast<Element*>(layers.data()));
    }
}

}  // namespace voxcc::block_runs::tiles
