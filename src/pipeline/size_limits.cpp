#include "src/pipeline/size_limits.h"

#include <voxcc/contacts.h>
#include "src/errors/program_error.h"
#include "src/pipeline/request.h"

#include <algorithm>
#include <cmath>

namespace voxcc {
namespace {

void require_space(const SizeLimit& limit, const io::VolumeInfo& info, Space space) {
    if (limit.space == space) return;
    const bool is_plane = space == Space::plane;
    const std::string unit(io::name_of(*limit.unit)), amount = text_of(limit);
    throw ProgramError(
        ErrorKind::invalid_argument, info.path,
        std::string("has components in ") + (is_plane ? "2D" : "3D") + ", but the size " + amount + " is " +
            (is_plane ? "a volume" : "an area"),
        is_plane ? "give an area, as in 5" + unit + "2" : "give a volume, as in 5" + unit + "3, or label slices with --per-slice");
}

}  // namespace

double voxel_size(const World& world, Space space, Axis slices) {
    if (space == Space::plane) return face_areas(world)[std::size_t(slices)];
    return describe(WideSums{{.n = 1}, 0, 0, 0}, {1, 1, 1}, world).volume_mm3;
}

std::optional<double> pixel_area(const std::optional<World>& world, Space space, Axis slices) {
    if (space == Space::volume || !world) return std::nullopt;
    return voxel_size(*world, space, slices);
}

std::uint64_t voxels_of(const SizeLimit& limit, const io::VolumeInfo& info, Space space, Axis slices, Round round) {
    if (!limit.unit) return std::uint64_t(limit.amount);
    require_space(limit, info, space);
    const auto world = world_in(info, *limit.unit);
    if (!world)
        throw ProgramError(ErrorKind::invalid_argument, info.path,
                           "has no usable affine, so sizes in " + std::string(io::name_of(*limit.unit)) + " are not defined",
                           "give sizes in voxels or --spacing");
    constexpr double most = 0x1p63;
    const double voxels = std::min(limit.amount / voxel_size(*world, space, slices), most), nearest = std::round(voxels);
    if (std::abs(voxels - nearest) < 1e-6 * nearest) return std::uint64_t(nearest);
    return std::uint64_t(round == Round::up ? std::ceil(voxels) : std::floor(voxels));
}

void check_sizes(const LabelOptions& options, const io::VolumeInfo& info) {
    const Space space = options.per_slice || info.extent.nz == 1 ? Space::plane : Space::volume;
    for (const auto& limit : {options.min_size, options.max_size, options.max_hole})
        if (limit) voxels_of(*limit, info, space, slices_of(options), Round::up);
}

}  // namespace voxcc
