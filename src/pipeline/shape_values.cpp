#include "src/pipeline/shape_values.h"

#include "src/errors/program_error.h"
#include "src/pipeline/geometry.h"

namespace voxcc {
namespace {

/// The stored axes in the order of the engine.
std::array<std::size_t, 3> order_of(Axis slices) {
    if (slices == Axis::y) return {0, 2, 1};
    if (slices == Axis::x) return {1, 2, 0};
    return {0, 1, 2};
}

/// Maps the indices of the engine to positions.
std::optional<World> world_of_engine(const io::VolumeInfo& info, Axis slices, Units units) {
    const auto world = world_of(info, units);
    if (!world) return world;
    World turned = *world;
    for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = 0; c < 3; ++c) turned.affine[r][c] = world->affine[r][order_of(slices)[c]];
    return turned;
}

}  // namespace

Extent engine_extent(const Extent& stored, Axis slices) {
    const std::array n{stored.nx, stored.ny, stored.nz};
    const auto order = order_of(slices);
    return {n[order[0]], n[order[1]], n[order[2]]};
}

ShapeRequest shape_request(const Question& question, const io::VolumeInfo& info, Axis slices, Units units) {
    return {question, engine_extent(info.extent, slices), world_of_engine(info, slices, units)};
}

ShapeRequest shape_request(int connectivity, const io::VolumeInfo& labels, Units units) {
    const bool flat = labels.extent.nz == 1;
    const int number = connectivity ? connectivity : flat ? 8 : 26;
    if (!flat && (number == 4 || number == 8))
        throw ProgramError(ErrorKind::invalid_argument, labels.path,
                           "has " + std::to_string(labels.extent.nz) + " slices, but connectivity " + std::to_string(number) +
                               " is for images of one slice",
                           "use 6, 18 or 26");
    return {{.connectivity = *connectivity_of(number)}, labels.extent, world_of(labels, units)};
}

Space space_of_components(Connectivity connectivity, const io::VolumeInfo& info) { return space_of(reduced(connectivity, info.extent)); }

ShapeValues::ShapeValues(Connectivity connectivity, const io::VolumeInfo& info, Axis slices, Units units)
    : scale_(world_of_engine(info, slices, units), space_of_components(connectivity, info)) {}

}  // namespace voxcc
