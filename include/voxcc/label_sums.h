// Integer sums of each label of a volume that is labelled already.
#pragma once
#include <voxcc/statistics.h>

#include <span>
#include <unordered_map>
#include <variant>
#include <vector>

namespace voxcc {

/// Takes rows in any order; labels are any 64-bit patterns, 0 is background. Labels get numbers 1, 2, ... in the order in which they
/// are met. Memory: 112 bytes a label (160 in volumes that need wide moments), and what the hash map of labels past 2^22 takes.
class LabelSums {
public:
    explicit LabelSums(const Extent& extent);
    /// @param labels nx of them
    /// @param numbers receives each voxel's number (nx), 0 for background
    /// @throw Error out_of_memory past 2^32 - 1 labels
    void add_row(std::int64_t y, std::int64_t z, std::span<const std::uint64_t> labels, std::span<std::uint32_t> numbers);
    /// The label that has number k at k - 1.
    const std::vector<std::uint64_t>& labels() const { return labels_; }
    /// @param row number - 1
    WideSums operator[](std::size_t row) const;
    /// All of them, by number.
    SumTable table() const;

private:
    std::uint32_t number_of(std::uint64_t label);
    std::variant<std::vector<Sums<std::uint64_t>>, std::vector<WideSums>> sums_;
    std::vector<std::uint64_t> labels_;
    std::vector<std::uint32_t> small_;  // numbers of labels below 2^22, for most volumes all there are
    std::unordered_map<std::uint64_t, std::uint32_t> large_;
};

}  // namespace voxcc
