#include "kernels3d/parts/joined_faces.h"

#include "kernels3d/base/neighbourhood.h"

#include <algorithm>

namespace voxcc::parts {
namespace {

constexpr std::size_t most_cached_voxels = std::size_t{1} << 22;  // 16 MiB

/// One axis of a face: the places of voxels that a step of voxels joins with places on the face of the neighbour.
struct Places {
    std::int64_t first, end;  // on the face of the part
    std::int64_t shift;       // from a place to the place on the face of the neighbour
};

/// @param here, there lengths of the axis in the part and in the neighbour
/// @param of_part, of_voxel steps along the axis; the step of voxels leads into the neighbour
Places places(std::int64_t here, std::int64_t there, int of_part, int of_voxel) {
    if (of_part > 0) return {here - 1, here, 1 - here};
    if (of_part < 0) return {0, 1, there - 1};
    return {std::max<std::int64_t>(0, -of_voxel), std::min(here, here - of_voxel), of_voxel};
}

/// The axis across the faces: the first along which the step is not 0.
int axis_of(const Step& step) { return step[0] != 0 ? 0 : step[1] != 0 ? 1 : 2; }

}  // namespace

std::vector<Step> forward_steps() {
    std::vector<Step> steps;
    for (int x = -1; x <= 1; ++x)
        for (int y = -1; y <= 1; ++y)
            for (int z = -1; z <= 1; ++z)
                if (const Step step{x, y, z}; step != Step{} && step[std::size_t(axis_of(step))] > 0) steps.push_back(step);
    return steps;
}

FaceCache::Face FaceCache::get(std::int64_t part, int face) {
    const Key key{part, face};
    if (const auto known = faces_.find(key); known != faces_.end()) {
        order_.splice(order_.begin(), order_, known->second.second);
        return known->second.first;
    }
    const auto read = std::make_shared<const std::vector<std::uint32_t>>(states_.face(part, face));
    for (voxels_ += read->size(); voxels_ > most_cached_voxels && !order_.empty(); order_.pop_back()) {
        const auto oldest = faces_.find(order_.back());
        voxels_ -= oldest->second.first->size();
        faces_.erase(oldest);
    }
    order_.push_front(key);
    faces_[key] = {read, order_.begin()};
    return read;
}

void for_each_touching(const Rules& rules, FaceCache& faces, std::int64_t part, std::int64_t neighbour, const Step& step,
                       const std::function<void(const Touching&)>& use) {
    const int axis = axis_of(step);
    const std::size_t u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2;
    const Box here = rules.grid.box(part), there = rules.grid.box(neighbour);
    const FaceCache::Face low = faces.get(part, 2 * axis + 1), high = faces.get(neighbour, 2 * axis);
    Touching last{0, 0};
    for (int dv = -1; dv <= 1; ++dv)
        for (int du = -1; du <= 1; ++du) {
            Step voxel{};
            voxel[std::size_t(axis)] = 1, voxel[u] = du, voxel[v] = dv;
            const bool leads_there = (step[u] == 0 || step[u] == du) && (step[v] == 0 || step[v] == dv);
            if (!leads_there || !is_neighbour(rules.connectivity, voxel[0], voxel[1], voxel[2])) continue;
            const Places us = places(here.count[u], there.count[u], step[u], du), vs = places(here.count[v], there.count[v], step[v], dv);
            for (std::int64_t b = vs.first; b < vs.end; ++b) {
                const std::uint32_t* const from = low->data() + b * here.count[u];
                const std::uint32_t* const to = high->data() + (b + vs.shift) * there.count[u] + us.shift;
                for (std::int64_t a = us.first; a < us.end; ++a) {
                    if (from[a] == 0 || to[a] == 0 || (from[a] == last.here && to[a] == last.there)) continue;
                    last = {from[a], to[a]};
                    use(last);
                }
            }
        }
}

}  // namespace voxcc::parts
