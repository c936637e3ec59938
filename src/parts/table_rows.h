// The rows of the table of all painted parts, in the order of their numbers.
#pragma once
#include "src/parts/painted_file.h"
#include "src/pipeline/columns.h"

#include <mutex>

namespace voxcc::parts {

/// The rows of all parts, read one layer of parts along z at a time, or all at once if components are numbered by size. Thread-safe.
class TableRows {
public:
    enum class Content : std::uint8_t { sums, sums_and_intensities };
    /// @param plan must outlive this object
    TableRows(const Plan& plan, std::string folder, const MergedFile& merged, Content content);
    std::size_t size() const { return std::size_t(merged_.components); }
    WideSums operator[](std::size_t row) const { return at(row).sums; }
    std::uint64_t voxels(std::size_t row) const { return at(row).sums.n; }
    /// @param row number - 1 @throw Error corrupt_file; the exceptions of open_painted()
    TableRow at(std::size_t row) const;
    /// The values of all images in the component of a row. @param scales by image
    std::vector<ImageValues> image_values(std::size_t row, std::span<const LinearScale> scales, const std::optional<World>& world) const;
    /// The numbers of NaN voxels of the component of a row, by image.
    std::vector<std::uint64_t> nan_voxels(std::size_t row) const;

private:
    /// A row, and where its intensities are: a component of the images of a part.
    struct Placed {
        TableRow row;
        std::size_t part;  // in images_
        std::uint64_t component;
    };
    /// Makes a row available. Needs the lock.
    const Placed& placed(std::size_t row) const;
    /// Replaces the rows by the rows of the next parts.
    void load_layer() const;

    const Plan& plan_;
    std::string folder_;
    MergedFile merged_;
    Content content_;
    std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
    mutable std::int64_t next_part_ = 0;
    mutable std::size_t first_ = 0;  // number - 1 of the first row
    mutable std::vector<Placed> rows_;
    mutable std::vector<std::vector<IntensitySums>> images_;  // by part of the layer, by image
};

}  // namespace voxcc::parts
