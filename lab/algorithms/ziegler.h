// Ziegler: each voxel gathers labels from its neighbours, from the ends of straight runs, and from a master voxel.
//
// Source: Ziegler, Rasmusson, "Efficient volume segmentation on the GPU", GTC 2010 (slides): "Simple Algorithm", "Max-gather doesn't
// suffice", "Master/Slave Principle" and "Optimized Algorithm".
// Idea: every voxel takes the best label of its connected neighbours, until nothing changes (1-gather). With links, it also reads the label
// of the furthest voxel of the straight run in each direction (max-gather). With masters, it also reads the label of the voxel that its own
// label refers to. If the label of this master improves, all voxels with the master's label follow in one pass.
// Max-gather without 1-gather is not sufficient, because the links can jump over voxels:
//
//        .  1  .         .  1  .     The label 1 reaches all voxels of the column, because it is at the end of the column. The voxels of
//        4  5  6   ->    4  1  4     the row see only the ends of the row. They need 1-gather to get the label 1.
//        .  8  .         .  1  .
//
// A label is 1 + the index of a voxel; the smaller label is the better one. The slides use the opposite order. With our order, the final
// label refers to the first voxel of the component.
//
//   init        label[i] = i + 1, or 0 for voxels that do not take part
//   links       per direction: link[i] = 1 if the neighbour is connected, else 0. Then, log2(longest edge) times, link[i] += the link of
//               the voxel at which link[i] ends
//   max-gather  label[i] = the best label of the voxel and of the ends of its links; repeat until nothing changes. Only ziegler-max-gather
//               has this phase; its next phase uses no links
//   propagate   label[i] = the best label of the voxel and of the voxels from which the variant gathers: its neighbours, the ends of its
//               links, its master; repeat until nothing changes
// Memory: the label volume and one word; with links, 2 bytes per voxel and direction (4 to 26 directions).
#pragma once
#include "kernels3d/base/near_values.h"
#include "lab/algorithms/iterate.h"
#include "lab/algorithms/number.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>

namespace voxcc::algorithms {

/// Criterion of the slides for Rule::foreground: foreground voxels take part, and all foreground neighbours are connected.
struct BothForeground {
    exec::Pointer<const std::uint8_t> voxels;
    VOXCC_HD bool takes_part(std::int64_t i) const { return voxels[i] != 0; }
    VOXCC_HD bool connected(std::int64_t i, std::int64_t j) const { return voxels[i] != 0 && voxels[j] != 0; }
};

/// The sum of the absolute differences of the four 16-bit channels of two colours.
// 0x0001'0005'0000'0002, 0x0001'0003'0001'0000  ->  0 + 2 + 1 + 2 = 5
VOXCC_HD inline std::uint64_t colour_difference(std::uint64_t a, std::uint64_t b) {
    std::uint64_t sum = 0;
    VOXCC_UNROLL
    for (int channel = 0; channel < 4; ++channel, a >>= 16, b >>= 16) {
        const std::uint64_t x = a & 0xffff, y = b & 0xffff;
        sum += x < y ? y - x : x - y;
    }
    return sum;
}

/// Criterion of the slides for Rule::equal_values, Rule::gradient and Rule::colour: foreground voxels take part, and foreground neighbours
/// are connected if their values differ by at most values.most.
struct ValuesWithin {
    exec::Pointer<const std::uint8_t> voxels;
    Values values;
    VOXCC_HD bool takes_part(std::int64_t i) const { return voxels[i] != 0; }
    VOXCC_HD bool connected(std::int64_t i, std::int64_t j) const {
        if (voxels[i] == 0 || voxels[j] == 0) return false;
        const std::uint64_t a = values.of[i], b = values.of[j];
        if (values.kind == Values::Kind::integer) return (a < b ? b - a : a - b) <= values.most;
        if (values.kind == Values::Kind::colour) return colour_difference(a, b) <= values.most;
        return is_near(real(a), real(b), real(values.most));
    }

private:
    VOXCC_HD static double real(std::uint64_t bits) {
        double number;
        memcpy(&number, &bits, sizeof number);
        return number;
    }
};

/// The voxels from which a voxel gathers labels in a pass, as a set of bits.
using Gather = unsigned;
inline constexpr Gather neighbours = 1;  // 1-gather
inline constexpr Gather link_ends = 2;   // max-gather
inline constexpr Gather masters = 4;

/// @tparam Joined the criterion: BothForeground or ValuesWithin
template <class Joined>
struct ZieglerPhases {
    using Link = std::uint16_t;  // number of voxels to the end of the run, at most 65535; a longer run only takes more passes

    struct Init {
        Joined joined;
        exec::Pointer<std::uint32_t> labels;
        VOXCC_HD void operator()(std::int64_t i) const { labels[i] = joined.takes_part(i) ? std::uint32_t(i) + 1 : 0; }
    };

