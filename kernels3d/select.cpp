// Selects components by size and border contact, and assigns the final numbers.
#include <voxcc/select.h>

#include <algorithm>

namespace voxcc {
namespace {

/// Keeps the largest components. @param rows all candidates to choose from, largest first, ties by first voxel
void keep_largest(const std::vector<Candidate>& candidates, std::uint64_t count, Criteria::Ties ties, std::vector<std::uint64_t>& rows) {
    if (count == 0) return rows.clear();
    const std::uint64_t size = candidates[rows[count - 1]].voxels;
    const auto first_tie = std::find_if(rows.begin(), rows.end(), [&](std::uint64_t row) { return candidates[row].voxels == size; });
    const auto end_of_ties = std::find_if(first_tie, rows.end(), [&](std::uint64_t row) { return candidates[row].voxels != size; });
    const auto kept_ties = rows.begin() + std::ptrdiff_t(count) - first_tie;
    if (ties == Criteria::Ties::last) std::copy(end_of_ties - kept_ties, end_of_ties, first_tie);
    rows.resize(ties == Criteria::Ties::all ? std::size_t(end_of_ties - rows.begin()) : std::size_t(count));
}

}  // namespace

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
    if (cut) keep_largest(candidates, *criteria.keep_largest, criteria.ties, selection.rows);
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
