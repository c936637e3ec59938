// The volumes that `voxcc label` writes: labels, input values, sizes and a mask.
#pragma once
#include "io/io.h"
#include "src/options/options.h"

#include <array>
#include <map>

namespace voxcc {

inline constexpr std::array volume_contents{io::Content::labels, io::Content::values, io::Content::sizes, io::Content::mask};

/// The paths of the volumes of a run. A volume that is not written has no entry.
using VolumePaths = std::map<io::Content, std::string>;

// Content::values -> "--masked-output"
std::string option_of(io::Content content);

/// The path that an option gives to the volume, with {stem}; empty if the volume is not written.
const std::string& path_of(io::Content content, const LabelOptions& options);

VolumePaths volume_paths(const LabelOptions& options);

/// The outputs that each volume of an input has for itself, as options and paths: the volumes and the preview.
// -o a.nii --preview a.png  ->  {{"--output", "a.nii"}, {"--preview", "a.png"}}
std::vector<std::pair<std::string, std::string>> outputs_per_volume(const LabelOptions& options);

/// How the input values of a volume are stored in another volume whose background has the scaled value 0.
struct StoredValues {
    ScalarType type = ScalarType::u8;
    io::Scaling scaling;    // as in the input, or the identity
    double background = 0;  // stored value of the background; exact in the type
    /// Whether the voxels of the input are copied as they are stored. Otherwise they are scaled, and the type is float64.
    enum class Form : std::uint8_t { stored, scaled } form = Form::stored;
};

/// The type and the scaling of the input, if the format of `path` can store this scaling, and if a stored value has the scaled value 0.
/// Otherwise scaled values as float64.
// int16, scaling {1, -1024}, "a.nii" -> {i16, {1, -1024}, 1024, stored}; the same with "a.tif" -> {f64, {1, 0}, 0, scaled}
StoredValues stored_values(const io::VolumeInfo& input, const std::string& path);

}  // namespace voxcc
