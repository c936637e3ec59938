// Union-find over ids in which a parent is never greater than its child. The root of a set is therefore its smallest id.
//   // parent = [0, 0, 1, 3]  ->  sets {0, 1, 2} with root 0, and {3} with root 3
#pragma once
#include <atomic>
#include <utility>

namespace voxcc {

/// Joins the sets of a and b. Not thread-safe.
/// Rem's algorithm with splicing (Dijkstra, A Discipline of Programming, 1976): in each step, it follows the id with the greater parent,
/// and shortens the path of this id.
/// @param parent [id], each at most its id
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

/// Joins the sets of a and b. Thread-safe: links roots by compare-and-swap, and does not shorten paths.
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
