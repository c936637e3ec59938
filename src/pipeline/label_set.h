// The set of labels that occur in a volume.
#pragma once
#include "src/pipeline/label_bits.h"

#include <unordered_set>
#include <vector>

namespace voxcc {

/// A set of labels other than 0. Added labels below `most_dense` take one bit up to the largest of them. Not thread-safe.
class LabelSet {
public:
    static constexpr LabelBits most_dense = LabelBits{1} << 26;
    void add(LabelBits label) {
        if (label >= most_dense) {
            others_.insert(label);
            return;
        }
        const std::size_t word = std::size_t(label / 64);
        if (word >= bits_.size()) bits_.resize(word < 2 * bits_.size() ? 2 * bits_.size() : word + 1);
        bits_[word] |= std::uint64_t{1} << label % 64;
    }
    /// One byte for each label below `labels`. The caller may set bytes to 1, which adds their labels in less time than add(). Valid until
    /// the next call with more labels.
    std::uint8_t* marks(std::size_t labels) {
        if (marks_.size() < labels) marks_.resize(labels);
        return marks_.data();
    }
    void add(const LabelSet& more) {
        if (marks_.size() < more.marks_.size()) marks_.resize(more.marks_.size());
        for (std::size_t label = 0; label < more.marks_.size(); ++label) marks_[label] |= more.marks_[label];
        if (bits_.size() < more.bits_.size()) bits_.resize(more.bits_.size());
        for (std::size_t word = 0; word < more.bits_.size(); ++word) bits_[word] |= more.bits_[word];
        others_.insert(more.others_.begin(), more.others_.end());
    }
    /// The labels in ascending order. @param type signed labels are compared as signed integers
    std::vector<LabelBits> sorted(ScalarType type) const;

private:
    std::vector<std::uint8_t> marks_;  // see marks(); the byte of label 0 is not used
    std::vector<std::uint64_t> bits_;  // of labels below most_dense
    std::unordered_set<LabelBits> others_;
};

}  // namespace voxcc
