#include "src/pipeline/request.h"

#include <voxcc/connectivity.h>
#include "src/errors/program_error.h"
#include "src/pipeline/device.h"
#include "src/pipeline/volume_outputs.h"

namespace voxcc {
namespace {

/// The periodic axes, after the exchange of axes.
AxisSet periodic_of(const LabelOptions& options) {
    const Axis slices = slices_of(options);
    const char* order = slices == Axis::z ? "xyz" : slices == Axis::y ? "xzy" : "yzx";
    AxisSet periodic;
    for (std::size_t a = 0; a < 3; ++a) periodic.axes[a] = options.periodic.find(order[a]) != std::string::npos;
    return periodic;
}

}  // namespace

Axis slices_of(const LabelOptions& options) { return options.per_slice.value_or(Axis::z); }

bool holds_foreground(const LabelOptions& options) { return slices_of(options) != Axis::z || options.holes == LabelOptions::Holes::fill; }

Connectivity connectivity_for(const LabelOptions& options, const io::VolumeInfo& info) {
    const bool flat = options.per_slice || info.extent.nz == 1;
    const int number = options.connectivity ? options.connectivity : flat ? 8 : 26;
    if (!flat && (number == 4 || number == 8))
        throw ProgramError(
            ErrorKind::invalid_argument, info.path,
            "has " + std::to_string(info.extent.nz) + " slices, but connectivity " + std::to_string(number) + " is for images of one slice",
            "use 6, 18 or 26, or --per-slice");
    return *connectivity_of(number);
}

std::array<std::int64_t, 3> period_of(const LabelOptions& options, const Extent& extent) {
    const std::array n{extent.nx, extent.ny, extent.nz};
    std::array<std::int64_t, 3> period{};
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (n[axis] > 1 && options.periodic.find("xyz"[axis]) != std::string::npos) period[axis] = n[axis];
    return period;
}

Question question_for(const LabelOptions& options, const io::VolumeInfo& info) {
    return {.connectivity = connectivity_for(options, info),
            .rule = rule_of(options),
            .difference = options.colour ? Bound(*options.colour) : difference_limit(info.type, options.gradient.value_or(0)),
            .periodic = periodic_of(options)};
}

Results results_for(const LabelOptions& options) {
    const bool paints = !volume_paths(options).empty() || !options.preview.empty() || !options.intensity.images.empty() ||
                        options.shape == Shape::measure || !options.contacts.empty() || options.inside == Inside::find ||
                        options.mask_border == LabelOptions::Border::clear || !options.seed_threshold.empty();
    return paints ? Results::labels_and_sums : Results::sums;
}

}  // namespace voxcc
