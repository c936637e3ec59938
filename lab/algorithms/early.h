// Early computation of properties: moments are stored per voxel and move to the roots while the components grow.
//
// Source: Asad, Marroquim, Souza, "On GPU connected components and properties", 2019, sections III-A to III-C, after Kalentev, Rai,
// Kemnitz, Schneider 2011.
// Idea: each foreground voxel starts with its own moments. When a root has become a child of another root, its moments are moved to the
// new root by atomic additions. At the end, the roots hold the moments of their components.
//
//   start    each foreground voxel holds its own moments
//   gather   must run on flat trees: every voxel that holds moments and is not a root moves them to its root. Links do not change in this
//            phase, and roots only receive, so that nothing is lost or counted twice
//   compact  must run after numbering: copies the moments from the voxels that still hold some to K slots
// Memory: 48 bytes per voxel in 2D, 80 bytes in 3D, and the same number of bytes per component at the end. Each moment has its own array,
// because most voxels need only a look at their size.
#pragma once
#include "kernels3d/on_voxels/properties.h"

namespace voxcc::algorithms {

/// The moments of all voxels: moment m of voxel i is values[m * number of voxels + i]. Moment 0 is the size. A voxel of size 0 holds no
/// moments; its other values are then undefined.
template <int D>
struct VoxelMoments {
    static constexpr int count = Moments<D>::count;
    exec::Grid size;
    std::uint64_t* values;
    exec::Pointer<const std::uint32_t> labels;

    VOXCC_HD std::uint64_t& at(int moment, std::int64_t i) const { return values[moment * size.cells() + i]; }
};

/// Phase "start".
template <int D>
struct StartMoments {
    VoxelMoments<D> held;
    exec::Pointer<const std::uint8_t> voxels;
    VOXCC_HD void operator()(const exec::Cell& c) const {
        const std::int64_t i = (std::int64_t(c.z) * held.size.y + c.y) * held.size.x + c.x;
        held.at(0, i) = 0;
        if (!voxels[i]) return;
        const Moments<D> own = moments_of_line<0, D>(Line::stretch(c.x, 1), c);
        for (int m = 0; m < held.count; ++m) held.at(m, i) = own.values[m];
    }
};

/// Phase "gather".
template <int D>
struct GatherMoments {
    VoxelMoments<D> held;
    VOXCC_HD void operator()(std::int64_t i) const {
        const std::uint32_t label = held.labels[i];
        if (label == 0 || label == std::uint32_t(i) + 1 || held.at(0, i) == 0) return;
        for (int m = 0; m < held.count; ++m) exec::fetch_add(&held.at(m, std::int64_t(label) - 1), held.at(m, i));
        held.at(0, i) = 0;
    }
};

/// Phase "compact".
template <int D>
struct CompactMoments {
    VoxelMoments<D> held;
    std::uint64_t* slots;  // [component][moment]
    VOXCC_HD void operator()(std::int64_t i) const {
        if (held.at(0, i) == 0) return;
        const std::int64_t slot = std::int64_t(held.labels[i]) - 1;
        for (int m = 0; m < held.count; ++m) slots[slot * held.count + m] = held.at(m, i);
    }
};

/// Runs the phases above for an algorithm. All functions do nothing unless problem.measure is Measure::early.
template <class Executor>
class EarlyMoments {
public:
    /// @param memory holds the moments per voxel and per component
    EarlyMoments(Executor& executor, const Problem& problem, exec::Memory& memory)
        : executor_(executor),
          problem_(problem),
          memory_(memory),
          values_(memory, problem.measure == Measure::early ? moments_of(dimension_of(problem.connectivity)) * problem.size.cells() : 0) {}

    void start() {
        if_wanted([&]<int D> { executor_.for_each("properties", problem_.size, StartMoments<D>{held<D>(), problem_.voxels}); });
    }
    /// Moves moments to the roots. Every word of the label volume must be 1 + the index of its root, or 0.
    void gather() {
        if_wanted([&]<int D> { executor_.for_each("properties", problem_.size.cells(), GatherMoments<D>{held<D>()}); });
    }
    /// Copies the moments of the components out of the voxels. The label volume must hold the final labels 1..components.
    /// @return [component][moment]; empty unless properties are computed early
    exec::Array<std::uint64_t> compact(std::uint32_t components) {
        exec::Array<std::uint64_t> slots(memory_, std::int64_t(components) * moments_of(dimension_of(problem_.connectivity)));
        if_wanted([&]<int D> { executor_.for_each("properties", problem_.size.cells(), CompactMoments<D>{held<D>(), slots.data()}); });
        return slots;
    }

private:
    template <int D>
    VoxelMoments<D> held() const {
        return {problem_.size, values_.data(), problem_.labels};
    }
    template <class F>
    void if_wanted(const F& f) const {
        if (values_.size() > 0) visit_dimension(problem_.connectivity, f);
    }

    Executor& executor_;
    const Problem& problem_;
    exec::Memory& memory_;
    exec::Array<std::uint64_t> values_;
};

}  // namespace voxcc::algorithms
