// Ziegler: labels gathered from neighbours, from the ends of straight runs, and from masters.
//
// Source: Ziegler, Rasmusson, "Efficient volume segmentation on the GPU", GTC 2010 (slides): "Simple Algorithm" and "Optimized Algorithm".
// Idea: every voxel takes the best label of the neighbours it is connected to, until nothing changes (1-gather). Links let it look at the
// furthest voxel of the straight run in each direction, too (max-gather), though not alone: they can jump over voxels. Masters: a label
// names the voxel from which it comes; when that one's label improves, all that have its label follow at once.
// A label is 1 + the index of a voxel and the smaller one is the better: the slides' order, mirrored, ends at the first voxel.
//
//   init       label[i] = i + 1, or 0 for voxels that take no part
//   links      for each direction, 1 where the neighbour is connected, else 0; then, log2 of the longest edge times, link[i] += the link of
//              the voxel where link[i] leads
//   propagate  the best label of: itself, the neighbours, the ends of links, its master; until nothing changes
// Memory: the label volume and one word; with links 2 bytes a voxel and direction (4 to 26 of them).
#pragma once
#include "kernels3d/algorithms/iterate.h"
#include "kernels3d/algorithms/number.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>

namespace voxcc::algorithms {

/// The connectivity criteria of the slides: what takes part, and which neighbours among that are connected.
struct BothForeground {
    exec::Pointer<const std::uint8_t> voxels;
    VOXCC_HD bool takes_part(std::int64_t i) const { return voxels[i] != 0; }
    VOXCC_HD bool connected(std::int64_t i, std::int64_t j) const { return voxels[i] != 0 && voxels[j] != 0; }
};

/// Equal values, or a step of the values that is not above a threshold.
struct ValuesWithin {
    exec::Pointer<const std::uint8_t> voxels;
    Values values;
    VOXCC_HD bool takes_part(std::int64_t i) const { return voxels[i] != 0; }
    VOXCC_HD bool connected(std::int64_t i, std::int64_t j) const {
        if (voxels[i] == 0 || voxels[j] == 0) return false;
        const std::uint64_t a = values.of[i], b = values.of[j];
        if (values.kind == Values::Kind::whole) return (a < b ? b - a : a - b) <= values.most;
        const double x = real(a), y = real(b);
        return x == y || fabs(x - y) <= real(values.most);  // infinities are equal, though their difference is no number
    }

private:
    VOXCC_HD static double real(std::uint64_t bits) {
        double number;
        memcpy(&number, &bits, sizeof number);
        return number;
    }
};

enum class ZieglerSteps : std::uint8_t { gather, links, links_and_masters };

template <ZieglerSteps S, class Joined>
struct ZieglerPhases {
    using Link = std::uint16_t;  // voxels to the end of the run; a longer run is cut, which costs passes but changes nothing
    static constexpr bool has_links = S != ZieglerSteps::gather;

    struct Init {
        Joined joined;
        exec::Pointer<std::uint32_t> labels;
        VOXCC_HD void operator()(std::int64_t i) const { labels[i] = joined.takes_part(i) ? std::uint32_t(i) + 1 : 0; }
    };

    /// Calls f(direction, step to the neighbour, whether it lies inside) for all neighbours.
    template <Connectivity K, class F>
    VOXCC_HD static void for_directions(const exec::Grid& size, const exec::Cell& c, const F& f) {
        int direction = 0;
        VOXCC_UNROLL
        for (int d = 0; d < 27; ++d) {
            const int dx = d % 3 - 1, dy = d / 3 % 3 - 1, dz = d / 9 - 1;
            if (!is_neighbour(K, dx, dy, dz)) continue;
            const bool inside = c.x + std::uint32_t(dx) < size.x && c.y + std::uint32_t(dy) < size.y && c.z + std::uint32_t(dz) < size.z;
            f(direction++, (std::int64_t(dz) * size.y + dy) * size.x + dx, inside);
        }
    }
    VOXCC_HD static std::int64_t at(const exec::Grid& size, const exec::Cell& c) {
        return (std::int64_t(c.z) * size.y + c.y) * size.x + c.x;
    }

    template <Connectivity K>
    struct InitLinks {
        exec::Grid size;
        Joined joined;
        exec::Pointer<Link> links;  // [direction][z][y][x]; those of background are never read, so they are left as they are
        VOXCC_HD void operator()(exec::Cell c) const {
            const std::int64_t i = at(size, c), n = size.cells();
            if (!joined.takes_part(i)) return;
            for_directions<K>(size, c, [&](int direction, std::int64_t step, bool inside) {
                links[direction * n + i] = inside && joined.connected(i, i + step);
            });
        }
    };

