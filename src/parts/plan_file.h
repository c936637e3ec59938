// The plan of a volume that is labelled in parts: the input, the parts, and the options of `voxcc label` that decide about the numbers. A
// plan is a JSON file. Its identity is a checksum of its content.
#pragma once
#include <voxcc/parts.h>
#include "src/messages/report.h"
#include "src/options/options.h"

#include <string>

namespace voxcc::parts {

/// A file that the parts read, as it was when the plan was made.
struct PlannedFile {
    std::string path;  // with its selector; absolute
    ScalarType type = ScalarType::u8;
    std::int64_t bytes = 0, modified_ns = 0;  // of the file; 0 if the path is a folder
    std::string files = {};                   // see checksum_of_files()
    bool operator==(const PlannedFile&) const = default;
};

struct Plan {
    PlannedFile image;
    std::optional<PlannedFile> mask;
    std::vector<PlannedFile> intensities;  // in the order of options.intensity.images
    /// The inputs and their choice of a volume, the threshold with numbers, the connectivity, the rule, what is measured, units of the
    /// tables.
    LabelOptions options;
    Rules rules;
    PartRound round = PartRound::foreground;
    std::optional<std::uint64_t> max_hole;  // holes of at most this many voxels are filled; empty: holes are not filled
    std::optional<World> world;             // for diameters; empty without --shape, and if the affine is singular or not finite
    std::string identity;                   // 64 hexadecimal digits
};

/// The most parts of a plan. Every part has a file of its own.
constexpr std::int64_t most_parts = 1'000'000;

/// The voxels of a part, for a volume and the options of `voxcc split`.
std::array<std::int64_t, 3> part_size(const Extent& volume, const SplitOptions& options);

/// The plan for the background of a plan that fills holes: its components are the holes. It reads the image and the mask only.
/// @param plan max_hole must not be empty
Plan background_plan(const Plan& plan);

/// Opens the input, computes the level of an automatic threshold, and makes the plan. Reports notes on the grids of the inputs.
/// @throw ProgramError invalid_argument for options that parts do not support; the exceptions of the readers
Plan make_plan(const SplitOptions& options, const Reporter& reporter);

/// The content of the file of a plan.
std::string text_of(const Plan& plan);

/// Reads a plan and checks it. Does not open the input. @throw Error invalid_file, missing_file
Plan read_plan(const std::string& path);

/// The files of the plan, opened again.
struct PlannedInputs {
    std::unique_ptr<io::VolumeReader> image, mask;  // mask: may be null
    std::vector<std::unique_ptr<io::VolumeReader>> intensities;
    std::vector<std::string> notes;  // on the grids: see settle_grid()
    /// Decompresses each file on up to this number of threads from now on: see io::VolumeReader::use_threads().
    void use_threads(int threads);
};
/// @throw ProgramError changed_file if a file differs from its record in the plan; the exceptions of the readers
PlannedInputs open_inputs(const Plan& plan);

}  // namespace voxcc::parts
