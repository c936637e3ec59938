// The objects of a volume that `voxcc match` compares: the labels of a file, or the components of a mask.
#pragma once
#include <voxcc/label.h>
#include "src/options/match_options.h"
#include "src/pipeline/file_labels.h"

#include <memory>

namespace voxcc {

/// The values of a file, or the components of its voxels that are neither 0 nor NaN.
class VolumeObjects {
public:
    /// Reads a mask and labels its components. A file of labels is read by source().
    /// @param reader must be at row 0, and must outlive this object @param on_rows called with the number of rows read so far
    /// @throw the exceptions of label() and of the reader
    VolumeObjects(io::VolumeReader& reader, const MatchOptions& options, ThreadPool& pool,
                  const std::function<void(std::int64_t)>& on_rows);
    /// Labels as integers, in order.
    LabelSource& source() { return *source_; }
    /// Null if the objects are labels.
    Labelling* components() { return labelling_.get(); }
    /// Of a mask: they are background.
    std::int64_t nan_voxels() const { return nan_voxels_; }

private:
    Extent extent_;
    std::int64_t nan_voxels_ = 0;
    std::unique_ptr<Labelling> labelling_;
    Selection selection_;
    std::unique_ptr<LabelSource> source_;
};

}  // namespace voxcc
