#include "io/formats/zarr/outer_axes.h"

namespace voxcc::io::zarr {
namespace {

/// Fastest first. Volumes of formats without names of axes are time points.
std::vector<VolumeAxis> axes_of(const LabelVolume& volume) {
    if (volume.volumes == 1) return {};
    if (volume.like->volume_axes.empty()) return {{"T", volume.volumes}};
    return volume.like->volume_axes;
}

}  // namespace

std::vector<OuterAxis> outer_axes(const LabelVolume& volume) {
    std::optional<OuterAxis> time, channel;
    std::int64_t stride = 1;
    for (const VolumeAxis& axis : axes_of(volume)) {
        if (axis.name == "T" && !time) time = {"t", axis.size, stride};
        else if (axis.name == "C" && !channel) channel = {"c", axis.size, stride};
        else return {{"t", volume.volumes, 1}};
        stride *= axis.size;
    }
    std::vector<OuterAxis> axes;
    for (const auto& axis : {time, channel})
        if (axis) axes.push_back(*axis);
    return axes;
}

std::vector<OuterAxis> outer_axes_in_image(const LabelVolume& volume, const std::vector<OuterAxis>& of_image) {
    std::vector<OuterAxis> axes = of_image;
    for (OuterAxis& axis : axes) axis.extent = 1;
    std::int64_t stride = 1, positions = 1;
    for (const VolumeAxis& chosen : axes_of(volume)) {
        for (std::size_t i = 0; i < axes.size(); ++i)
            if (of_image[i].name == chosen.name && of_image[i].extent == chosen.size) axes[i] = {chosen.name, chosen.size, stride};
        stride *= chosen.size;
    }
    for (const OuterAxis& axis : axes) positions *= axis.extent;
    if (positions == volume.volumes) return axes;
    throw Error(ErrorKind::cannot_create, volume.path,
                "has " + std::to_string(volume.volumes) + " volumes, but they are not all positions along axes of the image");
}

}  // namespace voxcc::io::zarr
