// Gives new numbers to the labels of a volume, block by block, and fills the holes of these labels.
//
//   table       label,new: 7,1  8,1  9,0
//   labels      0  7  7  8  9  5
//   keep        0  1  1  1  0  5
//   zero        0  1  1  1  0  0
#pragma once
#include <voxcc/holes.h>
#include "src/pipeline/block_reader.h"
#include "src/pipeline/file_labels.h"
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
    /// The new numbers of the first labels, by label. Their number is a power of two.
    std::span<const std::uint64_t> dense() const { return dense_; }

private:
    std::vector<std::uint64_t> dense_;
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

/// The new numbers of a volume, and their type in the output.
struct OutputNumbers {
    const LabelMap& map;
    ScalarType type;  // an integer type; the caller must check that it holds the new numbers of all labels that are found
};

/// Supplies the new numbers of a volume.
class RenumberedLabels : public LabelSource {
public:
    /// @param reader must be at row 0; the reader and the map must outlive this object
    /// @param on_rows see FileLabels
    RenumberedLabels(io::VolumeReader& reader, const OutputNumbers& numbers, std::function<void(std::int64_t)> on_rows);
    void rewind() override { labels_.rewind(); }
    const std::byte* fetch(RowRange rows, std::vector<std::byte>& buffer) override;

private:
    FileLabels labels_;
    OutputNumbers numbers_;
    std::int64_t nx_;
    std::vector<std::byte> raw_;
    LabelSet found_;
};

/// Finds the holes of the labels with their new numbers. Reads the volume twice, and three times if it is larger than the memory limit.
/// @param reader must be at row 0, and is at row 0 afterwards
/// @throw the exceptions of LabelHoles and voxels_of(); ProgramError invalid_argument if the connectivity does not fit the volume
std::unique_ptr<LabelHoles> find_label_holes(io::VolumeReader& reader, const OutputNumbers& numbers, const MapOptions& options,
                                             ThreadPool& pool, ProgressBar& progress);

/// Converts the voxels of a label volume to their new numbers. Needs no painted labels.
/// @param labels must be at row 0; all parameters must outlive the result @param found receives the labels of the volume
/// @param holes that are filled; null: none
std::unique_ptr<LabelConversion> to_new_labels(io::VolumeReader& labels, const OutputNumbers& numbers, FoundLabels& found,
                                               const LabelHoles* holes);

}  // namespace voxcc
