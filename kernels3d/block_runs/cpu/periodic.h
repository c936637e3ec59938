// Periodic axes: voxels on the last face of an axis are neighbours of voxels on the first face.
#pragma once
#include <voxcc/labelling.h>
#include "kernels3d/block_runs/cpu/runs.h"
#include "kernels3d/union_find.h"

namespace voxcc::block_runs {

/// The id of the run that contains a voxel; 0 for background.
template <class Id>
Id run_at(const Runs<Id>& runs, int64_t x, int64_t y, int64_t z) {
    const Layout& l = runs.layout;
    const BlockRow<Id> row = runs.row(z / l.rows_z * l.rows + y / l.rows_y);
    const int64_t r = z % l.rows_z * l.rows_y + y % l.rows_y, w = x / 64;
    const uint64_t bit = uint64_t{1} << x % 64;
    if (!(row.bits[r * l.words + w] & bit)) return 0;
    return row.before[w] + Id(std::popcount(row.starts[w] & (bit | (bit - 1))));
}

/// Unites runs across the faces of the periodic axes. Uses one thread, because faces are small.
/// @param joins called as joins(run, run, voxel, voxel) for neighbouring voxels of two runs, with their indices {x, y, z}; returns whether
///     the voxels are connected
template <class Id, class Joins>
void unite_across_faces(Runs<Id>& runs, const Request& request, const Joins& joins) {
    const Extent& e = request.extent;
    const std::array<int64_t, 3> n{e.nx, e.ny, e.nz};
    const int number = number_of(request.connectivity);
    const int most_steps = number == 6 || number == 4 ? 1 : number == 18 || number == 8 ? 2 : 3;
    const bool slices = number == 4 || number == 8;
    // The run at voxel q = p + d, around the periodic axes; 0 if that voxel is background or lies outside the volume.
    const auto neighbour = [&](const std::array<int64_t, 3>& p, const std::array<int, 3>& d, std::array<int64_t, 3>& q) -> Id {
        for (std::size_t a = 0; a < 3; ++a) {
            q[a] = p[a] + d[a];
            if (q[a] < 0 || q[a] >= n[a]) {
                if (!request.periodic.axes[a]) return 0;
                q[a] = (q[a] + n[a]) % n[a];
            }
        }
        return run_at(runs, q[0], q[1], q[2]);
    };
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (!request.periodic.axes[axis] || n[axis] == 1 || (slices && axis == 2)) continue;
        std::array<int64_t, 3> end = n, p{};
        end[axis] = 1;
        for (p[2] = 0; p[2] < end[2]; ++p[2])
            for (p[1] = 0; p[1] < end[1]; ++p[1])
                for (p[0] = 0; p[0] < end[0]; ++p[0]) {
                    std::array<int64_t, 3> last = p;
                    last[axis] = n[axis] - 1;
                    const Id a = run_at(runs, last[0], last[1], last[2]);
                    if (!a) continue;
                    for (int i = 0; i < 9; ++i) {
                        std::array<int, 3> d{};
                        d[axis] = 1;
                        d[(axis + 1) % 3] = i % 3 - 1;
                        d[(axis + 2) % 3] = i / 3 - 1;
                        if (std::abs(d[0]) + std::abs(d[1]) + std::abs(d[2]) > most_steps || (slices && d[2])) continue;
                        std::array<int64_t, 3> other{};
                        const Id b = neighbour(last, d, other);
                        if (b && joins(a, b, last, other)) unite_shared(runs.parent.data(), a, b);
                    }
                }
    }
}

}  // namespace voxcc::block_runs
