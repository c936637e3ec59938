// LE: label equivalence, in three variants (HLE, KLE and a hybrid of both).
//
// Source: Hawick, Leist, Playne, "Parallel graph component labelling with GPUs and CUDA", 2010 (HLE); Kalentev, Rai, Kemnitz, Schneider,
// "Connected component labeling on a 2D grid using CUDA", 2011 (KLE); both as described by Asad, Marroquim, Souza, "On GPU connected
// components and properties", 2019, sections II-A and V-B, who propose the hybrid, the searches of the first scan and the flag per tile.
// The 3D version is ours.
// Idea: if a voxel has a neighbour with a smaller label, the root of its own label is linked to that label. Then all links are followed to
// their roots. Both steps repeat until no voxel has a neighbour with a smaller label. A flag reports this to the host.
//
//   prelabel    label[i] = i + 1, or 0 for background; HLE: the same in the table of equivalences
//   first scan  as scan, but with its own search and without a flag, because an analysis always follows
//   analysis    every word (HLE: every word of the table that is in use) points to its root
//   update      HLE only: copy the labels from the table
//   scan        parent of own label = the smallest label around, if that label is smaller; then set the flag. All neighbours are searched,
//               because labels are no longer in raster order. If the flag is set: analysis, update, scan again
// Properties (early.h) start with the labels and are gathered after each analysis.
// Memory: the label volume and the flag; HLE: 4 bytes per voxel more.
#pragma once
#include "lab/algorithms/early.h"
#include "lab/algorithms/iterate.h"
#include "lab/algorithms/number.h"
#include "lab/algorithms/sources.h"
#include "lab/algorithms/tiling.h"

#include <string_view>

namespace voxcc::algorithms {

/// Where links between labels are stored, and how.
enum class Equivalences : std::uint8_t {
    table,          // HLE: in a table, by atomic minima; labels do not change during a scan
    plain_stores,   // KLE: in the label volume; if a root gets several links in a scan, one remains and the next scan finds the others
    atomic_minima,  // hybrid: in the label volume; if a root gets several links in a scan, the smallest remains
};

/// The neighbours that the first scan searches for the smallest label.
enum class Search : std::uint8_t {
    full,     // F8: all neighbours
    earlier,  // F4: the neighbours that are earlier in raster order; their labels are the smaller ones in the first scan
    pruned,   // P4: the first earlier neighbour that is foreground
};

/// How a later scan reports that it has stored a link. Both kinds write the same word.
enum class Flag : std::uint8_t {
    global,  // each lane that has stored a link writes the word
    shared,  // each lane that has stored a link writes a flag in shared memory; then one lane per tile writes the word
};

/// The smallest label of the searched neighbours, or 2^32 - 1 if all of them are background.
template <Connectivity K, Search S>
VOXCC_HD inline std::uint32_t smallest_label_around(const exec::Grid& size, exec::Pointer<const std::uint32_t> labels,
                                                    const exec::Cell& c) {
    std::uint32_t smallest = ~std::uint32_t{0};
    VOXCC_UNROLL
    for (int d = 0; d < (S == Search::full ? 27 : 13); ++d) {
        const int dx = d % 3 - 1, dy = d / 3 % 3 - 1, dz = d / 9 - 1;
        if (!is_neighbour(K, dx, dy, dz)) continue;
        const exec::Cell n{c.x + std::uint32_t(dx), c.y + std::uint32_t(dy), c.z + std::uint32_t(dz)};
        if (n.x >= size.x || n.y >= size.y || n.z >= size.z) continue;
        const std::uint32_t label = exec::load(labels + (std::int64_t(n.z) * size.y + n.y) * size.x + n.x);
        if (label == 0) continue;
        if (S == Search::pruned) return label;
        if (label < smallest) smallest = label;
    }
    return smallest;
}

template <Equivalences E, Search FirstSearch, Flag F>
struct LabelEquivalence {
    using Tiles = Tiling<16, 8>;                        // table II of Asad et al.
    static constexpr exec::Lanes scan_lanes{16, 8, 1};  // the same, so that the variants differ only in the flag