    /// In place: whichever version of the other link is read, it leads along the same run, and it is at least that of the pass before.
    template <Connectivity K>
    struct ExtendLinks {
        exec::Grid size;
        Joined joined;
        exec::Pointer<Link> links;
        VOXCC_HD void operator()(exec::Cell c) const {
            const std::int64_t i = at(size, c), n = size.cells();
            if (!joined.takes_part(i)) return;
            for_directions<K>(size, c, [&](int direction, std::int64_t step, bool) {
                const exec::Pointer<Link> link = links + direction * n + i;
                const std::uint32_t length = exec::load(link);
                if (length == 0) return;
                const std::uint32_t sum = length + exec::load(link + length * step);
                if (sum != length && length != 0xffff) exec::store(link, Link(sum < 0xffff ? sum : 0xffff));
            });
        }
    };

    template <Connectivity K>
    struct Propagate {
        exec::Grid size;
        Joined joined;
        exec::Pointer<std::uint32_t> labels;
        exec::Pointer<const Link> links;
        Changed changed;
        VOXCC_HD void operator()(exec::Cell c) const {
            const std::int64_t i = at(size, c), n = size.cells();
            const std::uint32_t before = exec::load(labels + i);
            if (before == 0) return;
            std::uint32_t best = before;
            const auto gather = [&](std::int64_t from) {
                const std::uint32_t label = exec::load(labels + from);
                if (label < best) best = label;
            };
            for_directions<K>(size, c, [&](int direction, std::int64_t step, bool inside) {
                if constexpr (has_links) {
                    const std::int64_t length = links[direction * n + i];
                    if (length > 0) gather(i + step);
                    if (length > 1) gather(i + length * step);
                } else {
                    if (inside && joined.connected(i, i + step)) gather(i + step);
                }
            });
            if constexpr (S == ZieglerSteps::links_and_masters)
                if (best != std::uint32_t(i) + 1) gather(std::int64_t(best) - 1);  // its master
            if (best == before) return;
            exec::store(labels + i, best);  // no other thread writes this word
            changed();
        }
    };

    template <Connectivity K>
    static constexpr int directions() {
        int count = 0;
        for (int d = 0; d < 27; ++d) count += is_neighbour(K, d % 3 - 1, d / 3 % 3 - 1, d / 9 - 1);
        return count;
    }

    template <class Executor>
    static auto run(Executor& executor, const Problem& p, const Joined& joined) {
        executor.for_each("init", p.size.cells(), Init{joined, p.labels});
        visit_connectivity(p.connectivity, [&]<Connectivity K> {
            exec::Array<Link> links;
            if (has_links) {
                links = exec::Array<Link>(executor.memory(), directions<K>() * p.size.cells());
                executor.for_each("links", p.size, InitLinks<K>{p.size, joined, links.data()});
                const std::uint32_t edge = std::max({p.size.x, p.size.y, p.size.z});
                for (std::uint32_t reach = 1; reach < edge - 1 && reach < 0xffff; reach *= 2)
                    executor.for_each("links", p.size, ExtendLinks<K>{p.size, joined, links.data()});
            }
            until_stable(executor, [&](Changed changed) {
                executor.for_each("propagate", p.size, Propagate<K>{p.size, joined, p.labels, links.data(), changed});
            });
        });
        return number_voxels(executor, p);
    }
};

template <ZieglerSteps S>
struct Ziegler {
    static constexpr std::array rules{Rule::foreground, Rule::equal_values, Rule::gradient};

    template <class Executor>
    static std::uint32_t run(Executor& executor, const Problem& p) {
        if (p.values.kind == Values::Kind::none) return ZieglerPhases<S, BothForeground>::run(executor, p, {p.voxels});
        return ZieglerPhases<S, ValuesWithin>::run(executor, p, {p.voxels, p.values});
    }
};

inline constexpr std::string_view ziegler_2010 = "Ziegler, Rasmusson, Efficient volume segmentation on the GPU, 2010";

struct ZieglerGather : Ziegler<ZieglerSteps::gather> {
    static constexpr std::string_view name = "ziegler-gather", source = ziegler_2010;
};

struct ZieglerLinks : Ziegler<ZieglerSteps::links> {
    static constexpr std::string_view name = "ziegler-links", source = ziegler_2010;
};

struct ZieglerMasterSlave : Ziegler<ZieglerSteps::links_and_masters> {
    static constexpr std::string_view name = "ziegler-master-slave", source = ziegler_2010;
};

}  // namespace voxcc::algorithms
