// DLP: distanceless label propagation.
//
// Source: Cabaret, Lacassagne, Etiemble, "Distanceless label propagation: an efficient direct connected component labeling algorithm for
// GPUs", 2017; as described by Allegretti, Bolelli, Grana 2019, section 3.2. The original has connectivity 8; connectivity 4 is ours.
// Idea: the labels of every 2x2 square of voxels (squares overlap) are joined with the smallest of these labels. If a join replaces an
// older link, the two ends of that link are joined next, until no link is replaced. The search for a root is never needed.
//
//   init       label[i] = i + 1, or 0 for background
//   propagate  join the labels of a square with the smallest of them
//   compress   every voxel points to its root
// Memory: the label volume.
#pragma once
#include "kernels3d/algorithms/number.h"

#include <array>
#include <string_view>

namespace voxcc::algorithms {

struct LabelPropagation {
    struct Init {
        exec::Pointer<const std::uint8_t> voxels;
        exec::Pointer<std::uint32_t> labels;
        VOXCC_HD void operator()(std::int64_t i) const { labels[i] = voxels[i] ? std::uint32_t(i) + 1 : 0; }
    };

    /// Joins two labels of one component; the paper's recursion is a loop here. Thread-safe.
    /// fetch_min can replace an older link from `label` to `old`. The loop then joins `old` and the new value, so that no link is lost.
    /// Both values are smaller than `label`. The loop therefore ends.
    VOXCC_HD static void join(exec::Pointer<std::uint32_t> labels, std::uint32_t label, std::uint32_t smallest) {
        while (label != smallest) {
            if (exec::load(labels + label - 1) == smallest) return;  // a replaced link is joined by its replacer
            const std::uint32_t old = exec::fetch_min(labels + label - 1, smallest);
            if (old == label) return;  // it was a root: no link was replaced
            label = old < smallest ? smallest : old;
            smallest = old < smallest ? old : smallest;
        }
    }

    /// Processes the square whose last voxel x is the cell:
    ///   a b
    ///   c x
    template <Connectivity K>
    struct Propagate {
        exec::Grid size;
        exec::Pointer<std::uint32_t> labels;
        VOXCC_HD void operator()(exec::Cell cell) const {
            const std::int64_t i = (std::int64_t(cell.z) * size.y + cell.y) * size.x + cell.x;
            const bool has_left = cell.x > 0, has_above = cell.y > 0;
            const std::uint32_t x = exec::load(labels + i);
            if (K == Connectivity::c4 && x == 0) return;
            const std::uint32_t b = has_above ? exec::load(labels + i - size.x) : 0;
            const std::uint32_t c = has_left ? exec::load(labels + i - 1) : 0;
            std::uint32_t a = has_left && has_above ? exec::load(labels + i - size.x - 1) : 0;
            if (x == 0 && (a != 0 || b == 0 || c == 0)) return;  // other squares make the same joins
            if (K == Connectivity::c4 && b == 0 && c == 0) a = 0;
            // The smaller label; the unsigned subtraction makes background, 0, the largest value.
            const auto least = [](std::uint32_t p, std::uint32_t q) { return p - 1 < q - 1 ? p : q; };
            const std::uint32_t smallest = least(least(a, b), least(c, x));
            if (x != 0) join(labels, x, smallest);
            if (c != 0) join(labels, c, smallest);
            if (b != 0) join(labels, b, smallest);
            if (K == Connectivity::c8 && a != 0) join(labels, a, smallest);
        }
    };

    template <class Executor>
    static std::uint32_t run(Executor& executor, const Problem& p) {
        executor.for_each("init", p.size.cells(), Init{p.voxels, p.labels});
        if (p.connectivity == Connectivity::c4) executor.for_each("propagate", p.size, Propagate<Connectivity::c4>{p.size, p.labels});
        else executor.for_each("propagate", p.size, Propagate<Connectivity::c8>{p.size, p.labels});
        executor.for_each("compress", p.size.cells(), CompressWords<Compression::plain>{p.labels});
        return number_voxels(executor, p);
    }
};

inline constexpr std::string_view cabaret =
    "Cabaret, Lacassagne, Etiemble, Distanceless label propagation: an efficient direct connected component labeling algorithm for GPUs, "
    "2017";

struct Dlp : LabelPropagation {
    static constexpr std::string_view name = "dlp", source = cabaret;
    static constexpr std::string_view origin =
        "Hennequin, Lacassagne, Cabaret, Meunier 2018, section II-B, after Cabaret, Lacassagne, Etiemble 2017";
    static constexpr std::array connectivities{Connectivity::c4, Connectivity::c8};
};

}  // namespace voxcc::algorithms