    struct Prelabel {
        exec::Pointer<const std::uint8_t> voxels;
        exec::Pointer<std::uint32_t> labels, parents;
        VOXCC_HD void operator()(std::int64_t i) const {
            const std::uint32_t label = voxels[i] ? std::uint32_t(i) + 1 : 0;
            labels[i] = label;
            if constexpr (E == Equivalences::table) parents[i] = label;
        }
    };

    template <Connectivity K, Search S>
    struct Link {
        exec::Grid size;
        exec::Pointer<const std::uint32_t> labels;
        exec::Pointer<std::uint32_t> parents;  // the label volume, or the table
        /// Links the label of voxel c to the smallest label around it. A link always leads to a smaller label. In any order of the stores,
        /// no cycle and no new root can result. Each scan that stores a link therefore reduces the number of roots.
        /// @return whether a link was stored
        VOXCC_HD bool operator()(const exec::Cell& c) const {
            const std::uint32_t own = exec::load(labels + (std::int64_t(c.z) * size.y + c.y) * size.x + c.x);
            if (own == 0) return false;
            const std::uint32_t smallest = smallest_label_around<K, S>(size, labels, c);
            if (smallest >= own) return false;
            if constexpr (E == Equivalences::plain_stores) exec::store(parents + own - 1, smallest);
            else exec::fetch_min(parents + own - 1, smallest);
            return true;
        }
    };

    template <Connectivity K>
    struct FirstScan {
        static constexpr exec::Lanes lanes = scan_lanes;
        Link<K, FirstSearch> link;
        VOXCC_HD void operator()(const exec::Cell& c) const { link(c); }
    };

    template <Connectivity K>
    struct Scan {
        static constexpr exec::Lanes lanes = scan_lanes;
        Link<K, Search::full> link;
        Changed changed;
        VOXCC_HD void operator()(const exec::Cell& c) const {
            if (link(c)) changed();
        }
    };

    struct ScanShared {
        std::uint32_t linked;  // the flag of the tile
    };

    /// The four steps of section V-B.2 of Asad et al.
    template <Connectivity K>
    struct ScanTile {
        Link<K, Search::full> link;
        Changed changed;
        template <class Tile>
        VOXCC_HD void operator()(Tile& tile, std::int64_t t) const {
            const Tiles tiles{link.size};
            const exec::Cell first = tiles.first_voxel(t);
            tile.each([&](int lane) {
                if (lane == 0) tile.shared.linked = 0;
            });
            tile.each([&](int lane) {
                const exec::Cell c = Tiles::voxel(first, lane);
                if (tiles.contains(c) && link(c)) exec::store(&tile.shared.linked, 1);
            });
            tile.each([&](int lane) {
                if (lane == 0 && tile.shared.linked != 0) changed();
            });
        }
    };

    /// Flattens all words of the label volume, or the words of the table that are in use. The other words of the table are not read again.
    struct Analysis {
        exec::Pointer<const std::uint32_t> labels;
        exec::Pointer<std::uint32_t> parents;
        VOXCC_HD void operator()(std::int64_t i) const {
            if (E == Equivalences::table && labels[i] != std::uint32_t(i) + 1) return;
            compress<Compression::plain>(parents, i);
        }
    };

    struct Update {
        exec::Pointer<std::uint32_t> labels;
        exec::Pointer<const std::uint32_t> parents;
        VOXCC_HD void operator()(std::int64_t i) const {
            if (const std::uint32_t label = labels[i]) labels[i] = parents[label - 1];
        }
    };

    template <class Executor>
    static void analyse(Executor& executor, const Problem& p, exec::Pointer<std::uint32_t> parents, EarlyMoments<Executor>& moments) {
        executor.for_each("analysis", p.size.cells(), Analysis{p.labels, parents});
        if constexpr (E == Equivalences::table) executor.for_each("update", p.size.cells(), Update{p.labels, parents});
        moments.gather();
    }

