#include "src/pipeline/volume_outputs.h"
#include "src/errors/program_error.h"

#include <cmath>
#include <limits>

namespace voxcc {
namespace {

/// The stored value whose scaled value is 0; nothing if the type has none.
std::optional<double> stored_zero(ScalarType type, const io::Scaling& scaling) {
    const double zero = scaling.intercept == 0 ? 0 : -scaling.intercept / scaling.slope;
    if (zero * scaling.slope + scaling.intercept != 0) return std::nullopt;
    const bool is_stored_value = visit_scalar(type, [&]<class T>(std::type_identity<T>) {
        if constexpr (std::is_floating_point_v<T>) {
            return double(T(zero)) == zero;
        } else {
            constexpr int digits = std::numeric_limits<T>::digits;
            const double above = std::ldexp(1, digits), least = std::is_signed_v<T> ? -above : 0;
            return zero >= least && zero < above && std::floor(zero) == zero;
        }
    });
    if (!is_stored_value) return std::nullopt;
    return zero;
}

}  // namespace

std::string option_of(io::Content content) {
    switch (content) {
        case io::Content::labels: return "--output";
        case io::Content::values: return "--masked-output";
        case io::Content::sizes: return "--size-output";
        case io::Content::mask: return "--mask-output";
    }
    throw Error(ErrorKind::internal, "outputs", "an unknown content");
}

const std::string& path_of(io::Content content, const LabelOptions& options) {
    switch (content) {
        case io::Content::labels: return options.output;
        case io::Content::values: return options.masked_output;
        case io::Content::sizes: return options.size_output;
        case io::Content::mask: return options.mask_output;
    }
    throw Error(ErrorKind::internal, "outputs", "an unknown content");
}

VolumePaths volume_paths(const LabelOptions& options) {
    VolumePaths paths;
    for (const io::Content content : volume_contents)
        if (const std::string& path = path_of(content, options); !path.empty()) paths[content] = path;
    return paths;
}

std::vector<std::pair<std::string, std::string>> outputs_per_volume(const LabelOptions& options) {
    std::vector<std::pair<std::string, std::string>> outputs;
    for (const auto& [content, path] : volume_paths(options)) outputs.emplace_back(option_of(content), path);
    if (!options.preview.empty()) outputs.emplace_back("--preview", options.preview);
    return outputs;
}

StoredValues stored_values(const io::VolumeInfo& input, const std::string& path) {
    const auto zero = stored_zero(input.type, input.scaling);
    const bool is_stored = zero && io::stores_scaling(path, input.scaling);
    const ScalarType type = is_stored ? input.type : ScalarType::f64;
    if (!io::stores_values(path, type))
        throw ProgramError(ErrorKind::unsupported, path, "this format cannot hold values of type " + std::string(name_of(type)),
                           "write .nii.gz, .nrrd or .h5");
    if (is_stored) return {type, input.scaling, *zero, StoredValues::Form::stored};
    return {type, {}, 0, StoredValues::Form::scaled};
}

}  // namespace voxcc
