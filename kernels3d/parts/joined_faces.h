// Finds the components of neighbouring parts that touch across faces, edges and corners of the parts.
#pragma once
#include <voxcc/parts.h>

#include <list>
#include <map>

namespace voxcc::parts {

/// The steps from a part to half of the parts around it. The other half are the steps back.
std::vector<Step> forward_steps();

/// Faces that were read, the last used ones up to a limit.
class FaceCache {
public:
    explicit FaceCache(PartStates& states) : states_(states) {}
    using Face = std::shared_ptr<const std::vector<std::uint32_t>>;
    Face get(std::int64_t part, int face);

private:
    using Key = std::pair<std::int64_t, int>;
    PartStates& states_;
    std::list<Key> order_;  // the last used first
    std::map<Key, std::pair<Face, std::list<Key>::iterator>> faces_;
    std::size_t voxels_ = 0;
};

/// Two components that touch: their numbers in the parts.
struct Touching {
    std::uint32_t here, there;
};

/// Calls use(touching) for all pairs of voxels that touch across the step from `part` to `neighbour`; a pair of components can be repeated.
/// The values of voxels are not compared.
/// @param step one of forward_steps()
void for_each_touching(const Rules& rules, FaceCache& faces, std::int64_t part, std::int64_t neighbour, const Step& step,
                       const std::function<void(const Touching&)>& use);

}  // namespace voxcc::parts
