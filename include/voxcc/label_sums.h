// Integer sums of each label of a label volume.
#pragma once
#include <voxcc/statistics.h>

#include <span>
#include <unordered_map>
#include <variant>
#include <vector>

namespace voxcc {

/// Takes rows in any order. Labels are any 64-bit patterns; 0 is background. Labels get numbers 1, 2, ... in the order of their first
/// voxels in the rows. Memory: 112 bytes per label (160 in volumes that need wide moments), and a hash map of the labels from 2^22 on.
class LabelSums {
public:
    explicit LabelSums(const Extent& extent);
    /// @param labels of the nx voxels of the row
    /// @param numbers receives each voxel's number (nx), 0 for background
    /// @throw Error out_of_memory if there are more than 2^32 - 1 labels
    void add_row(std::int64_t y, std::int64_t z, std::span<const std::uint64_t> labels, std::span<std::uint32_t> numbers);
    /// The labels by number: label k - 1 has number k.
    const std::vector<std::uint64_t>& labels() const { return labels_; }
    /// @param row number - 1
    WideSums operator[](std::size_t row) const;
    /// All sums; row k - 1 for number k.
    SumTable table() const;

private:
    std::uint32_t number_of(std::uint64_t label);
    std::variant<std::vector<Sums<std::uint64_t>>, std::vector<WideSums>> sums_;
    std::vector<std::uint64_t> labels_;
    std::vector<std::uint32_t> small_;  // numbers of labels below 2^22; in most volumes these are all labels
    std::unordered_map<std::uint64_t, std::uint32_t> large_;
};

}  // namespace voxcc
