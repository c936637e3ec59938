#include <voxcc/match.h>

#include <cmath>
#include <map>

namespace voxcc {
namespace {

std::vector<std::array<double, 3>> centroids_of(const LabelSums& sums, const std::optional<World>& world) {
    std::vector<std::array<double, 3>> centroids;
    for (std::size_t row = 0; row < sums.labels().size(); ++row) centroids.push_back(centroid_of(sums[row], world));
    return centroids;
}

/// The pairs of points of A and B that are at most `largest` apart. Points of B are in cubes with this edge, so that only 27 cubes are
/// searched per point of A.
std::vector<MatchCandidate> near_pairs(const std::vector<std::array<double, 3>>& a, const std::vector<std::array<double, 3>>& b,
                                       double largest) {
    using Cube = std::array<double, 3>;
    const auto cube_of = [&](const std::array<double, 3>& point) {
        return Cube{std::floor(point[0] / largest), std::floor(point[1] / largest), std::floor(point[2] / largest)};
    };
    std::map<Cube, std::vector<std::size_t>> cubes;
    for (std::size_t row = 0; row < b.size(); ++row) cubes[cube_of(b[row])].push_back(row);
    std::vector<MatchCandidate> pairs;
    for (std::size_t row = 0; row < a.size(); ++row) {
        const Cube own = cube_of(a[row]);
        for (int near = 0; near < 27; ++near) {
            const auto found = cubes.find({own[0] + near % 3 - 1, own[1] + near / 3 % 3 - 1, own[2] + near / 9 - 1});
            if (found == cubes.end()) continue;
            for (const std::size_t other : found->second)
                if (const double distance = distance_between(a[row], b[other]); distance <= largest)
                    pairs.push_back({row, other, largest - distance});
        }
    }
    return pairs;
}

double agreement_by(MatchRule::By by, const Agreement& agreement) {
    switch (by) {
        case MatchRule::By::dice: return agreement.dice();
        case MatchRule::By::fraction: return agreement.fraction();
        default: return agreement.iou();
    }
}

}  // namespace

std::array<double, 3> centroid_of(const WideSums& object, const std::optional<World>& world) {
    const std::array<double, 3> centroid = describe(object, {}, {}).centroid;  // with a world, it would compute principal axes
    return world ? world_position(*world, centroid) : centroid;
}

double distance_between(const std::array<double, 3>& a, const std::array<double, 3>& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

std::vector<MatchCandidate> candidates_of(const LabelOverlap& overlap, const MatchRule& rule, const std::optional<World>& world) {
    if (rule.by == MatchRule::By::distance) return near_pairs(centroids_of(overlap.a, world), centroids_of(overlap.b, world), rule.at);
    std::vector<MatchCandidate> candidates;
    for (const SharedVoxels& pair : overlap.pairs) {
        const double score = agreement_by(rule.by, {overlap.a[pair.a].n, overlap.b[pair.b].n, pair.voxels});
        if (score >= rule.at) candidates.push_back({pair.a, pair.b, score});
    }
    return candidates;
}

}  // namespace voxcc
