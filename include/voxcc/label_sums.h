// Integer sums over the voxels of each label of a label volume.
#pragma once
#include <voxcc/labelling.h>
#include <voxcc/statistics.h>

#include <span>
#include <unordered_map>
#include <variant>
#include <vector>

namespace voxcc {

/// Sums of all labels. Labels are 64-bit patterns; 0 is background. Each label gets a number: 1, 2, ... in the order in which add_row()
/// first receives the labels. Memory: 112 bytes per label (168 if second_moments_fit() is false), 4 bytes per value up to the largest label
/// below 2^22, and a hash map of the larger labels. For each label, 32 bytes more (48) for the sums of one row. add_row() is not
/// thread-safe.
// rows {7, 7, 0, 3}, {3, 9, 0, 0}  ->  labels() = {7, 3, 9}; label 7 has number 1 and row 0
class LabelSums {
public:
    explicit LabelSums(const Extent& extent);
    /// Adds the voxels of row (y, z). Rows may come in any order, each at most once.
    /// @param labels label of each of the nx voxels; at least 1 and at most the nx of the extent
    /// @param numbers must hold nx values; receives the number of each voxel, 0 for background
    /// @throw Error out_of_memory if there are more than 2^32 - 1 different labels
    void add_row(std::int64_t y, std::int64_t z, std::span<const std::uint64_t> labels, std::span<std::uint32_t> numbers);
    /// Adds the voxels of row (y, z), without their numbers.
    /// @tparam T an integer type; signed labels are sign-extended to 64 bits
    template <class T>
    void add_row(std::int64_t y, std::int64_t z, std::span<const T> labels);
    /// The sums of the voxels with label 0. All rows of the volume must have been added.
    WideSums background() const;
    /// Adds the sums of other rows of the same volume. Labels that are new get the next numbers, in the order of their numbers in `other`.
    void add(const LabelSums& other);
    /// The labels in the order of their numbers; entry k - 1 for number k.
    const std::vector<std::uint64_t>& labels() const { return labels_; }
    /// @param row the number of the label minus 1
    WideSums operator[](std::size_t row) const;
    /// A copy of all sums; row k - 1 for number k.
    SumTable table() const;

private:
    /// Sums of one label over one row.
    template <class Wide>
    struct RowSums {
        std::uint64_t n = 0, x = 0;
        Wide xx = 0;
        std::uint32_t x0 = 0, x1 = 0;
    };
    /// Per label, in the order of the numbers.
    template <class Wide>
    struct Table {
        std::vector<Sums<Wide>> sums;
        std::vector<RowSums<Wide>> row;  // empty between two calls of add_row()
    };
    std::uint32_t number_of(std::uint64_t label) {
        return label < small_.size() && small_[label] != 0 ? small_[label] : new_number_of(label);
    }
    std::uint32_t new_number_of(std::uint64_t label);
    /// Sets same_ for a row.
    template <class T>
    void compare_with_next(std::span<const T> labels);
    /// Calls f(label, first, last) for each run of a label in word w of a row, after compare_with_next(). Both columns are inclusive.
    /// @param labelled the columns of the word with a label
    template <class T, class F>
    void for_runs(const T* labels, std::uint64_t labelled, std::int64_t w, const F& f);
    /// The columns of word w of a row of nx labels that are not set in zero_.
    std::uint64_t labelled_columns(std::size_t nx, std::size_t w) const {
        return ~zero_[w] & (nx - 64 * w < 64 ? ~(~std::uint64_t{0} << (nx - 64 * w)) : ~std::uint64_t{0});
    }
    /// Adds the columns of the first words of zero_ to the bounding box of the background.
    void widen_background(std::size_t words, std::int64_t y, std::int64_t z);

    Extent extent_;
    std::variant<Table<std::uint64_t>, Table<uint128>> sums_;
    std::vector<std::uint64_t> labels_;
    std::vector<std::uint32_t> small_;  // [label]: number of a label below 2^22, 0 if it has none; most volumes have no larger labels
    std::unordered_map<std::uint64_t, std::uint32_t> large_;
    WideSums background_box_;                 // only the bounding box of the voxels with label 0
    std::uint64_t known_ = 0;                 // a label of the row before, or 0
    std::vector<std::uint32_t> in_row_;       // numbers - 1 of the labels of a row
    std::vector<std::uint64_t> all_;          // [word] all bits set
    std::vector<std::uint64_t> zero_, same_;  // [word] whether a label of a row is 0; whether it is the label of the next voxel
    std::vector<std::uint64_t> is_known_;     // [word] whether a label of a row is known_
};

/// The sums of all labels of a volume, on several threads. Labels are numbered by their first voxel, x fastest; in any order if the source
/// is read in order and there are several threads.
/// @param labels a source of integers, at row 0. Only its fetch() and values() are used
/// @throw Error invalid_argument if the values are not integers; out_of_memory; the exceptions of the source
LabelSums sum_labels(block_runs::RowSource& labels, const Extent& extent, ThreadPool& pool);

}  // namespace voxcc
