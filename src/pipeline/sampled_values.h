// Examines some rows of a volume for signs of a mistake: values other than 0 and 1, and labels that touch.
#pragma once
#include <voxcc/foreground.h>
#include "io/io.h"
#include "src/options/options.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <unordered_set>

namespace voxcc {

/// Examines about 4096 rows of a volume for other values, and rows of about 2^16 voxels for labels: the same rows in each run. Thread-safe.
class SampledValues {
public:
    explicit SampledValues(const io::VolumeInfo& info);
    /// @param voxels must hold `count` voxels of row `row`, of the type of the volume
    void add(Isa isa, std::int64_t row, const std::byte* voxels, std::int64_t count);
    /// Whether an examined row has a scaled value other than 0, 1 and NaN.
    bool has_other_values() const { return found_; }
    /// Whether the volume looks like labels of which some touch: it has integers, four of five pairs of foreground neighbours in a row have
    /// equal values, and some neighbours differ or there are more values than components.
    /// @param components of the volume, labelled without regard to values
    bool shows_joined_labels(std::uint64_t components) const;

private:
    void add_labels(const std::byte* voxels, std::int64_t count);
    ScalarType type_;
    ForegroundPacker other_;
    std::int64_t bytes_per_voxel_, rows_per_sample_, rows_per_label_sample_;
    std::atomic<bool> found_ = false;
    std::atomic<std::uint64_t> equal_pairs_ = 0, other_pairs_ = 0;
    std::mutex mutex_;
    std::unordered_set<std::uint64_t> labels_;  // at most most_labels
};

/// Whether values are examined: all values but 0 are foreground, and no option suits label volumes.
bool examines_values(const LabelOptions& options);

/// FSL users write `-t 3` for a threshold. If the values are examined and the command line has -t, this is its text.
// {"voxcc", "label", "z.nii", "-t", "3"} -> "3"
std::optional<std::string> possible_threshold(const LabelOptions& options);

}  // namespace voxcc
