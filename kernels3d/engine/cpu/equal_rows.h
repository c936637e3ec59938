// Multi-label: finds the voxels of a row that equal voxels of the rows before it. The values of these rows must be in memory.
#pragma once
#include "kernels3d/engine/cpu/runs.h"
#include "kernels3d/simd/compare.h"

#include <cstring>
#include <vector>

namespace voxcc::block_runs {

/// The four rows before a row in raster order that may touch it. rows.h explains the names.
enum class Before : std::uint8_t { before, below, below_before, below_after };
inline constexpr std::array every_before{Before::before, Before::below, Before::below_before, Before::below_after};

/// The columns in which voxels of a row and of a row before it are neighbours.
enum class Touch : std::uint8_t { none, same_column, next_column_too };
/// The columns in which rows touch under connectivity K.
constexpr Touch touch_of(Connectivity k, Before which) {
    const bool diagonal = which == Before::below_before || which == Before::below_after;
    switch (k) {
        case Connectivity::c4: return which == Before::before ? Touch::same_column : Touch::none;
        case Connectivity::c8: return which == Before::before ? Touch::next_column_too : Touch::none;
        case Connectivity::c6: return diagonal ? Touch::none : Touch::same_column;
        case Connectivity::c18: return diagonal ? Touch::same_column : Touch::next_column_too;
        default: return Touch::next_column_too;
    }
}

/// Distance in raster order from row y to the row before it; 0 if that row would lie outside the layer.
/// @param rows number of rows per layer
constexpr int64_t distance(Before which, int64_t y, int64_t rows) {
    switch (which) {
        case Before::before: return y > 0 ? 1 : 0;
        case Before::below: return rows;
        case Before::below_before: return y > 0 ? rows + 1 : 0;
        default: return y + 1 < rows ? rows - 1 : 0;
    }
}

/// The rows that are compared with a row voxel by voxel.
inline constexpr std::array compared_before{Before::before, Before::below};

/// For the last rows of a share: bits of the columns in which a row and a row before it have equal values and both are foreground.
class EqualRows {
public:
    EqualRows() = default;
    /// @param first first row of the share; comparisons with rows before it are not stored
    /// @param kept number of rows whose bits are kept; must be at least 1
    EqualRows(const Layout& layout, int64_t first, int64_t kept)
        : words_(layout.words), first_(first), kept_(kept), bits_(std::size_t(kept * words_ * 2) + 8) {}

    /// The bits of a row that has been filled.
    /// @param rows number of rows per layer
    /// @return null if the row before is not in the share
    const uint64_t* of(int64_t row, Before which, int64_t rows) const {
        const int64_t d = distance(which, row % rows, rows);
        return d && row - d >= first_ ? at(row, which) : nullptr;
    }
    /// The words for the bits of a row, which the caller must fill. Overwrites the bits of row - kept.
    uint64_t* fill(int64_t row, Before which) { return const_cast<uint64_t*>(at(row, which)); }
    /// The bits of a row that has been filled, for a row before it in the share.
    const uint64_t* at(int64_t row, Before which) const { return bits_.data() + ((row - first_) % kept_ * 2 + int64_t(which)) * words_; }

private:
    int64_t words_ = 0, first_ = 0, kept_ = 1;
    Buffer<uint64_t> bits_;
};

/// What is known when rows are united with rows before them. A class without virtual functions, because rows can be short.
class JoinedRows {
public:
    /// Half-open: first is included, end is not.
    struct Range {
        int64_t first = 0, end = 0;
    };
    /// @param equal must outlive this object
    /// @param known the rows whose comparisons `equal` holds
    /// @param before the rows with which rows may be united
    /// @param rows number of rows per layer
    JoinedRows(const EqualRows& equal, Range known, Range before, int64_t rows)
        : equal_(equal), known_(known), before_(before), rows_(rows) {}
    /// The bits of the columns in which both rows are equal and foreground. @return null if they are not known
    const uint64_t* joined(int64_t row, Before which) const {
        return row >= known_.first && row < known_.end && unites(row, which) ? equal_.at(row, which) : nullptr;
    }
    /// Whether the row must be united with the row before it.
    bool unites(int64_t row, Before which) const {
        const int64_t d = distance(which, row % rows_, rows_);
        return d && row - d >= before_.first && row - d < before_.end;
    }

private:
    const EqualRows& equal_;
    Range known_, before_;
    int64_t rows_;
};

/// The values of the last rows of a share: as many rows as lie between a row and the first row before it that it may touch.
class ValueWindow {
public:
    ValueWindow() = default;
    /// Whether rows must be copied because their source does not keep them.
    enum class Copies : std::uint8_t { yes, no };
    /// @param rows number of rows that are kept
    ValueWindow(int64_t rows, int64_t row_bytes, Copies copies)
        : row_bytes_(row_bytes), rows_(std::size_t(rows)), copies_(copies == Copies::yes ? std::size_t(rows * row_bytes) : 0) {}

    /// Adds the values of a row. Overwrites the oldest row.
    void add(int64_t row, const std::byte* values) {
        const std::size_t slot = std::size_t(row) % rows_.size();
        if (!copies_.empty()) {
            std::byte* const copy = copies_.data() + int64_t(slot) * row_bytes_;
            std::memcpy(copy, values, std::size_t(row_bytes_));
            values = copy;
        }
        rows_[slot] = values;
    }
    int64_t size() const { return int64_t(rows_.size()); }
    const std::byte* operator[](int64_t row) const { return rows_[std::size_t(row) % rows_.size()]; }

private:
    int64_t row_bytes_ = 0;
    std::vector<const std::byte*> rows_;
    std::vector<std::byte> copies_;
};

}  // namespace voxcc::block_runs
