#include "src/pipeline/volume_inputs.h"

#include "src/errors/program_error.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/input.h"
#include "src/pipeline/request.h"
#include "src/pipeline/same_grid.h"
#include "src/pipeline/selection.h"

namespace voxcc {
namespace {

/// Opens the mask or the image of a preview. Null if the path is empty.
std::unique_ptr<io::VolumeReader> open_beside(const std::string& path, const VolumeJob& job, const RunContext& context,
                                              FileWarnings& warnings) {
    auto reader = open_companion(path, context.options.input, job.image);
    if (reader) warnings.report(path, reader->info(), context.reporter);
    return reader;
}

/// Compares the grids of all volumes, and reports the notes.
void settle_grids(VolumeInputs& in, const RunContext& context) {
    std::vector<const io::VolumeInfo*> companions;
    for (const OpenImage& image : in.intensities) companions.push_back(&image.reader->info());
    for (const auto* reader : {&in.mask, &in.preview_image})
        if (*reader) companions.push_back(&(*reader)->info());
    for (const std::string& note : settle_grid(*in.image, companions, context.options.input.tolerance)) context.reporter.note(note);
}

}  // namespace

VolumeInputs open_inputs(const VolumeJob& job, const RunContext& context) {
    const LabelOptions& options = context.options;
    VolumeInputs in;
    in.image = open(job.image);
    if (options.colour && in.image->info().channels == 1)
        throw ProgramError(ErrorKind::invalid_argument, job.input, "is not a colour image, which --colour needs",
                           "use --delta for images with one value per voxel");
    in.of_image.report(job.input, in.image->info(), context.reporter);
    in.mask = open_beside(options.mask, job, context, in.of_mask);
    in.intensities = open_images(options.intensity, options.input, job.image, context.reporter);
    in.preview_image = open_beside(options.preview_image, job, context, in.of_preview_image);
    settle_grids(in, context);
    return in;
}

void warn_of_nan(const std::string& path, std::int64_t voxels, const char* place, const Reporter& reporter) {
    if (voxels > 0) reporter.warning(path + ": contains NaN in " + counted(std::uint64_t(voxels), "voxel") + "; NaN is " + place);
}

DescribedVolume description_for(const LabelOptions& options, const io::VolumeInfo& info) {
    return {.info = info,
            .units = units_for(options.units, info),
            .connectivity = connectivity_for(options, info),
            .slices = options.per_slice,
            .faces = faces_of(options, info.extent),
            .period = period_of(options, info.extent)};
}

}  // namespace voxcc
