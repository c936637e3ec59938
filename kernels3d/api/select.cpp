// Selects components by size and border contact, and assigns the final numbers.
#include <voxcc/label.h>

#include <algorithm>
#include <functional>
#include <unordered_map>

namespace voxcc {
namespace {

/// Keeps the largest components.
/// @param rows all candidates to choose from, by first voxel; there must be more than `count`
void keep_largest(const std::vector<Candidate>& candidates, std::uint64_t count, Criteria::Ties ties, std::vector<std::uint64_t>& rows) {
    if (count == 0) return rows.clear();
    std::vector<std::uint64_t> sizes(rows.size());
    std::transform(rows.begin(), rows.end(), sizes.begin(), [&](std::uint64_t row) { return candidates[row].voxels; });
    const auto smallest = sizes.begin() + std::ptrdiff_t(count) - 1;
    std::nth_element(sizes.begin(), smallest, sizes.end(), std::greater<>());
    const std::uint64_t size = *smallest;
    const auto larger = std::uint64_t(std::count_if(sizes.begin(), smallest, [&](std::uint64_t voxels) { return voxels > size; }));
    const auto tied =
        std::uint64_t(std::count_if(rows.begin(), rows.end(), [&](std::uint64_t row) { return candidates[row].voxels == size; }));
    const std::uint64_t kept = ties == Criteria::Ties::all ? tied : count - larger;
    const std::uint64_t first_kept = ties == Criteria::Ties::last ? tied - kept : 0;
    std::size_t end = 0;
    std::uint64_t ties_before = 0;
    for (const std::uint64_t row : rows) {
        const std::uint64_t voxels = candidates[row].voxels;
        const bool is_tie = voxels == size, keep = is_tie ? ties_before - first_kept < kept : voxels > size;
        ties_before += is_tie;
        rows[end] = row;
        end += keep;
    }
    rows.resize(end);
}

/// keep_largest() for each group. @param groups of the candidates
void keep_largest_of_groups(const std::vector<Candidate>& candidates, const Criteria& criteria, std::span<const std::uint64_t> groups,
                            std::vector<std::uint64_t>& rows) {
    std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> by_group;
    for (const std::uint64_t row : rows) by_group[groups[row]].push_back(row);
    rows.clear();
    for (auto& [group, of_group] : by_group) {
        if (*criteria.keep_largest < of_group.size()) keep_largest(candidates, *criteria.keep_largest, criteria.ties, of_group);
        rows.insert(rows.end(), of_group.begin(), of_group.end());
    }
    std::ranges::sort(rows);
}

}  // namespace

Selection select(const std::vector<Candidate>& candidates, const Criteria& criteria, std::span<const std::uint64_t> groups) {
    Selection selection;
    for (std::uint64_t row = 0; row < candidates.size(); ++row) {
        const Candidate& c = candidates[row];
        if (c.voxels < criteria.min_voxels || c.voxels > criteria.max_voxels) continue;
        if (c.seed == Candidate::Seed::absent) continue;
        if (criteria.border == Criteria::Border::clear && c.place == Candidate::Place::at_border) continue;
        selection.rows.push_back(row);
    }
    const auto larger = [&](std::uint64_t a, std::uint64_t b) { return candidates[a].voxels > candidates[b].voxels; };
    const bool by_size = criteria.numbering == Numbering::by_size;
    const bool cut = criteria.keep_largest && *criteria.keep_largest < selection.rows.size();
    if (cut && !groups.empty()) keep_largest_of_groups(candidates, criteria, groups, selection.rows);
    else if (cut) keep_largest(candidates, *criteria.keep_largest, criteria.ties, selection.rows);
    if (by_size) std::stable_sort(selection.rows.begin(), selection.rows.end(), larger);

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
