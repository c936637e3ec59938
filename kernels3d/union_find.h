// Union-find over ids whose parent is never younger: the root of a set is its smallest id.
#pragma once
#include <atomic>
#include <utility>

namespace voxcc {

/// Rem's algorithm with splicing (Dijkstra, A Discipline of Programming, 1976): climbs from both sides at once, always from the
/// younger parent, and shortens the way it goes. One thread.
template <class Id>
[[gnu::always_inline]] inline void unite(Id* parent, Id a, Id b) {
    Id pa = parent[a], pb = parent[b];
    while (pa != pb) {
        if (pa < pb) {
            std::swap(a, b);
            std::swap(pa, pb);
        }
        parent[a] = pb;
        if (a == pa) return;
        a = pa;
        pa = parent[a];
    }
}

/// The same for ids that other threads unite at the same time: links roots by compare-and-swap, shortens nothing.
template <class Id>
void unite_shared(Id* parent, Id a, Id b) {
    const auto at = [parent](Id i) { return std::atomic_ref<Id>(parent[i]); };
    for (;;) {
        for (Id p; (p = at(a).load(std::memory_order_relaxed)) != a;) a = p;
        for (Id p; (p = at(b).load(std::memory_order_relaxed)) != b;) b = p;
        if (a == b) return;
        if (a < b) std::swap(a, b);
        if (at(a).compare_exchange_strong(a, b)) return;
    }
}

}  // namespace voxcc
