// Selects components by size and border contact, and assigns the final numbers.
#include <voxcc/select.h>

#include <algorithm>

namespace voxcc {

Selection select(const std::vector<Candidate>& candidates, const Criteria& criteria) {
    Selection selection;
    for (std::uint64_t row = 0; row < candidates.size(); ++row) {
        const Candidate& c = candidates[row];
        if (c.voxels < criteria.min_voxels || c.voxels > criteria.max_voxels) continue;
        if (criteria.border == Criteria::Border::clear && c.place == Candidate::Place::at_border) continue;
        selection.rows.push_back(row);
    }
    const auto larger = [&](std::uint64_t a, std::uint64_t b) { return candidates[a].voxels > candidates[b].voxels; };
    const bool by_size = criteria.numbering == Numbering::by_size;
    const bool cut = criteria.keep_largest && *criteria.keep_largest < selection.rows.size();
    if (by_size || cut) std::stable_sort(selection.rows.begin(), selection.rows.end(), larger);
    if (cut) selection.rows.resize(*criteria.keep_largest);
    if (cut && !by_size) std::sort(selection.rows.begin(), selection.rows.end());

    selection.count = selection.rows.size();
    if (selection.count == candidates.size() && std::is_sorted(selection.rows.begin(), selection.rows.end())) {
        selection.rows.clear();
        return selection;
    }
    selection.final_numbers.assign(candidates.size(), 0);
    for (std::uint64_t i = 0; i < selection.count; ++i) selection.final_numbers[selection.rows[i]] = i + 1;
    return selection;
}

}  // namespace voxcc
