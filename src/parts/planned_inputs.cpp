#include "src/parts/planned_inputs.h"

#include "src/errors/program_error.h"
#include "src/options/test_volume_options.h"
#include "src/parts/input_files.h"
#include "src/pipeline/input.h"
#include "src/pipeline/same_grid.h"
#include "src/pipeline/selector.h"

#include <sys/stat.h>
#include <filesystem>

namespace voxcc::parts {
namespace {

/// The path of an input from the root of the file system, with its selector; an input that is computed without changes.
std::string absolute(const std::string& input) {
    if (is_generated(input)) return input;
    const SelectedFile file = divide_input(input);
    return std::filesystem::absolute(file.path).lexically_normal().string() + file.selector;
}

}  // namespace

PlannedFile planned(const std::string& input, const InputOptions& options, const io::VolumeInfo& info) {
    PlannedFile file{absolute(input), info.type};
    file.files = checksum_of_files(file.path, options, info);
    struct stat st {};
    if (::stat(divide_input(file.path).path.c_str(), &st) == 0 && S_ISREG(st.st_mode)) {
        file.bytes = st.st_size;
        file.modified_ns = st.st_mtim.tv_sec * std::int64_t{1'000'000'000} + st.st_mtim.tv_nsec;
    }
    return file;
}

InputOptions without_raw(InputOptions options) {
    options.raw.reset();
    return options;
}

PlannedInputs open_files(const LabelOptions& options) {
    PlannedInputs in;
    const ChosenVolume image = choose_volume(options.inputs.front().name, options.input);
    in.image = open(image);
    in.mask = open_companion(options.mask, options.input, image);
    std::vector<const io::VolumeInfo*> companions;
    for (const IntensityImage& intensity : options.intensity.images) {
        in.intensities.push_back(open_companion(intensity.path, options.input, image));
        companions.push_back(&in.intensities.back()->info());
    }
    if (in.mask) companions.push_back(&in.mask->info());
    in.notes = settle_grid(*in.image, companions, options.input.tolerance);
    return in;
}

PlannedInputs open_inputs(const Plan& plan) {
    PlannedInputs in = open_files(plan.options);
    const auto check = [](const PlannedFile& file, const InputOptions& options, const io::VolumeInfo& info) {
        const PlannedFile now = planned(file.path, options, info);
        if (now != file)
            throw ProgramError(ErrorKind::changed_file, file.path, "has changed since 'voxcc split' made the plan", "make a new plan");
    };
    check(plan.image, plan.options.input, in.image->info());
    const InputOptions of_others = without_raw(plan.options.input);
    if (in.mask) check(*plan.mask, of_others, in.mask->info());
    for (std::size_t i = 0; i < in.intensities.size(); ++i) check(plan.intensities[i], of_others, in.intensities[i]->info());
    if (in.image->info().extent != plan.rules.grid.volume())
        throw ProgramError(ErrorKind::changed_file, plan.image.path, "has another extent than in the plan", "make a new plan");
    return in;
}

void PlannedInputs::use_threads(int threads) {
    image->use_threads(threads);
    if (mask) mask->use_threads(threads);
    for (const auto& intensity : intensities) intensity->use_threads(threads);
}

}  // namespace voxcc::parts
