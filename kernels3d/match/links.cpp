#include <voxcc/match.h>

#include <algorithm>
#include <map>

namespace voxcc {
namespace {

/// Finds the links of two frames. Objects are rows of the overlap, which are in the order of the labels.
class FrameLinks {
public:
    FrameLinks(const LabelOverlap& overlap, const LinkRule& rule, const std::optional<World>& world)
        : overlap_(overlap), rule_(rule), world_(world), linked_a_(overlap.a.labels().size()), linked_b_(overlap.b.labels().size()) {}

    std::vector<FrameLink> find() {
        add(candidates_of(overlap_, rule_.partners, world_));
        add_parts();
        if (rule_.reach > 0) {
            auto near = candidates_of(overlap_, {MatchRule::By::distance, rule_.reach}, world_);
            std::erase_if(near, [&](const MatchCandidate& pair) { return linked_a_[pair.a] + linked_b_[pair.b] > 0; });
            add(std::move(near));
        }
        return links();
    }

private:
    using Pair = std::pair<std::size_t, std::size_t>;  // an object of A and an object of B

    void add(const Pair& pair, std::uint64_t voxels) {
        if (voxels_.emplace(pair, voxels).second) ++linked_a_[pair.first], ++linked_b_[pair.second];
    }

    /// Adds the partners that are chosen from candidates.
    void add(std::vector<MatchCandidate> candidates) {
        for (const MatchCandidate& pair : assign(std::move(candidates), rule_.assignment))
            add({pair.a, pair.b}, shared_voxels(overlap_, pair.a, pair.b));
    }

    /// The object of the other frame that shares the most voxels with an object.
    struct Cover {
        std::uint64_t voxels = 0;
        std::size_t by = 0;
        /// Ties: the first object.
        void offer(std::uint64_t shared, std::size_t object) {
            if (shared > voxels || (shared == voxels && object < by)) voxels = shared, by = object;
        }
        bool is_part(std::uint64_t own, double inside) const { return voxels > 0 && double(voxels) >= inside * double(own); }
    };

    void add_parts() {
        std::vector<Cover> of_a(linked_a_.size()), of_b(linked_b_.size());
        for (const SharedVoxels& pair : overlap_.pairs) of_a[pair.a].offer(pair.voxels, pair.b), of_b[pair.b].offer(pair.voxels, pair.a);
        const std::vector<std::size_t> partners_a = linked_a_, partners_b = linked_b_;
        for (std::size_t b = 0; b < of_b.size(); ++b)
            if (partners_b[b] == 0 && of_b[b].is_part(overlap_.b[b].n, rule_.inside)) add({of_b[b].by, b}, of_b[b].voxels);
        for (std::size_t a = 0; a < of_a.size(); ++a)
            if (partners_a[a] == 0 && of_a[a].is_part(overlap_.a[a].n, rule_.inside)) add({a, of_a[a].by}, of_a[a].voxels);
    }

    std::vector<FrameLink> links() const {
        std::vector<FrameLink> links;
        for (const auto& [pair, voxels] : voxels_) {
            const bool splits = linked_a_[pair.first] > 1, merges = linked_b_[pair.second] > 1;
            const LinkKind kind = splits && merges ? LinkKind::split_merge
                                  : splits         ? LinkKind::split
                                  : merges         ? LinkKind::merge
                                                   : LinkKind::partner;
            links.push_back({pair.first, pair.second, voxels, kind});
        }
        return links;
    }

    const LabelOverlap& overlap_;
    const LinkRule& rule_;
    const std::optional<World>& world_;
    std::vector<std::size_t> linked_a_, linked_b_;  // number of links, by object
    std::map<Pair, std::uint64_t> voxels_;          // of each link
};

}  // namespace

std::string name_of(LinkKind kind) {
    constexpr std::array names{"partner", "split", "merge", "split_merge"};
    return names[std::size_t(kind)];
}

std::vector<FrameLink> links_of(const LabelOverlap& overlap, const LinkRule& rule, const std::optional<World>& world) {
    return FrameLinks(overlap, rule, world).find();
}

}  // namespace voxcc
