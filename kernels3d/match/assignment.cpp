#include <voxcc/match.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <queue>
#include <unordered_map>

namespace voxcc {
namespace {

constexpr std::size_t nobody = ~std::size_t{0};

bool is_before(const MatchCandidate& l, const MatchCandidate& r) { return std::pair(l.a, l.b) < std::pair(r.a, r.b); }

/// The best first; ties: the first in the order of (a, b).
bool is_better(const MatchCandidate& l, const MatchCandidate& r) { return l.score != r.score ? l.score > r.score : is_before(l, r); }

/// Replaces objects by numbers 0, 1, ... in their order. @return the number of each object
std::unordered_map<std::size_t, std::size_t> numbered(const std::vector<MatchCandidate>& candidates, std::size_t MatchCandidate::*side) {
    std::vector<std::size_t> objects;
    for (const MatchCandidate& candidate : candidates) objects.push_back(candidate.*side);
    std::ranges::sort(objects);
    objects.erase(std::unique(objects.begin(), objects.end()), objects.end());
    std::unordered_map<std::size_t, std::size_t> numbers;
    for (std::size_t number = 0; number < objects.size(); ++number) numbers.emplace(objects[number], number);
    return numbers;
}

/// Finds the one-to-one assignment with the largest sum of the scores. The cost of a pair is -score. Each object of A can also stay without
/// a partner, at the cost 0. Objects of A are added one by one: the cheapest change of the assignment is the shortest path, by reduced
/// costs, from the new object to an object of B without a partner, or to an object of A that loses its partner.
class OptimalAssignment {
public:
    /// @param candidates in the order of is_before()
    explicit OptimalAssignment(const std::vector<MatchCandidate>& candidates) {
        const auto of_a = numbered(candidates, &MatchCandidate::a), of_b = numbered(candidates, &MatchCandidate::b);
        edges_.resize(of_a.size());
        for (std::size_t i = 0; i < candidates.size(); ++i)
            edges_[of_a.at(candidates[i].a)].push_back({of_b.at(candidates[i].b), -candidates[i].score, i});
        partner_of_b_.assign(of_b.size(), nobody), chosen_of_a_.assign(of_a.size(), nobody);
        potential_a_.assign(of_a.size(), 0), potential_b_.assign(of_b.size(), 0);
        distance_.resize(of_b.size()), before_.resize(of_b.size()), edge_to_.resize(of_b.size());
        visit_.assign(of_b.size(), 0);
        for (std::size_t a = 0; a < edges_.size(); ++a) {
            // So that all reduced costs are at least 0. Staying alone costs 0.
            for (const Edge& edge : edges_[a]) potential_a_[a] = std::min(potential_a_[a], edge.cost - potential_b_[edge.b]);
            add(a);
        }
    }
    /// Whether candidate i is chosen, by its position.
    std::vector<bool> chosen(std::size_t candidates) const {
        std::vector<bool> chosen(candidates, false);
        for (const std::size_t i : chosen_of_a_)
            if (i != nobody) chosen[i] = true;
        return chosen;
    }

private:
    struct Edge {
        std::size_t b;
        double cost;
        std::size_t candidate;
    };
    using Entry = std::pair<double, std::size_t>;  // distance, object of B

