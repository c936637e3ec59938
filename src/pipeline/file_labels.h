// Labels in files as rows of the engine.
#pragma once
#include <voxcc/foreground.h>
#include <voxcc/label.h>
#include "src/pipeline/input.h"

#include <functional>
#include <optional>

namespace voxcc {

/// Supplies labels, whose rows of nx labels lie side by side in the buffer of fetch(). Labels other than 0 are foreground.
class LabelSource : public RowSource {
public:
    LabelSource(ScalarType type, std::int64_t nx, Access access) : type_(type), nx_(nx), access_(access), packer_(type, {}) {}
    Access access() const override { return access_; }
    std::int64_t rows_per_fetch() const override { return 64; }
    void pack(const std::byte* fetched, RowRange rows, std::int64_t index, std::uint64_t* bits) const override {
        packer_.pack(default_isa(), values(fetched, rows, index), nx_, bits);
    }
    const std::byte* values(const std::byte* fetched, RowRange, std::int64_t index) const override { return fetched + index * row_bytes(); }
    ScalarType value_type() const override { return type_; }

protected:
    std::int64_t row_bytes() const { return nx_ * size_of(type_); }

private:
    ScalarType type_;
    std::int64_t nx_;
    Access access_;
    ForegroundPacker packer_;
};

/// The labels of a file: integers as they are stored, floats and scaled values as 64-bit integers. Stored integers of files without
/// compression are read by several threads at the same time, and the labels of other files in order.
class FileLabels : public LabelSource {
public:
    /// @param reader must be at row 0, and must outlive this object
    /// @param on_rows called with the number of rows read so far, about. Must be thread-safe
    explicit FileLabels(
        io::VolumeReader& reader, std::function<void(std::int64_t)> on_rows = [](std::int64_t) {});
    std::int64_t rows_per_fetch() const override;
    void rewind() override;
    /// @throw Error invalid_file if a label is not a whole number; the exceptions of the reader
    const std::byte* fetch(RowRange rows, std::vector<std::byte>& buffer) override;

private:
    io::VolumeReader& reader_;
    bool is_stored_;                 // whether the labels are the stored voxels
    std::optional<RowStream> rows_;  // empty with concurrent access
    std::function<void(std::int64_t)> on_rows_;
};

}  // namespace voxcc
