// Matches the objects of two labellings: which objects share voxels, which are partners, and how well the labellings agree.
#include <voxcc/match.h>

#include <cstdint>
#include <cstdio>
#include <vector>

int main() {
    // A has the objects 1 and 2, B has the objects 5, 6 and 7.
    const voxcc::Extent extent{8, 2, 1};
    const std::vector<std::uint8_t> a{1, 1, 1, 0, 2, 2, 0, 0, 1, 1, 1, 0, 2, 2, 0, 0};
    const std::vector<std::uint8_t> b{0, 5, 5, 0, 6, 6, 0, 7, 5, 5, 5, 0, 6, 0, 0, 7};
    const voxcc::ForegroundPacker nonzero(voxcc::ScalarType::u8, {});
    voxcc::StridedSource rows_a(voxcc::view(a.data(), extent), nonzero), rows_b(voxcc::view(b.data(), extent), nonzero);
    voxcc::ThreadPool pool(2);
    const voxcc::LabelOverlap overlap = voxcc::overlap_of(rows_a, rows_b, extent, pool);

    std::vector<voxcc::MatchCandidate> candidates;
    for (const voxcc::SharedVoxels& pair : overlap.pairs) {
        const voxcc::Agreement agreement{overlap.a[pair.a].n, overlap.b[pair.b].n, pair.voxels};
        std::printf("%d and %d share %d voxels, IoU %g\n", int(overlap.a.labels()[pair.a]), int(overlap.b.labels()[pair.b]),
                    int(pair.voxels), agreement.iou());
        if (agreement.iou() >= 0.5) candidates.push_back({pair.a, pair.b, agreement.iou()});
    }
    const auto partners = voxcc::assign(candidates, voxcc::Assignment::optimal);
    const voxcc::MatchMetrics metrics = voxcc::metrics_of(overlap, partners);
    std::printf("%d partners, precision %g, recall %g, panoptic quality %g\n", int(partners.size()), metrics.precision, metrics.recall,
                metrics.pq);
}
