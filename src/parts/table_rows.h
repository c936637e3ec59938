// The rows of the table of all painted parts, in the order of their numbers.
//
// The rows of each part are in order, so the rows of all parts are merged. One block of rows of each part that has rows before and after
// the current one is in memory: of the parts in one layer along z, or of all parts if components are numbered by size.
#pragma once
#include "src/parts/painted_file.h"
#include "src/pipeline/columns.h"

#include <queue>

namespace voxcc::parts {

/// The rows of all parts. They should be read in ascending order: for a smaller row, all rows before it are read again. Copies share the
/// rows that are in memory. Thread-safe.
class TableRows {
public:
    explicit TableRows(std::shared_ptr<const PaintedFiles> files);
    std::size_t size() const { return std::size_t(files_->merged().components); }
    /// @param row number - 1 @throw Error corrupt_file; the exceptions of PaintedFile
    TableRow at(std::size_t row) const;
    /// The values of all images in the component of a row. @param scales by image @param wrapping see describe() in voxcc/measure.h
    std::vector<ImageValues> image_values(std::size_t row, std::span<const LinearScale> scales, const std::optional<World>& world,
                                          const Wrapping& wrapping) const;
    /// The numbers of NaN voxels of the component of a row, by image.
    std::vector<std::uint64_t> nan_voxels(std::size_t row) const;
    /// The sums of all rows, which are read when they are needed.
    SumTable sums() const;

private:
    /// The next row of a part.
    struct Cursor {
        std::uint64_t next_block = 0;
        std::optional<RowDecoder> rows;
        std::vector<IntensitySums> images;  // of the block
        std::uint64_t row_of_block = 0;     // 1 for the first row
        TableRow row;                       // before the first row: number 0
    };
    struct State {
        std::mutex mutex;
        std::size_t taken = 0;                                // number of rows
        using Next = std::pair<std::uint64_t, std::int64_t>;  // number of the next row of a part, and the part
        std::priority_queue<Next, std::vector<Next>, std::greater<>> parts;
        std::map<std::int64_t, Cursor> cursors;  // by part
        std::int64_t current = -1;               // the part of the last row
    };
    /// Makes a row the current one. Needs the lock.
    const Cursor& go_to(std::size_t row) const;
    void restart() const;
    void take_next() const;
    /// Reads the next row of a part into its cursor. @return false: it has no more
    bool advance(std::int64_t part, Cursor& cursor) const;
    [[noreturn]] void fail(const std::string& cause) const;

    std::shared_ptr<const PaintedFiles> files_;
    std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace voxcc::parts
