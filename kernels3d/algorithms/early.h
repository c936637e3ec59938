// Early computation of properties: moments carried along by every voxel while the components grow.
//
// Source: Asad, Marroquim, Souza, "On GPU connected components and properties", 2019, sections III-A to III-C, after Kalentev, Rai,
// Kemnitz, Schneider 2011.
// Idea: a voxel starts with its own moments. When the root of a tree has become a child, it hands over to its new root what it holds, by
// atomic additions. In the end the roots hold the moments of their components.
//
//   start    each voxel of the foreground is a component of its own
//   gather   after trees have been made flat: whoever holds something and is no root hands it over. Links do not change meanwhile, a
//            voxel hands over in the phase after it has ceased to be a root, and roots only receive: nothing is lost or counted twice
//   compact  after numbering: from the voxels that still hold something to K slots
// Memory: 48 bytes a voxel in 2D, 80 in 3D, each moment in an array of its own, since most voxels are asked for their size only; as much
// a component at the end.
#pragma once
#include "kernels3d/algorithms/properties.h"

namespace voxcc::algorithms {

/// Moment m of voxel i at values[m * voxels + i]. A voxel whose size is 0 holds nothing, whatever its other moments say.
template <int D>
struct VoxelMoments {
    static constexpr int count = Moments<D>::count;
    exec::Grid size;
    std::uint64_t* values;
    exec::Pointer<const std::uint32_t> labels;

    VOXCC_HD std::uint64_t& at(int moment, std::int64_t i) const { return values[moment * size.cells() + i]; }
};

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

/// What algorithms that can carry properties are given. Does nothing unless they are wanted.
template <class Executor>
class EarlyMoments {
public:
    /// @param memory where they are to live
    EarlyMoments(Executor& executor, const Problem& problem, exec::Memory& memory)
        : executor_(executor),
          problem_(problem),
          memory_(memory),
          values_(memory, problem.measure == Measure::early ? moments_of(dimension_of(problem.connectivity)) * problem.size.cells() : 0) {}

    void start() {
        if_wanted([&]<int D> { executor_.for_each("properties", problem_.size, StartMoments<D>{held<D>(), problem_.voxels}); });
    }
    /// Every word of the label volume is 1 + the index of its root, or 0.
    void gather() {
        if_wanted([&]<int D> { executor_.for_each("properties", problem_.size.cells(), GatherMoments<D>{held<D>()}); });
    }
    /// Labels are 1..components. @return [component][moment]
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
