// Numbers pieces that the caller has found, for example the pieces of blocks of an array.
#include <voxcc/parts.h>

#include "kernels3d/base/pieces.h"
#include "kernels3d/base/union_shifted.h"

namespace voxcc::parts {

std::vector<std::uint64_t> number_sets(std::size_t count, std::span<const std::uint64_t> pairs) {
    PieceSets sets(count);
    for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) sets.join(pairs[i], pairs[i + 1]);
    return voxcc::number_sets(std::move(sets).roots());
}

UnwrappedSets unwrap_sets(std::size_t count, std::span<const std::uint64_t> pairs, std::span<const std::uint64_t> steps,
                          const std::array<std::int64_t, 3>& shape) {
    ShiftedSets sets(count);
    for (std::size_t i = 0; i < pairs.size() / 2; ++i) {
        ShiftedSets::Step step{};
        for (std::size_t axis = 0; axis < 3; ++axis) step[axis] = int(std::int64_t(steps[3 * i + axis]));
        sets.join(pairs[2 * i], pairs[2 * i + 1], step);
    }
    const ShiftedSets::Unwrapped unwrapped = std::move(sets).unwrap();
    UnwrappedSets result{voxcc::number_sets(unwrapped.root), {}, {}};
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t root = unwrapped.root[i];
        for (const std::int64_t voxels : voxels_of(unwrapped.shift[i], {shape[0], shape[1], shape[2]}))
            result.moved.push_back(std::uint64_t(voxels));
        if (root == i)
            for (const bool wraps : unwrapped.wraps[i].axes) result.wraps.push_back(wraps);
    }
    return result;
}

}  // namespace voxcc::parts
