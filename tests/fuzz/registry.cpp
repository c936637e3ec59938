#include "tests/fuzz/registry.h"

#include <algorithm>
#include <vector>

namespace voxcc::fuzz {
namespace {

std::vector<Target>& list() {
    static std::vector<Target> targets;  // not a global variable: constants of other files fill it before main()
    return targets;
}

}  // namespace

Registered::Registered(const Target& target) { list().insert(std::ranges::upper_bound(list(), target.name, {}, &Target::name), target); }

std::span<const Target> targets() { return list(); }

}  // namespace voxcc::fuzz
