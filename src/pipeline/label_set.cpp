#include "src/pipeline/label_set.h"

#include <algorithm>
#include <bit>

namespace voxcc {

std::vector<LabelBits> LabelSet::sorted(ScalarType type) const {
    std::vector<LabelBits> labels;
    for (std::size_t word = 0; word < bits_.size(); ++word)
        for (std::uint64_t rest = bits_[word]; rest != 0; rest &= rest - 1)
            if (const std::size_t label = 64 * word + std::size_t(std::countr_zero(rest)); label >= marks_.size() || !marks_[label])
                labels.push_back(label);
    for (std::size_t label = 1; label < marks_.size(); ++label)
        if (marks_[label]) labels.push_back(label);
    labels.insert(labels.end(), others_.begin(), others_.end());
    if (type == ScalarType::u64) std::ranges::sort(labels);
    else std::ranges::sort(labels, {}, [](LabelBits label) { return std::int64_t(label); });
    return labels;
}

}  // namespace voxcc
