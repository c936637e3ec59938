// Late computation of properties: sums over the final labels, into one slot per component.
//
// Source: Asad, Marroquim, Souza, "On GPU connected components and properties", 2019, section III-D. In the paper, each voxel adds its
// moments to the slot of its component.
// Our version: each lane reads a column of voxels along y and sums in registers while the label stays the same. The coordinates x and z
// are constant in a column, so that a count and two sums are sufficient. Then the lanes of a tile combine, pair by pair, the sums that have
// the same label. A sum that cannot be combined goes to its slot, with one atomic operation per value. A large component therefore needs
// few atomic operations on its slot, where all threads would otherwise contend.
// Memory: per component 48 bytes in 2D, 80 bytes in 3D, and 24 bytes for the box.
#pragma once
#include "kernels3d/on_voxels/properties.h"

namespace voxcc::algorithms {

/// Cuts the volume into columns of at most `height` voxels along y. Columns are numbered along x first, then y, then z.
struct Columns {
    static constexpr std::uint32_t height = 32;
    exec::Grid size;

    VOXCC_HD std::uint32_t pieces() const { return size.y / height + (size.y % height != 0); }
    VOXCC_HD std::int64_t count() const { return exec::Grid{size.x, pieces(), size.z}.cells(); }
    /// The first voxel of a column.
    VOXCC_HD exec::Cell of(std::int64_t column) const {
        const std::int64_t row = column / size.x;
        return {std::uint32_t(column % size.x), std::uint32_t(row % pieces()) * height, std::uint32_t(row / pieces())};
    }
};

/// Phase: adds the voxels of `lanes` columns per tile to the slots.
template <int D>
struct SumColumns {
    static constexpr int lanes = 128;
    struct Shared {
        std::uint32_t label[lanes];  // label of part[lane]; 0 if the lane has no part
        Part<D> part[lanes];
    };

    Columns columns;
    exec::Pointer<const std::uint32_t> labels;
    Slots<D> slots;

    /// Adds up the voxels of one column. The sum of its last label stays in `shared`; the sums of the other labels go to their slots.
    VOXCC_HD void walk(Shared& shared, int lane, std::int64_t column) const {
        shared.label[lane] = 0;
        if (column >= columns.count()) return;
        const exec::Grid& size = columns.size;
        const exec::Cell first = columns.of(column);
        exec::Pointer<const std::uint32_t> from = labels + (std::int64_t(first.z) * size.y + first.y) * size.x + first.x;
        std::uint32_t label = 0;
        Line line;
        for (std::uint32_t y = first.y; y < size.y && y - first.y < Columns::height; ++y, from += size.x) {
            if (*from == 0) continue;
            if (*from != label) {
                if (label != 0) slots.add(label, part_of_line<1, D>(line, first));
                label = *from;
                line = {};
            }
            line.append(y);
        }
        shared.label[lane] = label;
        if (label != 0) shared.part[lane] = part_of_line<1, D>(line, first);
    }
    /// Combines the part of lane `from` with the part of lane `to`. If their labels differ, the part of `from` goes to its slot.
    VOXCC_HD void merge(Shared& shared, int to, int from) const {
        if (shared.label[from] == 0) return;
        if (shared.label[to] == 0) {
            shared.label[to] = shared.label[from];
            shared.part[to] = shared.part[from];
        } else if (shared.label[to] == shared.label[from]) {
            shared.part[to].add(shared.part[from]);
        } else {
            slots.add(shared.label[from], shared.part[from]);
        }
    }

    template <class Tile>
    VOXCC_HD void operator()(Tile& tile, std::int64_t t) const {
        tile.each([&](int lane) { walk(tile.shared, lane, t * lanes + lane); });
        for (int apart = 1; apart < lanes; apart *= 2)
            tile.each([&](int lane) {
                if (lane % (2 * apart) == 0) merge(tile.shared, lane, lane + apart);
            });
        tile.each([&](int lane) {
            if (lane == 0 && tile.shared.label[0] != 0) slots.add(tile.shared.label[0], tile.shared.part[0]);
        });
    }
};

/// Adds all voxels of the label volume to the slots of their components.
/// @param problem `labels` must hold the final labels
/// @param slots must hold zero moments and empty boxes; label k has slot k - 1
template <int D, class Executor>
void sum_columns(Executor& executor, const Problem& problem, const Slots<D>& slots) {
    using Sum = SumColumns<D>;
    const Columns columns{problem.size};
    executor.template for_each_tile<Sum::lanes, typename Sum::Shared>("properties", (columns.count() + Sum::lanes - 1) / Sum::lanes,
                                                                      Sum{columns, problem.labels, slots});
}

}  // namespace voxcc::algorithms
