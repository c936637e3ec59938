#include <voxcc/match.h>

#include "kernels3d/match/label_order.h"

#include <algorithm>
#include <map>

namespace voxcc {
namespace {

/// The objects of two frames, numbered by their labels, so that the result does not depend on the order of the rows.
class FrameLinks {
public:
    FrameLinks(const LabelOverlap& overlap, const LinkRule& rule, const std::optional<World>& world)
        : overlap_(overlap), rule_(rule), world_(world), order_a_(ascending_rows(overlap.a)), order_b_(ascending_rows(overlap.b)) {
        place_a_ = places_of(order_a_), place_b_ = places_of(order_b_);
        linked_a_.assign(order_a_.size(), 0), linked_b_.assign(order_b_.size(), 0);
    }

    std::vector<FrameLink> find() {
        add(candidates_of(overlap_, rule_.partners, world_));
        add_parts();
        if (rule_.reach > 0) {
            auto near = candidates_of(overlap_, {MatchRule::By::distance, rule_.reach}, world_);
            std::erase_if(near, [&](const MatchCandidate& pair) { return linked_a_[place_a_[pair.a]] + linked_b_[place_b_[pair.b]] > 0; });
            add(std::move(near));
        }
        return links();
    }

private:
    using Pair = std::pair<std::size_t, std::size_t>;  // places of an object of A and of an object of B in the order of the labels

    /// The place of each row in an order.
    static std::vector<std::size_t> places_of(const std::vector<std::size_t>& order) {
        std::vector<std::size_t> places(order.size());
        for (std::size_t place = 0; place < order.size(); ++place) places[order[place]] = place;
        return places;
    }

    void add(const Pair& pair, std::uint64_t voxels) {
        if (voxels_.emplace(pair, voxels).second) ++linked_a_[pair.first], ++linked_b_[pair.second];
    }

    /// Adds the partners that are chosen from candidates.
    void add(std::vector<MatchCandidate> candidates) {
        for (MatchCandidate& pair : candidates) pair.a = place_a_[pair.a], pair.b = place_b_[pair.b];
        for (const MatchCandidate& pair : assign(std::move(candidates), rule_.assignment))
            add({pair.a, pair.b}, shared_voxels(overlap_, order_a_[pair.a], order_b_[pair.b]));
    }

    /// The object of the other frame that shares the most voxels with an object.
    struct Cover {
        std::uint64_t voxels = 0;
        std::size_t by = 0;  // place
        /// Ties: the first place.
        void offer(std::uint64_t shared, std::size_t place) {
            if (shared > voxels || (shared == voxels && place < by)) voxels = shared, by = place;
        }
        bool is_part(std::uint64_t own, double inside) const { return voxels > 0 && double(voxels) >= inside * double(own); }
    };

    void add_parts() {
        std::vector<Cover> of_a(order_a_.size()), of_b(order_b_.size());
        for (const SharedVoxels& pair : overlap_.pairs) {
            const std::size_t a = place_a_[pair.a], b = place_b_[pair.b];
            of_a[a].offer(pair.voxels, b), of_b[b].offer(pair.voxels, a);
        }
        const std::vector<std::size_t> partners_a = linked_a_, partners_b = linked_b_;
        for (std::size_t b = 0; b < of_b.size(); ++b)
            if (partners_b[b] == 0 && of_b[b].is_part(overlap_.b[order_b_[b]].n, rule_.inside)) add({of_b[b].by, b}, of_b[b].voxels);
        for (std::size_t a = 0; a < of_a.size(); ++a)
            if (partners_a[a] == 0 && of_a[a].is_part(overlap_.a[order_a_[a]].n, rule_.inside)) add({a, of_a[a].by}, of_a[a].voxels);
    }

    std::vector<FrameLink> links() const {
        std::vector<FrameLink> links;
        for (const auto& [pair, voxels] : voxels_) {
            const bool splits = linked_a_[pair.first] > 1, merges = linked_b_[pair.second] > 1;
            const LinkKind kind = splits && merges ? LinkKind::split_merge
                                  : splits         ? LinkKind::split
                                  : merges         ? LinkKind::merge
                                                   : LinkKind::partner;
            links.push_back({order_a_[pair.first], order_b_[pair.second], voxels, kind});
        }
        return links;
    }

    const LabelOverlap& overlap_;
    const LinkRule& rule_;
    const std::optional<World>& world_;
    std::vector<std::size_t> order_a_, order_b_;    // rows, by place
    std::vector<std::size_t> place_a_, place_b_;    // places, by row
    std::vector<std::size_t> linked_a_, linked_b_;  // number of links, by place
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
