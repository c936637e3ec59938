// Converts the sums of a run to a table.
#include "kernels3d/on_voxels/published_run.h"

namespace voxcc {
namespace {

// The sums of a component as properties.h stores them: n x y xx yy xy in 2D, n x y z xx yy zz xy xz yz in 3D.
Moments<std::uint64_t> moments_in_slice(const std::uint64_t* s, std::uint64_t z) {
    return Moments<std::uint64_t>{.n = s[0], .x = s[1], .y = s[2], .xx = s[3], .yy = s[4], .xy = s[5]}.shifted(0, 0, z);
}
Moments<std::uint64_t> moments_in_volume(const std::uint64_t* s) { return {s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9]}; }

}  // namespace

SumTable sum_table(const PublishedRun& run) {
    if (!run.rows.empty()) return SumTable(run.rows);
    std::vector<Sums<std::uint64_t>> rows(run.boxes.size());
    const std::uint64_t* sums = run.moments.data();
    for (std::size_t k = 0; k < rows.size(); ++k, sums += algorithms::moments_of(run.dimension)) {
        const auto& [low, high] = run.boxes[k];
        const auto moments = run.dimension == 2 ? moments_in_slice(sums, low[2]) : moments_in_volume(sums);
        rows[k] = {moments, low[0], low[1], low[2], high[0], high[1], high[2]};
    }
    return SumTable(std::move(rows));
}

}  // namespace voxcc
