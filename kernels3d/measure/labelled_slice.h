// One slice of a labelled volume, as bits and as one label per word. The shape of components is counted from such slices.
#pragma once
#include <voxcc/source.h>

#include <cstdint>
#include <vector>

namespace voxcc {

/// The columns of one label in a word of 64 columns.
struct LabelledColumns {
    std::uint32_t label = 0;
    std::uint64_t columns = 0;  // 0 ends a list
};

/// One slice. Rows are stored with one empty word before and after each row, and with an empty row before the first and after the last
/// row. So every word has neighbours, and a stretch of words may cross the end of a row.
///
///     rows  -1  . . .         W = words(): 64 columns per word
///            0  w w .         the last word of each row is empty: stride() = W + 1
///            1  w w .
///           ny  . . .
class LabelledSlice {
public:
    static constexpr std::uint32_t several = ~std::uint32_t{0};  // label of a word whose voxels have several labels
    static constexpr std::int64_t readable_after = 16;           // empty words after the last row

    LabelledSlice() = default;
    LabelledSlice(std::int64_t nx, std::int64_t ny)
        : words_(words_of(nx)), rows_(ny), bits(std::size_t(stride() * (ny + 2) + readable_after)), label(bits.size()), list(bits.size()) {}

    /// Bytes of a slice without lists.
    static std::int64_t bytes(std::int64_t nx, std::int64_t ny) {
        return ((words_of(nx) + 1) * (ny + 2) + readable_after) * std::int64_t(sizeof(std::uint64_t) + 2 * sizeof(std::uint32_t));
    }

    std::int64_t words() const { return words_; }
    std::int64_t rows() const { return rows_; }
    std::int64_t stride() const { return words_ + 1; }
    /// Index of the first word of a row. @param y in [-1, rows()]
    std::int64_t row(std::int64_t y) const { return (y + 1) * stride() + 1; }

    /// The voxels of word i that have the label.
    std::uint64_t columns_of(std::uint32_t wanted, std::int64_t i) const {
        const std::uint32_t here = label[std::size_t(i)];
        if (here == wanted) return bits[std::size_t(i)];
        if (here != several) return 0;
        for (const LabelledColumns* part = lists.data() + list[std::size_t(i)]; part->columns; ++part)
            if (part->label == wanted) return bits[std::size_t(i)] & part->columns;
        return 0;
    }
    /// Calls f(label, columns) for each label of word i. Columns are voxels of the label, at least one.
    template <class F>
    void for_each_label(std::int64_t i, const F& f) const {
        const std::uint64_t voxels = bits[std::size_t(i)];
        if (label[std::size_t(i)] != several) {
            if (voxels) f(label[std::size_t(i)], voxels);
            return;
        }
        for (const LabelledColumns* part = lists.data() + list[std::size_t(i)]; part->columns; ++part)
            if (voxels & part->columns) f(part->label, voxels & part->columns);
    }
    /// Sets a row from the labels of its voxels.
    /// @param labels nx labels; 0 is background
    // labels [0 7 7 3] -> bits 0b1110, label `several`, list {7, 0b0110}, {3, 0b1000}
    void set_row(std::int64_t y, const std::uint32_t* labels, std::int64_t nx);
    /// Makes row `to` equal to row `from`.
    void copy_row(std::int64_t from, std::int64_t to);
    void clear_lists() { lists.clear(); }

private:
    std::int64_t words_ = 0, rows_ = 0;

public:
    std::vector<std::uint64_t> bits;     // foreground; bit x % 64 of word row(y) + x / 64
    std::vector<std::uint32_t> label;    // [word] the label of all voxels of the word; 0 without voxels; or `several`
    std::vector<std::uint32_t> list;     // [word] only for `several`: where its list begins in `lists`
    std::vector<LabelledColumns> lists;  // lists, each ended by an element without columns. A label occurs once per list
};

}  // namespace voxcc
