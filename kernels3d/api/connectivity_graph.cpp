#include <voxcc/label.h>

#include <voxcc/error.h>
#include "kernels3d/base/neighbourhood.h"
#include "kernels3d/base/union_find.h"

#include <numeric>
#include <vector>

namespace voxcc {
namespace {

/// The step to a neighbour, and the number of its bit.
struct Step {
    int dx, dy, dz;
    int bit;
};

constexpr int first_edge = 6;
constexpr Step all_steps[] = {{1, 0, 0, 0},    {-1, 0, 0, 1},   {0, 1, 0, 2},   {0, -1, 0, 3},   {0, 0, 1, 4},   {0, 0, -1, 5},
                              {1, 1, 0, 6},    {-1, 1, 0, 7},   {1, -1, 0, 8},  {-1, -1, 0, 9},  {1, 0, 1, 10},  {-1, 0, 1, 11},
                              {0, 1, 1, 12},   {0, -1, 1, 13},  {1, 0, -1, 14}, {-1, 0, -1, 15}, {0, 1, -1, 16}, {0, -1, -1, 17},
                              {1, 1, 1, 18},   {-1, 1, 1, 19},  {1, -1, 1, 20}, {-1, -1, 1, 21}, {1, 1, -1, 22}, {-1, 1, -1, 23},
                              {1, -1, -1, 24}, {-1, -1, -1, 25}};

/// The steps to earlier neighbours, with the bits of graphs of type T.
template <class T>
std::vector<Step> earlier_steps(Connectivity connectivity) {
    const bool flat = sizeof(T) == 1 && connectivity == Connectivity::c8;
    std::vector<Step> steps;
    for (Step step : all_steps) {
        if (!is_neighbour(connectivity, step.dx, step.dy, step.dz) || !is_earlier(step.dx, step.dy, step.dz)) continue;
        if (flat && step.bit >= first_edge) step.bit -= 2;
        if (step.bit >= int(8 * sizeof(T)))
            throw Error(ErrorKind::invalid_argument, "graph", "the bits of this connectivity do not fit the type of the graph");
        steps.push_back(step);
    }
    return steps;
}

}  // namespace

template <class T>
std::uint64_t label_connectivity_graph(std::span<const T> graph, const Extent& e, Connectivity connectivity, std::uint32_t* labels) {
    const std::int64_t voxels = e.voxels();
    if (voxels >= std::int64_t{~std::uint32_t{0}}) throw Error(ErrorKind::invalid_extent, "graph", "has 2^32 - 1 voxels or more");
    const std::vector<Step> steps = earlier_steps<T>(connectivity);
    std::iota(labels, labels + voxels, std::uint32_t{0});  // until the numbering, labels are the parents of a forest
    std::int64_t i = 0;
    for (std::int64_t z = 0; z < e.nz; ++z)
        for (std::int64_t y = 0; y < e.ny; ++y)
            for (std::int64_t x = 0; x < e.nx; ++x, ++i) {
                const T bits = graph[std::size_t(i)];
                if (bits == 0) continue;
                for (const Step& s : steps) {
                    if ((bits >> s.bit & 1) == 0) continue;
                    if (x + s.dx < 0 || x + s.dx >= e.nx || y + s.dy < 0 || y + s.dy >= e.ny || z + s.dz < 0) continue;
                    unite(labels, std::uint32_t(i), std::uint32_t(i + (s.dz * e.ny + s.dy) * e.nx + s.dx));
                }
            }
    // The parent of a voxel is an earlier voxel, which has its number already. A root is its own parent.
    std::uint32_t count = 0;
    for (i = 0; i < voxels; ++i) labels[i] = labels[i] == i ? ++count : labels[labels[i]];
    return count;
}

template std::uint64_t label_connectivity_graph<std::uint8_t>(std::span<const std::uint8_t>, const Extent&, Connectivity, std::uint32_t*);
template std::uint64_t label_connectivity_graph<std::uint32_t>(std::span<const std::uint32_t>, const Extent&, Connectivity, std::uint32_t*);

}  // namespace voxcc
