// Feret diameters of all components, from the outlines of their slices.
#pragma once
#include <voxcc/threads.h>
#include "kernels3d/measure/outlines.h"

#include <functional>

namespace voxcc {

/// Collects outlines in the order of the slices. The outlines of a component are kept until it is complete.
class FeretDiameters {
public:
    /// @param memory counts the bytes of the outlines; null: nothing is counted
    FeretDiameters(Space space, const World& world, MemoryLimit* memory) : space_(space), world_(world), memory_(memory) {}

    /// Adds the outlines of successive slices. @throw MemoryLimitReached
    void add(std::span<const Outlines> slices);
    /// Whether so many outlines have been added that complete() should be called.
    bool has_many() const { return open_.corners.size() >= many_; }
    /// Computes the diameters of complete components, and forgets their outlines.
    /// @param is_complete called as is_complete(label): whether all slices with the label have been added
    /// @param set called as set(label, diameter) for each complete component, by several threads at the same time
    void complete(const std::function<bool(std::uint32_t)>& is_complete, const std::function<void(std::uint32_t, double)>& set,
                  ThreadPool& pool);

private:
    Space space_;
    World world_;
    TakenMemory memory_;
    Outlines open_;                      // of components that are not complete
    std::size_t many_ = 0;               // corners; twice the number that the last call of complete() left
    std::vector<std::uint32_t> newest_;  // [label] number + 1 of its newest outline; all 0 between two calls of complete()
};

}  // namespace voxcc
