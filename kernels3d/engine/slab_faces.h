// The faces between two slabs of a volume, and which of their voxels are connected.
#pragma once
#include <voxcc/label.h>
#include "kernels3d/engine/request.h"

#include <vector>

namespace voxcc::block_runs {

/// The voxels of a slab that touch another slab.
struct SlabFace {
    std::vector<std::uint32_t> numbers;  // [row][x] numbers of components of the slab, 0 is background
    std::vector<std::uint64_t> values;   // Rule::equal_values: of the components of the slab, by number - 1; else empty
    std::vector<std::byte> stored;       // Rule::gradient: [row][x] the stored values of the voxels; else empty
};

/// Decides which touching voxels of two faces are connected.
class FaceRule {
public:
    /// @param request of the volume. Rule::colour is not supported
    /// @param type of the stored values
    FaceRule(const Request& request, ScalarType type) : rule_(request.rule), most_(request.difference), type_(type) {}
    /// Whether a voxel that is connected to two voxels also connects these to each other.
    bool is_transitive() const { return rule_ != Rule::gradient; }
    /// Whether two voxels that touch are foreground and connected.
    /// @param from, to indices of voxels
    // rule = gradient, most = 1, below = {.numbers = {1, 0}, .stored = {5, 9}}, above = {.numbers = {1, 1}, .stored = {6, 9}}:
    // connects(below, 0, above, 0) -> true; connects(below, 0, above, 1) -> false; connects(below, 1, above, 1) -> false
    bool connects(const SlabFace& below, std::size_t from, const SlabFace& above, std::size_t to) const;

private:
    Rule rule_;
    Bound most_;
    ScalarType type_;
};

}  // namespace voxcc::block_runs