    template <Connectivity K, class Executor>
    static void scan(Executor& executor, const Problem& p, exec::Pointer<std::uint32_t> parents, Changed changed) {
        const Link<K, Search::full> link{p.size, p.labels, parents};
        if constexpr (F == Flag::global) executor.for_each("scan", p.size, Scan<K>{link, changed});
        else executor.template for_each_tile<Tiles::lanes, ScanShared>("scan", Tiles{p.size}.tiles(), ScanTile<K>{link, changed});
    }

    template <class Executor>
    static std::uint32_t run(Executor& executor, const Problem& p, EarlyMoments<Executor>& moments) {
        {
            exec::Array<std::uint32_t> table(executor.memory(), E == Equivalences::table ? p.size.cells() : 0);
            const exec::Pointer<std::uint32_t> parents = E == Equivalences::table ? table.data() : p.labels;
            executor.for_each("prelabel", p.size.cells(), Prelabel{p.voxels, p.labels, parents});
            moments.start();
            visit_connectivity(p.connectivity, [&]<Connectivity K> {
                executor.for_each("first scan", p.size, FirstScan<K>{{p.size, p.labels, parents}});
                until_stable(executor, [&](Changed changed) {
                    analyse(executor, p, parents, moments);
                    scan<K>(executor, p, parents, changed);
                });
            });
        }
        return number_voxels(executor, p);
    }
};

inline constexpr std::string_view hawick = "Hawick, Leist, Playne, Parallel graph component labelling with GPUs and CUDA, 2010";
inline constexpr std::string_view asad = "Asad, Marroquim, Souza, On GPU connected components and properties, 2019";

struct LeHle : LabelEquivalence<Equivalences::table, Search::full, Flag::global> {
    static constexpr std::string_view name = "le-hle", source = hawick;
    static constexpr std::string_view origin = "Asad, Marroquim, Souza 2019, section II-A, after Hawick, Leist, Playne 2010";
};

struct LeKle : LabelEquivalence<Equivalences::plain_stores, Search::full, Flag::global> {
    static constexpr std::string_view name = "le-kle", source = kalentev;
    static constexpr std::string_view origin = "Asad, Marroquim, Souza 2019, section II-A, after Kalentev et al. 2011";
};

struct LeKleF4 : LabelEquivalence<Equivalences::plain_stores, Search::earlier, Flag::global> {
    static constexpr std::string_view name = "le-kle-f4", source = kalentev;
    static constexpr std::string_view origin = "ours: le-kle with the first scan F4 of Asad, Marroquim, Souza 2019, section V-B";
};

struct LeKleP4 : LabelEquivalence<Equivalences::plain_stores, Search::pruned, Flag::global> {
    static constexpr std::string_view name = "le-kle-p4", source = kalentev;
    static constexpr std::string_view origin = "ours: le-kle with the first scan P4 of Asad, Marroquim, Souza 2019, section V-B";
};

struct LeHybrid : LabelEquivalence<Equivalences::atomic_minima, Search::earlier, Flag::shared> {
    static constexpr std::string_view name = "le-hybrid", source = asad;
    static constexpr std::string_view origin = "Asad, Marroquim, Souza 2019, section V-B";
};

struct LeHybridF8 : LabelEquivalence<Equivalences::atomic_minima, Search::full, Flag::shared> {
    static constexpr std::string_view name = "le-hybrid-f8", source = asad;
    static constexpr std::string_view origin = "Asad, Marroquim, Souza 2019, figure 5";
};

struct LeHybridP4 : LabelEquivalence<Equivalences::atomic_minima, Search::pruned, Flag::shared> {
    static constexpr std::string_view name = "le-hybrid-p4", source = asad;
    static constexpr std::string_view origin = "Asad, Marroquim, Souza 2019, figure 5";
};

struct LeHybridGlobal : LabelEquivalence<Equivalences::atomic_minima, Search::earlier, Flag::global> {
    static constexpr std::string_view name = "le-hybrid-global", source = asad;
    static constexpr std::string_view origin = "Asad, Marroquim, Souza 2019, figure 6";
};

}  // namespace voxcc::algorithms
