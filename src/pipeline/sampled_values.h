// Looks for values other than 0 and 1 in some rows of a volume.
#pragma once
#include <voxcc/foreground.h>
#include "io/io.h"
#include "src/cli/options.h"

#include <atomic>
#include <optional>

namespace voxcc {

/// Examines at most about 4096 rows of a volume, the same rows in each run. Thread-safe.
class SampledValues {
public:
    explicit SampledValues(const io::VolumeInfo& info);
    /// @param voxels must hold `count` voxels of row `row`, of the type of the volume
    void add(block_runs::Isa isa, std::int64_t row, const std::byte* voxels, std::int64_t count);
    /// Whether an examined row has a scaled value other than 0, 1 and NaN.
    bool has_other_values() const { return found_; }

private:
    ForegroundPacker other_;
    std::int64_t bytes_per_voxel_, rows_per_sample_;
    std::atomic<bool> found_ = false;
};

/// FSL users write `-t 3` for a threshold. If the command line has -t but no threshold, and no option that suits label volumes, the values
/// are examined.
// {"voxcc", "label", "z.nii", "-t", "3"} -> "3"
std::optional<std::string> possible_threshold(const LabelOptions& options);

/// @param number the result of possible_threshold()
std::string note_on_threads(const std::string& input, const std::string& number);

}  // namespace voxcc
