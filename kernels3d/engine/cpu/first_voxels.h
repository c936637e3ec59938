// Ranks components by their first voxels. If a block-row has several rows, the order of block-runs does not give this order.
//
// A unit is a layer of two slices, or a block-row of two rows. Only runs of components that start in the unit are examined. The first
// voxel of such a component is the smallest of the first voxels of its runs. No two components have the same first voxel, so a bitmap of
// first voxels ranks the components without sorting. A second bitmap marks the words in use of the first bitmap. So units with few
// components take little time.
#pragma once
#include "kernels3d/engine/cpu/runs.h"

#include <algorithm>

namespace voxcc::block_runs {

/// @tparam RY, RZ number of rows of the cross-section in y and z
template <int RY, int RZ, class Id>
class FirstVoxels {
public:
    explicit FirstVoxels(const Layout& l) : layout_(l), part_(std::size_t(most_parts())), column_(std::size_t(most_parts())) {}

    /// Number of block-rows per unit.
    int64_t unit() const { return RZ > 1 ? layout_.rows : 1; }

    /// Numbers the components that start in a unit from `known` + 1 on, and labels their runs.
    /// @param first, end block-rows of the unit, which must lie in the share
    /// @param known number of components before the unit
    VOXCC_INLINE void number(Runs<Id>& runs, const Share<Id>& share, int64_t first, int64_t end, Id known) {
        first_id_ = runs.first_id(first);
        const int64_t rows =
            RZ > 1 ? std::min<int64_t>(RZ, layout_.extent.nz) * layout_.extent.ny : std::min<int64_t>(RY, layout_.extent.ny);
        const Id nowhere = Id(rows * layout_.extent.nx);
        place_.assign(std::size_t(runs.end_id(share, end - 1) - first_id_), nowhere);
        born_.clear();
        for (int64_t at = first; at < end; ++at) look_through(runs, share, at);

        const std::size_t words = std::size_t(nowhere) / 64 + 1;
        if (marks_.size() < words) marks_.resize(words, 0), before_.resize(words, 0), used_.resize(words / 64 + 1, 0);
        const Id* const parent = runs.parent.data();
        Id* const label = runs.label.data();
        for (const Id run : born_) {
            const Id place = place_[std::size_t(parent[run] - first_id_)];
            marks_[place / 64] |= uint64_t{1} << place % 64;
            used_[place / 4096] |= uint64_t{1} << place / 64 % 64;
        }
        for_each_used(
            words, [&](std::size_t w) __attribute__((always_inline)) {
                before_[w] = known;
                known += Id(std::popcount(marks_[w]));
            });
        for (const Id run : born_) {
            const Id place = place_[std::size_t(parent[run] - first_id_)];
            label[run] = before_[place / 64] + Id(std::popcount(marks_[place / 64] << (63 - place % 64)));
        }
        for_each_used(
            words, [&](std::size_t w) __attribute__((always_inline)) { marks_[w] = 0; });
        std::fill_n(used_.begin(), words / 64 + 1, uint64_t{0});
    }

private:
    int64_t most_parts() const { return layout_.words * 33; }

    /// Finds the first voxels of the runs of a block-row, if their components start in the unit. A part is the columns of a run in one
    /// word.
    VOXCC_INLINE void look_through(const Runs<Id>& runs, const Share<Id>& share, int64_t at) {
        constexpr int R = RY * RZ;
        const Id* const parent = runs.parent.data();
        const Id begin = runs.first_id(at), end = runs.end_id(share, at);
        Id youngest = 0;
        for (Id i = begin; i < end; ++i) youngest = std::max(youngest, parent[i]);
        if (youngest < first_id_) return;  // no run belongs to a component that starts in the unit
        const BlockRow<Id> row = runs.row(at);
        std::size_t parts = 0;
        for (int64_t w = 0; w < layout_.words; ++w) {
            uint64_t columns = 0;
            for (int r = 0; r < R; ++r) columns |= row.bits[r * layout_.words + w];
            const uint64_t goes_on = columns & ~row.starts[w] & 1;  // 1 if the last run of the words before continues in this word
            Id run = row.before[w] + Id(goes_on ^ 1);
            for (uint64_t cut = row.starts[w] | goes_on; cut; cut &= cut - 1, ++run) {
                part_[parts] = run;
                column_[parts] = Id(64 * w + std::countr_zero(cut));
                parts += parent[run] >= first_id_;
            }
        }
        for (std::size_t i = 0; i < parts; ++i) {
            const Id run = part_[i], column = column_[i];
            const int64_t w = int64_t(column / 64);
            const uint64_t later = row.starts[w] & ~((uint64_t{2} << column % 64) - 1);
            const uint64_t own = (later & -later) - (uint64_t{1} << column % 64);  // columns from this one up to the next start
            Id place = ~Id{0};
            for (int r = R - 1; r >= 0; --r) {
                const uint64_t bits = row.bits[r * layout_.words + w] & own;
                const Id in_row = first_of_row(at, r) + Id(64 * w + std::countr_zero(bits));
                place = bits ? in_row : place;
            }
            Id& least = place_[std::size_t(parent[run] - first_id_)];
            least = std::min(least, place);
        }
        born_.insert(born_.end(), part_.begin(), part_.begin() + std::ptrdiff_t(parts));
    }
    /// Position of the first voxel of row r of a block-row. Positions number the voxels of the unit in raster order.
    VOXCC_INLINE Id first_of_row(int64_t at, int r) const {
        const int64_t row = RZ > 1 ? r / RY * layout_.extent.ny + at % layout_.rows * RY + r % RY : r;
        return Id(row) * Id(layout_.extent.nx);
    }
    template <class Use>
    VOXCC_INLINE void for_each_used(std::size_t words, const Use& use) {
        for (std::size_t u = 0; u <= (words - 1) / 64; ++u)
            for (uint64_t rest = used_[u]; rest; rest &= rest - 1) use(64 * u + std::size_t(std::countr_zero(rest)));
    }

    const Layout& layout_;
    Id first_id_ = 0;
    std::vector<Id> part_, column_;       // parts of a block-row: run, first column
    std::vector<Id> born_;                // runs of the unit; a run may occur several times
    std::vector<Id> place_;               // [root - first_id_] position of the first voxel of the component
    std::vector<uint64_t> marks_, used_;  // bit per position: is a first voxel; bit per word of marks_: is in use
    std::vector<Id> before_;              // [word of marks_] number of components with a first voxel before the word
};

}  // namespace voxcc::block_runs