    void add(std::size_t start) {
        ++visits_;
        std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
        std::vector<Entry> closed;
        // The end of the shortest path so far: an object of A that stays alone.
        double shortest = -potential_a_[start];
        std::size_t alone = start, alone_after = nobody;
        const auto relax = [&](std::size_t a, double reached, std::size_t before) {
            for (const Edge& edge : edges_[a]) {
                const double distance = reached + std::max(0.0, edge.cost - potential_a_[a] - potential_b_[edge.b]);
                if (visit_[edge.b] == visits_ && distance >= distance_[edge.b]) continue;
                visit_[edge.b] = visits_;
                distance_[edge.b] = distance, before_[edge.b] = before, edge_to_[edge.b] = edge.candidate;
                open.emplace(distance, edge.b);
            }
        };
        relax(start, 0, nobody);
        std::size_t end = nobody;
        while (!open.empty()) {
            const auto [distance, b] = open.top();
            open.pop();
            if (distance > distance_[b]) continue;
            if (distance > shortest) break;  // at equal sums, an object gets a partner
            const std::size_t partner = partner_of_b_[b];
            if (partner == nobody) {
                end = b, shortest = distance;
                break;
            }
            closed.emplace_back(distance, b);
            if (const double lonely = distance - potential_a_[partner]; lonely < shortest)
                shortest = lonely, alone = partner, alone_after = b;
            relax(partner, distance, b);
        }
        update(start, closed, shortest);
        exchange(start, end != nobody ? end : alone_after, end != nobody ? nobody : alone);
    }
    void update(std::size_t start, const std::vector<Entry>& closed, double shortest) {
        potential_a_[start] += shortest;
        for (const auto& [distance, b] : closed) {
            if (distance >= shortest) continue;
            potential_b_[b] -= shortest - distance;
            potential_a_[partner_of_b_[b]] += shortest - distance;
        }
    }
    /// Changes the partners along the path that ends at object b of B. @param alone the object of A that loses its partner b
    void exchange(std::size_t start, std::size_t b, std::size_t alone) {
        if (b == nobody) return;  // the new object stays alone
        if (alone != nobody) chosen_of_a_[alone] = nobody;
        while (b != nobody) {
            const std::size_t before = before_[b], a = before == nobody ? start : partner_of_b_[before];
            chosen_of_a_[a] = edge_to_[b], partner_of_b_[b] = a;
            b = before;
        }
    }

    std::vector<std::vector<Edge>> edges_;  // of the objects of A
    std::vector<std::size_t> partner_of_b_, chosen_of_a_;
    std::vector<double> potential_a_, potential_b_;
    // Of the search for one object, by object of B, valid where visit_ is visits_: the length of the path, the object of B before it, and
    // the candidate on the path to it.
    std::vector<double> distance_;
    std::vector<std::size_t> before_, edge_to_;
    std::vector<std::uint64_t> visit_;
    std::uint64_t visits_ = 0;
};

std::vector<MatchCandidate> optimal(const std::vector<MatchCandidate>& candidates) {
    const std::vector<bool> is_chosen = OptimalAssignment(candidates).chosen(candidates.size());
    std::vector<MatchCandidate> chosen;
    for (std::size_t i = 0; i < candidates.size(); ++i)
        if (is_chosen[i]) chosen.push_back(candidates[i]);
    return chosen;
}

/// @param sides the objects of these sides have at most one partner
std::vector<MatchCandidate> best_first(std::vector<MatchCandidate> candidates, std::span<std::size_t MatchCandidate::*const> sides) {
    std::ranges::sort(candidates, is_better);
    std::vector<std::unordered_map<std::size_t, bool>> has_partner(sides.size());
    std::vector<MatchCandidate> chosen;
    for (const MatchCandidate& candidate : candidates) {
        bool is_free = true;
        for (std::size_t side = 0; side < sides.size(); ++side) is_free = is_free && !has_partner[side].contains(candidate.*sides[side]);
        if (!is_free) continue;
        for (std::size_t side = 0; side < sides.size(); ++side) has_partner[side].emplace(candidate.*sides[side], true);
        chosen.push_back(candidate);
    }
    std::ranges::sort(chosen, is_before);
    return chosen;
}

}  // namespace

std::vector<MatchCandidate> assign(std::vector<MatchCandidate> candidates, Assignment assignment) {
    std::ranges::sort(candidates, is_before);
    constexpr std::array both{&MatchCandidate::a, &MatchCandidate::b};
    switch (assignment) {
        case Assignment::optimal: return optimal(candidates);
        case Assignment::greedy: return best_first(std::move(candidates), both);
        case Assignment::many: return best_first(std::move(candidates), std::span(both).last(1));
    }
    return {};
}

}  // namespace voxcc
