// The pictures of a volume: the image and one or two label volumes, reduced to a bounded number of voxels.
#pragma once
#include "src/pipeline/label_bits.h"

#include <array>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace voxcc::report {

/// The components whose labels a picture shows.
struct PictureComponents {
    std::unordered_map<LabelBits, std::uint32_t> rows;  // label -> row of the table, from 0
    std::vector<double> sizes;                          // voxels per row
    /// Whether a voxel of a picture must show the number `a` in place of `b`: the smaller component, so that it stays visible.
    bool is_before(std::uint32_t a, std::uint32_t b) const;
};

/// An axis of the patient: x to the right, y to the front, z to the top.
struct PatientAxis {
    int stored = 0;        // the axis of the file that is nearest: 0, 1, 2 for i, j, k
    bool reverse = false;  // the index of the file increases to the left, to the back or to the bottom
};

/// A reduced label volume.
struct PictureLabels {
    std::string path;                    // of the label volume
    std::vector<std::uint32_t> numbers;  // 0: background, r + 1: row r of the table, rows + 1: other labels; empty without a label volume
    std::uint64_t unknown = 0;           // labels of the label volume that are not in the table
    std::uint64_t missing = 0;           // rows of the table whose label is not in the label volume
};

/// A reduced volume. Voxel (x, y, z) stands for step[0] * step[1] * step[2] voxels of the file.
struct Picture {
    Extent extent;                                      // of the file
    Extent reduced;                                     // of the picture
    std::array<std::int64_t, 3> step{1, 1, 1};          // voxels of the file per voxel of the picture
    std::array<double, 3> spacing{1, 1, 1};             // per voxel of the file
    std::string unit;                                   // of the spacing: "um", "unit" if it is unknown, "voxel" without a size
    std::optional<std::array<PatientAxis, 3>> patient;  // empty if the file does not state its orientation
    std::vector<std::uint8_t> image;                    // grey values; empty without an image
    std::array<double, 2> window{0, 0};                 // values that are black and white
    PictureLabels labels;                               // of the components
    PictureLabels beside;                               // of the volume that is shown beside them
};

/// The image and the label volumes of a picture. The image or `labels` may be null. `beside` may be null, and is null without `labels`.
struct PictureFiles {
    std::unique_ptr<io::VolumeReader> image, labels, beside;
    std::vector<std::string> notes;  // on differences of their grids
    const io::VolumeInfo& info() const { return (image ? image : labels)->info(); }
};

/// Reads all volumes once and reduces them to at most `voxel_limit` voxels (at least 1 per axis).
/// A grey value is the mean of the voxels that are not NaN, scaled so that the percentiles 0.5 and 99.5 are black and white.
/// A label is the label of the smallest component among the voxels, so that small components stay visible.
/// @throw Error invalid_file if a label is not a whole number; the exceptions of VolumeReader
Picture read_picture(PictureFiles& files, const PictureComponents& components, std::int64_t voxel_limit);

/// Chooses the steps of a picture: always increases the step of the axis with the most voxels.
// {512, 512, 10}, 700000  ->  {2, 2, 1}
std::array<std::int64_t, 3> steps_for(const Extent& extent, std::int64_t voxel_limit);

/// The axes of the file that are nearest to the axes of the patient. @param affine must be invertible
std::array<PatientAxis, 3> patient_axes(const io::Affine& affine);

}  // namespace voxcc::report
