// Opens the files of one volume: the image, the mask, the intensity images and the image of a preview.
#pragma once
#include "src/pipeline/file_warnings.h"
#include "src/pipeline/image_values.h"
#include "src/pipeline/pipeline.h"

#include <memory>
#include <vector>

namespace voxcc {

/// The readers of one volume, and their warnings.
struct VolumeInputs {
    std::unique_ptr<io::VolumeReader> image, mask;  // mask: null without --mask
    FileWarnings of_image, of_mask;
    std::vector<OpenImage> intensities;
    std::unique_ptr<io::VolumeReader> preview_image;  // null without --preview-image
    FileWarnings of_preview_image;
    /// The image under the outlines of a preview; null if the preview shows projections.
    io::VolumeReader* background() const {
        return preview_image || intensities.empty() ? preview_image.get() : intensities.front().reader.get();
    }
};

/// Opens the files, compares their grids, and reports their warnings and notes.
/// @throw the exceptions of open() and settle_grid(); ProgramError invalid_argument if --colour needs a colour image
VolumeInputs open_inputs(const VolumeJob& job, const RunContext& context);

/// Warns of voxels that are NaN. @param place where these voxels are: "always background"
void warn_of_nan(const std::string& path, std::int64_t voxels, const char* place, const Reporter& reporter);

/// Describes a volume for the stages after it is opened.
/// @throw the exceptions of units_for() and connectivity_for()
DescribedVolume description_for(const LabelOptions& options, const io::VolumeInfo& info);

}  // namespace voxcc
