#include <voxcc/match.h>

#include <cmath>
#include <numeric>

namespace voxcc {
namespace {

Change change_between(std::int64_t before, std::int64_t after, double least_change) {
    const std::int64_t difference = after - before;
    if (difference == 0 || std::abs(double(difference)) < least_change * double(before)) return Change::unchanged;
    return difference > 0 ? Change::grown : Change::shrunk;
}

}  // namespace

std::string name_of(Change change) {
    constexpr std::array names{"gone", "new", "unchanged", "grown", "shrunk", "split", "merged"};
    return names[std::size_t(change)];
}

ObjectChanges changes_of(const LabelOverlap& overlap, double least_change) {
    std::vector<std::vector<std::size_t>> links_a(overlap.a.labels().size()), links_b(overlap.b.labels().size());
    for (const SharedVoxels& pair : overlap.pairs) links_a[pair.a].push_back(pair.b), links_b[pair.b].push_back(pair.a);
    const auto voxels_a = [&](std::size_t row) { return std::int64_t(overlap.a[row].n); };
    const auto voxels_b = [&](std::size_t row) { return std::int64_t(overlap.b[row].n); };
    const auto sum = [](const std::vector<std::size_t>& rows, const auto& voxels) {
        return std::accumulate(rows.begin(), rows.end(), std::int64_t{0}, [&](std::int64_t n, std::size_t row) { return n + voxels(row); });
    };
    ObjectChanges changes;
    for (std::size_t a = 0; a < links_a.size(); ++a) {
        const auto& links = links_a[a];
        ObjectChange change{Change::gone, -voxels_a(a)};
        if (links.size() > 1) change = {Change::split, sum(links, voxels_b) - voxels_a(a)};
        else if (links.size() == 1 && links_b[links[0]].size() > 1)
            change = {Change::merged, voxels_b(links[0]) - sum(links_b[links[0]], voxels_a)};
        else if (links.size() == 1)
            change = {change_between(voxels_a(a), voxels_b(links[0]), least_change), voxels_b(links[0]) - voxels_a(a)};
        changes.of_a.push_back(change);
    }
    for (std::size_t b = 0; b < links_b.size(); ++b) {
        const auto& links = links_b[b];
        ObjectChange change{Change::created, voxels_b(b)};
        if (links.size() > 1) change = {Change::merged, voxels_b(b) - sum(links, voxels_a)};
        else if (links.size() == 1) change = changes.of_a[links[0]];
        changes.of_b.push_back(change);
    }
    return changes;
}

}  // namespace voxcc