    /// Calls f(direction, offset of the neighbour in voxels, whether the neighbour is inside the volume) for all neighbours. Directions are
    /// 0, 1, ... in raster order.
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
        exec::Pointer<Link> links;  // [direction][z][y][x]; links of background are never read and stay uninitialised
        VOXCC_HD void operator()(exec::Cell c) const {
            const std::int64_t i = at(size, c), n = size.cells();
            if (!joined.takes_part(i)) return;
            for_directions<K>(size, c, [&](int direction, std::int64_t step, bool inside) {
                links[direction * n + i] = inside && joined.connected(i, i + step);
            });
        }
    };

    /// Extends the links in place. The other link is read in its old or its new state: both lead along the same run, and neither is shorter
    /// than in the pass before.
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

    template <Gather From, Connectivity K>
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
                if constexpr (From & link_ends) {
                    constexpr std::int64_t shortest = From & neighbours ? 2 : 1;  // the end of a link of 1 is the neighbour
                    const std::int64_t length = links[direction * n + i];
                    if ((From & neighbours) && length > 0) gather(i + step);
                    if (length >= shortest) gather(i + length * step);
                } else {
                    if (inside && joined.connected(i, i + step)) gather(i + step);
                }
            });
            if constexpr (From & masters)
                if (best != std::uint32_t(i) + 1) gather(std::int64_t(best) - 1);
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

    template <Connectivity K, class Executor>
    static exec::Array<Link> make_links(Executor& executor, const Problem& p, const Joined& joined) {
        exec::Array<Link> links(executor.memory(), directions<K>() * p.size.cells());
        executor.for_each("links", p.size, InitLinks<K>{p.size, joined, links.data()});
        const std::uint32_t edge = std::max({p.size.x, p.size.y, p.size.z});
        for (std::uint32_t reach = 1; reach < edge - 1 && reach < 0xffff; reach *= 2)
            executor.for_each("links", p.size, ExtendLinks<K>{p.size, joined, links.data()});
        return links;
    }

    /// Repeats a pass with this gathering until nothing changes.
    template <Gather From, Connectivity K, class Executor>
    static void propagate(Executor& executor, const Problem& p, const Joined& joined, exec::Pointer<const Link> links) {
        until_stable(executor, [&](Changed changed) {
            executor.for_each(From == link_ends ? "max-gather" : "propagate", p.size,
                              Propagate<From, K>{p.size, joined, p.labels, links, changed});
        });
    }

    /// @tparam Stages the gatherings, one after the other; the last one must contain `neighbours`
    template <Gather... Stages, class Executor>
    static std::uint32_t run(Executor& executor, const Problem& p, const Joined& joined) {
        executor.for_each("init", p.size.cells(), Init{joined, p.labels});
        visit_connectivity(p.connectivity, [&]<Connectivity K> {
            exec::Array<Link> links;
            if constexpr ((Stages | ...) & link_ends) links = make_links<K>(executor, p, joined);
            (propagate<Stages, K>(executor, p, joined, links.data()), ...);
        });
        return number_voxels(executor, p);
    }
};

template <Gather... Stages>
struct Ziegler {
    static constexpr std::array rules{Rule::foreground, Rule::equal_values, Rule::gradient, Rule::colour};
    static constexpr bool walks_paths = true;

    template <class Executor>
    static std::uint32_t run(Executor& executor, const Problem& p) {
        if (p.values.kind == Values::Kind::none) return ZieglerPhases<BothForeground>::template run<Stages...>(executor, p, {p.voxels});
        return ZieglerPhases<ValuesWithin>::template run<Stages...>(executor, p, {p.voxels, p.values});
    }
};

inline constexpr std::string_view ziegler_2010 = "Ziegler, Rasmusson, Efficient volume segmentation on the GPU, 2010";

struct ZieglerGather : Ziegler<neighbours> {
    static constexpr std::string_view name = "ziegler-gather", source = ziegler_2010;
    static constexpr std::string_view origin = "Ziegler, Rasmusson 2010, slides on 1-gather";
};

struct ZieglerMaxGather : Ziegler<link_ends, neighbours> {
    static constexpr std::string_view name = "ziegler-max-gather", source = ziegler_2010;
    static constexpr std::string_view origin = "Ziegler, Rasmusson 2010, slides on max-gather, completed by 1-gather";
};

struct ZieglerLinks : Ziegler<neighbours | link_ends> {
    static constexpr std::string_view name = "ziegler-links", source = ziegler_2010;
    static constexpr std::string_view origin = "Ziegler, Rasmusson 2010, slides on links, max-gather and 1-gather";
};

struct ZieglerMasters : Ziegler<neighbours | masters> {
    static constexpr std::string_view name = "ziegler-masters", source = ziegler_2010;
    static constexpr std::string_view origin = "Ziegler, Rasmusson 2010, slides on masters and slaves";
};

struct ZieglerMasterSlave : Ziegler<neighbours | link_ends | masters> {
    static constexpr std::string_view name = "ziegler-master-slave", source = ziegler_2010;
    static constexpr std::string_view origin = "Ziegler, Rasmusson 2010, slides on the optimized algorithm: links, masters and slaves";
};

}  // namespace voxcc::algorithms
