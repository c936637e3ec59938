#include "src/pipeline/geometry.h"

#include "io/orientation.h"
#include "src/errors/program_error.h"

namespace voxcc {
namespace {

io::Affine scaling_by(const Spacing& spacing) {
    io::Affine affine{};
    for (std::size_t i = 0; i < 3; ++i) affine[i][i] = spacing[i];
    return affine;
}

std::optional<World> world_from(const io::Geometry& geometry, int dimensions) {
    const Spacing spacing = geometry.spacing.value_or(Spacing{1, 1, 1});
    io::Affine affine = geometry.affine.value_or(scaling_by(spacing));
    if (!geometry.affine && dimensions == 2) affine[2][2] = 1;
    if (!io::is_invertible(affine)) return std::nullopt;
    return World{affine};
}

}  // namespace

void require_lengths(const io::VolumeInfo& info, std::string_view unit) {
    if (info.geometry.has_size() && info.geometry.unit) return;
    throw ProgramError(
        ErrorKind::invalid_file, info.path,
        (info.geometry.has_size() ? "states the size of its voxels in an unknown unit" : "does not state the size of its voxels") +
            std::string(", so lengths in ") + std::string(unit) + " are not known",
        "give the size with --spacing, as in --spacing 0.26,0.26,0.29um");
}

std::optional<World> world_in(const io::VolumeInfo& info, io::LengthUnit unit) {
    require_lengths(info, io::name_of(unit));
    return world_from(io::in_unit(info.geometry, unit), info.dimensions);
}

std::optional<World> world_of(const io::VolumeInfo& info, Units units) {
    if (units == Units::voxel) return World{scaling_by({1, 1, 1})};
    if (const auto unit = length_unit_of(units)) return world_in(info, *unit);
    return stated_world(info);
}

std::optional<World> stated_world(const io::VolumeInfo& info) { return world_from(info.geometry, info.dimensions); }

std::string no_world_warning(const io::VolumeInfo& info, Units units) {
    const std::string columns = "so all columns in " + std::string(name_of(units)) + " are n/a";
    if (!info.geometry.affine) return "the size of the voxels is not complete, " + columns + "; give the size with --spacing";
    return "the affine is singular or not finite, " + columns + "; with --spacing, positions are index times spacing";
}

std::optional<io::Affine> usable_affine(const io::VolumeInfo& info) {
    const auto& affine = info.geometry.affine;
    return affine && io::is_invertible(*affine) ? affine : std::nullopt;
}

std::optional<Spacing> spacing_of(const io::VolumeInfo& info) {
    const auto affine = usable_affine(info);
    return affine ? io::spacing_of(*affine) : info.geometry.spacing;
}

std::string stated_unit(const io::VolumeInfo& info) {
    if (!info.geometry.has_size()) return std::string(name_of(Units::voxel));
    return std::string(info.geometry.unit ? io::name_of(*info.geometry.unit) : name_of(Units::unit));
}

std::string text_of(const Extent& e) { return std::to_string(e.nx) + " x " + std::to_string(e.ny) + " x " + std::to_string(e.nz); }

}  // namespace voxcc
