#include "src/parts/unsupported.h"

#include "src/errors/program_error.h"

#include <sys/stat.h>

namespace voxcc::parts {
namespace {

bool is_pipe(const std::string& path) {
    struct stat st {};
    return path == "-" || (::stat(path.c_str(), &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)));
}

}  // namespace

void refuse_pipe(const std::string& path) {
    if (is_pipe(path))
        throw ProgramError(ErrorKind::invalid_argument, path, "is a pipe, and parts read the input several times",
                           "write the data to a file, and give its name");
}

void refuse_unsupported(const SplitOptions& options) {
    const LabelOptions& o = options.label;
    const auto refuse = [](bool given, const char* option, const char* cause) {
        if (given) throw ProgramError(ErrorKind::invalid_argument, option, cause, "label the volume in one piece with 'voxcc label'");
    };
    refuse(o.per_slice.has_value(), "--per-slice", "is not possible in parts: numbers would not follow from the rows of parts");
    refuse(o.gradient.has_value(), "--delta", "is not possible in parts: states of parts hold no values of voxels on faces");
    refuse(o.colour.has_value(), "--colour", "is not possible in parts: states of parts hold no values of voxels on faces");
    refuse(o.signs == LabelOptions::Signs::split, "--split-signs", "is not possible in parts: states of parts hold no signs");
    refuse(o.holes == LabelOptions::Holes::fill && o.mode == LabelOptions::Mode::multilabel, "--fill-holes",
           "is not possible in parts with --multilabel: states of parts hold no labels around holes");
    refuse(o.mask_border == LabelOptions::Border::clear, "--clear-mask-border",
           "is not possible in parts: states of parts hold no mask beside their faces");
    refuse(!o.keep.empty(), "--keep", "is not possible in parts: the measures are known after the numbers");
    refuse(!o.seed_threshold.empty(), "--seed-threshold", "is not possible in parts: states of parts hold no values of voxels");
    refuse(o.largest == LabelOptions::Largest::of_each_value, "--per-value", "is not possible in parts: sizes are compared without values");
    refuse(o.inside == Inside::find, "--inside", "is not possible in parts: states of parts hold no order of voxels");
    refuse(!o.intensity.percentiles.empty(), "--percentiles", "is not possible in parts: states of parts hold no order of values");
    refuse(!o.intensity.local_maxima.empty(), "--local-maxima", "is not possible in parts: states of parts hold no maxima");
    refuse(o.intensity.peak_distance.amount > 0, "--peak-distance", "is not possible in parts: states of parts hold no maxima");
    std::vector<std::string> paths{o.inputs.front().name, o.mask};
    for (const IntensityImage& image : o.intensity.images) paths.push_back(image.path);
    for (const std::string& path : paths) refuse_pipe(path);
}

}  // namespace voxcc::parts
