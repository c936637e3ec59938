// Gives new numbers to the labels of a volume, block by block.
//
//   table       label,new: 7,1  8,1  9,0
//   labels      0  7  7  8  9  5
//   keep        0  1  1  1  0  5
//   zero        0  1  1  1  0  0
#pragma once
#include "src/pipeline/block_reader.h"
#include "src/pipeline/label_conversion.h"
#include "src/pipeline/label_set.h"
#include "src/pipeline/new_labels.h"

#include <mutex>

namespace voxcc {

class ProgressBar;

/// The new number of every label of a volume.
class LabelMap {
public:
    /// @param type of the labels: see label_type()
    /// @param missing labels without a new number; MapOptions::Missing::refuse is the same as zero here
    LabelMap(const NewLabels& labels, ScalarType type, MapOptions::Missing missing);
    // labels {7 -> 1}, keep:  0 -> 0, 7 -> 1, 5 -> 5
    std::uint64_t operator()(LabelBits label) const {
        if (label < dense_.size()) return dense_[std::size_t(label)];
        if (!others_.empty())
            if (const auto found = others_.find(label); found != others_.end()) return found->second;
        return keeps_ ? label : 0;
    }

private:
    std::vector<std::uint64_t> dense_;  // by label
    std::unordered_map<LabelBits, std::uint64_t> others_;
    bool keeps_;
};

/// Collects the labels that several threads find.
class FoundLabels {
public:
    /// Calls f(set) with a set that no other thread uses.
    template <class F>
    void with_set(const F& f) {
        std::unique_ptr<LabelSet> set;
        {
            const std::lock_guard lock(mutex_);
            if (idle_.empty()) idle_.push_back(std::make_unique<LabelSet>());
            set = std::move(idle_.back());
            idle_.pop_back();
        }
        f(*set);
        const std::lock_guard lock(mutex_);
        idle_.push_back(std::move(set));
    }
    /// All labels. Must not be called while a thread is in with_set().
    LabelSet all() const;

private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<LabelSet>> idle_;
};

/// Reads a volume, and collects its labels. @param reader must be at row 0
/// @throw Error invalid_file if a label is not a whole number; the exceptions of the reader
void find_labels(io::VolumeReader& reader, FoundLabels& found, ThreadPool& pool, ProgressBar& progress);

/// Converts the voxels of a label volume to their new numbers. Needs no painted labels.
/// @param labels must be at row 0; all parameters must outlive the result @param found receives the labels of the volume
/// @param type of the new numbers, an integer type; the caller must check that it holds the new numbers of all labels that are found
std::unique_ptr<LabelConversion> to_new_labels(io::VolumeReader& labels, const LabelMap& map, FoundLabels& found, ScalarType type);

}  // namespace voxcc
