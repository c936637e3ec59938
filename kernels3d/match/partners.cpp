#include <voxcc/match.h>

#include <algorithm>
#include <utility>

namespace voxcc {

std::uint64_t shared_voxels(const LabelOverlap& overlap, std::size_t a, std::size_t b) {
    const auto found =
        std::ranges::lower_bound(overlap.pairs, std::pair(a, b), {}, [](const SharedVoxels& pair) { return std::pair(pair.a, pair.b); });
    return found != overlap.pairs.end() && found->a == a && found->b == b ? found->voxels : 0;
}

Partners partners_of(const LabelOverlap& overlap, std::span<const MatchCandidate> chosen) {
    Partners partners{std::vector<std::optional<Partner>>(overlap.a.labels().size()),
                      std::vector<std::optional<Partner>>(overlap.b.labels().size())};
    const auto add = [](std::optional<Partner>& known, const Partner& partner) {
        if (!known || partner.shared > known->shared) known = partner;
    };
    for (const MatchCandidate& pair : chosen) {
        const std::uint64_t shared = shared_voxels(overlap, pair.a, pair.b);
        add(partners.of_a[pair.a], {pair.b, shared});
        add(partners.of_b[pair.b], {pair.a, shared});
    }
    return partners;
}

}  // namespace voxcc
