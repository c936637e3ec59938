// The rules by which parts find the holes of a volume.
#include <voxcc/parts.h>

namespace voxcc::parts {

Rules background_rules(const Rules& rules, std::uint64_t most_voxels) {
    Rules background{{.connectivity = dual(reduced(rules.connectivity, rules.grid.volume())), .periodic = rules.periodic}, rules.grid};
    background.border = rules.border;
    background.criteria.border = Criteria::Border::clear;
    background.criteria.max_voxels = most_voxels;
    return background;
}

}  // namespace voxcc::parts
