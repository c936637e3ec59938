// Reads parts of a volume in ascending order.
#pragma once
#include "io/chunked_reader.h"
#include "src/pipeline/input.h"

#include <algorithm>
#include <vector>

namespace voxcc::parts {

/// Moves a reader to the rows of parts. Rows between them are decoded only if the format does not allow to skip them.
class RowSkipper {
public:
    /// @param reader must be at row 0, and must outlive this object
    explicit RowSkipper(io::VolumeReader& reader)
        : reader_(reader), skips_(reader.reads_anywhere() || dynamic_cast<io::ChunkedReader*>(&reader) != nullptr) {}
    io::VolumeReader& reader() { return reader_; }
    /// Lets the next read_rows() begin at this row, which must not be before the last row that was read.
    void skip_to(std::int64_t row) {
        const io::VolumeInfo& info = reader_.info();
        for (std::int64_t count = 0; !skips_ && at_ < row; at_ += count) {
            count = std::min(rows_per_buffer(reader_), row - at_);
            skipped_.resize(std::size_t(count * info.extent.nx * size_of(info.type)));
            reader_.read_rows({at_, count}, skipped_.data());
        }
        at_ = row;
    }
    /// States that the caller has read the rows before this one.
    void has_read_to(std::int64_t row) { at_ = row; }

private:
    io::VolumeReader& reader_;
    bool skips_;
    std::int64_t at_ = 0;  // the first row that was neither read nor skipped
    std::vector<std::byte> skipped_;
};

}  // namespace voxcc::parts
