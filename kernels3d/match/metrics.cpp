#include <voxcc/match.h>

#include <unordered_set>

namespace voxcc {
namespace {

/// NaN if both are 0.
double ratio(double numerator, double denominator) { return denominator == 0 ? MatchMetrics::none : numerator / denominator; }

std::uint64_t voxels_of(const LabelSums& sums) {
    std::uint64_t voxels = 0;
    for (std::size_t row = 0; row < sums.labels().size(); ++row) voxels += sums[row].n;
    return voxels;
}

}  // namespace

MatchMetrics metrics_of(const LabelOverlap& overlap, std::span<const MatchCandidate> partners) {
    std::unordered_set<std::size_t> of_a, of_b;
    double ious = 0, dices = 0;
    for (const MatchCandidate& pair : partners) {
        of_a.insert(pair.a), of_b.insert(pair.b);
        const Agreement agreement{overlap.a[pair.a].n, overlap.b[pair.b].n, shared_voxels(overlap, pair.a, pair.b)};
        ious += agreement.iou(), dices += agreement.dice();
    }
    MatchMetrics m;
    m.true_positives = of_a.size();
    m.false_negatives = overlap.a.labels().size() - of_a.size();
    m.false_positives = overlap.b.labels().size() - of_b.size();
    const auto tp = double(m.true_positives), fp = double(m.false_positives), fn = double(m.false_negatives);
    m.precision = ratio(tp, tp + fp), m.recall = ratio(tp, tp + fn), m.f1 = ratio(2 * tp, 2 * tp + fp + fn);
    m.sq = ratio(ious, double(partners.size())), m.mean_dice = ratio(dices, double(partners.size()));
    m.pq = partners.empty() ? m.f1 : m.f1 * m.sq;
    std::uint64_t shared = 0;
    for (const SharedVoxels& pair : overlap.pairs) shared += pair.voxels;
    const auto a = double(voxels_of(overlap.a)), b = double(voxels_of(overlap.b));
    m.dice = ratio(2 * double(shared), a + b), m.iou = ratio(double(shared), a + b - double(shared));
    return m;
}

}  // namespace voxcc
