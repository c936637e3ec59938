// The labels of a volume in memory, as runs of equal labels.
#pragma once
#include "src/pipeline/file_labels.h"

namespace voxcc {

/// Memory: 16 bytes per run of equal labels in a row, and 8 bytes per row. Background needs none.
// row 0 7 7 0 3  ->  runs {7, [1, 3)}, {3, [4, 5)}
class KeptLabels : public LabelSource {
public:
    /// Reads all labels. @param labels at row 0 @throw the exceptions of the source
    KeptLabels(LabelSource& labels, const Extent& extent);
    const std::byte* fetch(RowRange rows, std::vector<std::byte>& buffer) override;

private:
    struct Run {
        std::uint64_t label;
        std::uint32_t first, end;  // columns
    };
    template <class T>
    void add_row(const T* labels);
    std::int64_t nx_;
    std::vector<Run> runs_;
    std::vector<std::size_t> rows_{0};  // entry r: the first run of row r; the last entry: the number of runs
};

}  // namespace voxcc
