#include "src/pipeline/label_set.h"

#include <algorithm>
#include <bit>

namespace voxcc {

std::vector<LabelBits> LabelSet::sorted(ScalarType type) const {
    std::vector<LabelBits> labels;
    for (std::size_t word = 0; word < bits_.size(); ++word)
        for (std::uint64_t rest = bits_[word]; rest != 0; rest &= rest - 1)
            labels.push_back(64 * word + std::size_t(std::countr_zero(rest)));
    labels.insert(labels.end(), others_.begin(), others_.end());
    if (type == ScalarType::u64) std::ranges::sort(labels);
    else std::ranges::sort(labels, {}, [](LabelBits label) { return std::int64_t(label); });
    return labels;
}

}  // namespace voxcc
