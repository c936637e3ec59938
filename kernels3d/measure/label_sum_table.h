// The sums of LabelSums, by number of the label.
#pragma once
#include <voxcc/measure.h>

#include "kernels3d/simd/isa.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace voxcc {

/// Rows that stay where they are when others are added.
template <class Row>
class GrowingRows {
public:
    void add() {
        if (parts_.empty() || parts_.back().size() == of_part) parts_.emplace_back().reserve(parts_.size() > 1 ? of_part : 0);
        parts_.back().emplace_back();
    }
    Row& operator[](std::size_t row) { return parts_[row / of_part][row % of_part]; }
    const Row& operator[](std::size_t row) const { return parts_[row / of_part][row % of_part]; }
    std::size_t size() const { return parts_.empty() ? 0 : (parts_.size() - 1) * of_part + parts_.back().size(); }

private:
    static constexpr std::size_t of_part = 1 << 14;
    std::vector<std::vector<Row>> parts_;
};

/// Sums of one label over one row.
template <class Wide>
struct RowSums {
    std::uint64_t n = 0, x = 0;
    Wide xx = 0;
    std::uint32_t x0 = 0, x1 = 0;  // the first and the last column
    /// The same sums at the place (y, z) of the row.
    Sums<Wide> at(std::int64_t y, std::int64_t z) const {
        Moments<std::uint64_t, Wide> along_x;
        along_x.n = n, along_x.x = x, along_x.xx = xx;
        const auto at_y = std::uint32_t(y), at_z = std::uint32_t(z);
        return {along_x.shifted(0, at_y, at_z), x0, at_y, at_z, x1, at_y, at_z};
    }
};

/// The sums of all labels, in the order of the numbers. The sums of a row are held for some labels, and added together.
template <class Wide>
class LabelSumTable {
public:
    void add_label() { sums_.add(); }
    Sums<Wide>& operator[](std::size_t row) { return sums_[row]; }
    const Sums<Wide>& operator[](std::size_t row) const { return sums_[row]; }
    const GrowingRows<Sums<Wide>>& sums() const { return sums_; }
    /// Sums to which the next voxels of a label in row (y, z) are added. Voxels of the row that were added before can already be in the
    /// sums of the label.
    VOXCC_INLINE RowSums<Wide>& of_row(std::uint32_t number, std::uint64_t first_column, std::int64_t y, std::int64_t z) {
        const std::size_t slot = number % held;
        if (numbers_[slot] != number) {
            finish(slot, y, z);
            numbers_[slot] = number, rows_[slot].x0 = std::uint32_t(first_column);
            used_ |= std::uint64_t{1} << slot;
        }
        return rows_[slot];
    }
    /// Must be called at the end of row (y, z).
    void finish_row(std::int64_t y, std::int64_t z) {
        for (; used_ != 0; used_ &= used_ - 1) finish(std::size_t(std::countr_zero(used_)), y, z);
    }

private:
    void finish(std::size_t slot, std::int64_t y, std::int64_t z) {
        if (const std::uint32_t number = std::exchange(numbers_[slot], 0)) {
            sums_[number - 1].add(std::exchange(rows_[slot], {}).at(y, z));
        }
    }
    static constexpr std::size_t held = 64;
    GrowingRows<Sums<Wide>> sums_;
    std::uint64_t used_ = 0;                     // bit: whether the slot has a number
    std::array<std::uint32_t, held> numbers_{};  // of labels; 0: none
    std::array<RowSums<Wide>, held> rows_;
};

}  // namespace voxcc
