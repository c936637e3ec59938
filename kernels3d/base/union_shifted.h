// Union-find over ids whose places differ by known shifts: the pieces of the components of a periodic volume.
//
// A periodic volume repeats along its periodic axes. A piece that lies at one end of the volume therefore also lies beside the voxels of
// the other end, moved by a shift: a number of extents along x, y and z. All pieces of a component together have a place without gaps,
// unless the component meets its own start again: if joins lead from a piece back to itself with a shift, the component wraps around the
// axes of this shift.
//   // join(0, 1, {1, 0, 0})  ->  piece 1 lies one extent behind piece 0 in x: shifts 0 and 1
//   // then join(1, 0, {0, 0, 0})  ->  the component wraps around x, and has no shifts along x
#pragma once
#include <voxcc/error.h>
#include <voxcc/volume.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace voxcc {

/// A number of extents along x, y and z.
using Shift = std::array<std::uint32_t, 3>;

/// The number of voxels along x, y and z by which a shift moves a piece.
/// @throw Error unsupported if the moved piece can have an index of 2^32 - 1 or more
// shift {1, 0, 2}, extent {10, 10, 20} -> {10, 0, 40}
inline std::array<std::int64_t, 3> voxels_of(const Shift& shift, const Extent& extent) {
    const std::array n{extent.nx, extent.ny, extent.nz};
    std::array<std::int64_t, 3> voxels{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (shift[axis] >= std::uint64_t(std::numeric_limits<std::uint32_t>::max() / n[axis]))
            throw Error(ErrorKind::unsupported, "volume", "a component that crosses the ends of the volume is 2^32 voxels long or longer");
        voxels[axis] = shift[axis] * n[axis];
    }
    return voxels;
}

/// Sets of ids, with the shifts of their ids. Not thread-safe.
class ShiftedSets {
public:
    /// A step from one id to another, in extents along x, y and z; each -1, 0 or 1.
    using Step = std::array<int, 3>;

    explicit ShiftedSets(std::size_t ids) : parent_(ids), from_parent_(ids), wraps_(ids) {
        std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    }

    /// Joins the sets of a and b. The place of b is the place of a plus the step.
    void join(std::size_t a, std::size_t b, const Step& step) {
        Found of_a = find(a), of_b = find(b);
        Difference between{};  // from the root of a to the root of b
        for (std::size_t i = 0; i < 3; ++i) between[i] = of_a.shift[i] + step[i] - of_b.shift[i];
        if (of_a.root == of_b.root) {
            for (std::size_t i = 0; i < 3; ++i) wraps_[of_a.root].axes[i] |= between[i] != 0;
            return;
        }
        if (of_b.root < of_a.root) {
            std::swap(of_a, of_b);
            for (std::int32_t& difference : between) difference = -difference;
        }
        parent_[of_b.root] = of_a.root;
        from_parent_[of_b.root] = between;
        for (std::size_t i = 0; i < 3; ++i) wraps_[of_a.root].axes[i] |= wraps_[of_b.root].axes[i];
    }

    /// The sets after all joins. They do not depend on the order of the joins.
    struct Unwrapped {
        std::vector<std::size_t> root;  // [id] the smallest id of its set
        std::vector<Shift> shift;       // [id] along each axis, the smallest shift of a set is 0. 0 along axes that the set wraps around
        std::vector<AxisSet> wraps;     // [id] of a root: the axes that its set wraps around; not used for other ids
    };
    Unwrapped unwrap() && {
        Unwrapped all{std::vector<std::size_t>(parent_.size()), std::vector<Shift>(parent_.size()), {}};
        std::vector<Difference> least(parent_.size());  // [root] the smallest difference to the root, at most 0
        const auto for_each_shift = [&](std::size_t id, const auto& use) {
            const Found found = find(id);
            all.root[id] = found.root;
            for (std::size_t i = 0; i < 3; ++i)
                if (!wraps_[found.root].axes[i]) use(i, found.shift[i], least[found.root][i]);
        };
        for (std::size_t id = 0; id < parent_.size(); ++id)
            for_each_shift(id, [](std::size_t, std::int32_t shift, std::int32_t& smallest) { smallest = std::min(smallest, shift); });
        for (std::size_t id = 0; id < parent_.size(); ++id)
            for_each_shift(
                id, [&](std::size_t i, std::int32_t shift, std::int32_t smallest) { all.shift[id][i] = std::uint32_t(shift - smallest); });
        all.wraps = std::move(wraps_);
        return all;
    }

private:
    using Difference = std::array<std::int32_t, 3>;
    struct Found {
        std::size_t root;
        Difference shift;  // from the root
    };
    /// Finds the root of an id, and makes it the parent of all ids on the way.
    Found find(std::size_t id) {
        Found found{id, {}};
        for (; parent_[found.root] != found.root; found.root = parent_[found.root])
            for (std::size_t i = 0; i < 3; ++i) found.shift[i] += from_parent_[found.root][i];
        Difference rest = found.shift;
        for (std::size_t at = id; parent_[at] != found.root && at != found.root;) {
            const std::size_t next = parent_[at];
            const Difference own = from_parent_[at];
            parent_[at] = found.root, from_parent_[at] = rest;
            for (std::size_t i = 0; i < 3; ++i) rest[i] -= own[i];
            at = next;
        }
        return found;
    }

    std::vector<std::size_t> parent_;      // [id] at most the id
    std::vector<Difference> from_parent_;  // [id] of a root not used
    std::vector<AxisSet> wraps_;           // [root]
};

}  // namespace voxcc
