#include <voxcc/holes.h>

#include <voxcc/threads.h>
#include "kernels3d/threads/reading.h"

#include <algorithm>
#include <atomic>
#include <limits>

namespace voxcc {
namespace {

/// The least and the largest label around a hole, as numbers in the order of the labels. least > largest: no label.
struct AtomicBounds {
    std::atomic<std::uint64_t> least{std::numeric_limits<std::uint64_t>::max()}, largest{0};

    void add(std::uint64_t number) {
        std::uint64_t before = least.load(std::memory_order_relaxed);
        while (number < before && !least.compare_exchange_weak(before, number, std::memory_order_relaxed)) {
        }
        before = largest.load(std::memory_order_relaxed);
        while (number > before && !largest.compare_exchange_weak(before, number, std::memory_order_relaxed)) {
        }
    }
};

/// Finds the labels that share faces with holes, from the faces of their runs. In a row beside the row of a run, the columns of the run are
/// labels, except the columns of runs of this row.
///
///     run         # # # # # #
///     row beside  7 7 # # # 7 7      labels 7 7 in the columns before the run of this row, 7 after it
template <class T>
class LabelsAround {
public:
    LabelsAround(const HoleRuns& runs, const Extent& extent, const HoleRule& rule, std::vector<AtomicBounds>& around)
        : runs_(runs), extent_(extent), around_(around), wraps_x_(rule.periodic.axes[0] && extent.nx > 1) {
        const bool crosses_slices = rule.connectivity != Connectivity::c4 && rule.connectivity != Connectivity::c8;
        if (extent.ny > 1) axes_.push_back({extent.ny, 1, rule.periodic.axes[1]});
        if (extent.nz > 1 && crosses_slices) axes_.push_back({extent.nz, extent.ny, rule.periodic.axes[2]});
    }

    void add_row(std::int64_t row, const T* labels) const {
        const std::span<const HoleRun> own = runs_[row];
        for (const HoleRun& run : own) add_ends(run, labels);
        for (const RowAxis& axis : axes_) {
            const std::int64_t at = row / axis.stride % axis.extent;
            if (at > 0 || axis.is_periodic) add_beside(runs_[row + (at > 0 ? -1 : axis.extent - 1) * axis.stride], own, labels);
            if (at + 1 < axis.extent || axis.is_periodic)
                add_beside(runs_[row + (at + 1 < axis.extent ? 1 : 1 - axis.extent) * axis.stride], own, labels);
        }
    }

private:
    struct RowAxis {
        std::int64_t extent, stride;  // in rows
        bool is_periodic;
    };

    void add_ends(const HoleRun& run, const T* labels) const {
        if (run.first > 0) add(run.hole, labels[run.first - 1]);
        else if (wraps_x_) add(run.hole, labels[extent_.nx - 1]);
        if (run.end < extent_.nx) add(run.hole, labels[run.end]);
        else if (wraps_x_) add(run.hole, labels[0]);
    }

    /// @param beside runs of a row beside the row of the labels, whose own runs are `own`
    void add_beside(std::span<const HoleRun> beside, std::span<const HoleRun> own, const T* labels) const {
        auto next = own.begin();
        for (const HoleRun& run : beside) {
            while (next != own.end() && next->end <= run.first) ++next;
            std::uint32_t first = run.first;
            for (auto covering = next; covering != own.end() && covering->first < run.end; ++covering) {
                add_stretch(run.hole, labels + first, labels + std::max(first, covering->first));
                first = std::min(covering->end, run.end);
            }
            add_stretch(run.hole, labels + first, labels + run.end);
        }
    }

    void add_stretch(std::uint64_t hole, const T* first, const T* end) const {
        T last = 0;
        for (; first != end; ++first)
            if (*first != last) add(hole, last = *first);
    }

    void add(std::uint64_t hole, T label) const {
        if (label != 0) around_[std::size_t(hole)].add(number_of(label));
    }

public:
    // The numbers of signed labels: -2 -> 2^63 - 2, 1 -> 2^63 + 1
    static constexpr std::uint64_t lowest = std::is_signed_v<T> ? std::uint64_t{1} << 63 : 0;
    static std::uint64_t number_of(T label) { return std::uint64_t(std::int64_t(label)) ^ lowest; }

private:
    const HoleRuns& runs_;
    Extent extent_;
    std::vector<AtomicBounds>& around_;
    bool wraps_x_;
    std::vector<RowAxis> axes_;
};

/// Calls f(fetched, rows) for the rows of a source, on several threads.
template <class F>
void for_each_fetched(RowSource& source, std::int64_t rows, ThreadPool& pool, const F& f) {
    const std::int64_t step = source.rows_per_fetch(), pieces = (rows + step - 1) / step;
    const bool is_in_order = source.access() == RowSource::Access::in_order;
    const auto range_of = [&](std::int64_t piece) { return RowRange{piece * step, std::min(step, rows - piece * step)}; };
    Reading reading;
    pool.for_each(std::min<std::int64_t>(pool.size(), pieces), [&](std::int64_t) {
        std::vector<std::byte> buffer;
        const std::byte* fetched = nullptr;
        const auto read = [&](std::int64_t piece) {
            if (is_in_order && piece < pieces) fetched = source.fetch(range_of(piece), buffer);
        };
        for (std::optional<std::int64_t> piece; (piece = reading.next(read)) && *piece < pieces;) {
            if (!is_in_order) fetched = source.fetch(range_of(*piece), buffer);
            f(fetched, range_of(*piece));
        }
    });
}

}  // namespace

LabelHoles::LabelHoles(RowSource& labels, const Extent& extent, const HoleRule& rule, const Execution& execution)
    : LabelHoles(find_holes(labels, extent, rule, execution), labels, extent, rule, execution) {}

LabelHoles::LabelHoles(Holes holes, RowSource& labels, const Extent& extent, const HoleRule& rule, const Execution& execution)
    : extent_(extent), taken_(execution.memory), runs_(holes, extent, *execution.pool, execution.memory) {
    const std::uint64_t count = holes.is_hole.empty() ? 0 : *std::ranges::max_element(holes.is_hole);
    holes.background.reset();  // gives its memory back
    taken_.take(std::int64_t(count * (sizeof(AtomicBounds) + sizeof(Bounds) + sizeof(std::uint64_t))));
    voxels_.resize(std::size_t(count));
    around_.resize(std::size_t(count));
    for (std::int64_t row = 0; row < extent.rows(); ++row)
        for (const HoleRun& run : runs_[row]) voxels_[std::size_t(run.hole)] += run.end - run.first;
    if (count == 0) return;
    std::vector<AtomicBounds> around(static_cast<std::size_t>(count));
    labels.rewind();
    visit_scalar(labels.value_type(), [&]<class T>(std::type_identity<T>) {
        if constexpr (std::is_integral_v<T>) {
            const LabelsAround<T> labels_around(runs_, extent, rule, around);
            for_each_fetched(labels, extent.rows(), *execution.pool, [&](const std::byte* fetched, RowRange rows) {
                for (std::int64_t i = 0; i < rows.count; ++i)
                    labels_around.add_row(rows.first + i, reinterpret_cast<const T*>(labels.values(fetched, rows, i)));
            });
            for (std::size_t hole = 0; hole < around.size(); ++hole)
                if (around[hole].least <= around[hole].largest)
                    around_[hole] = {around[hole].least ^ LabelsAround<T>::lowest, around[hole].largest ^ LabelsAround<T>::lowest};
        } else throw Error(ErrorKind::invalid_argument, "labels", "labels must be integers");
    });
}

LabelHoles::Count LabelHoles::filled(Filling filling) const {
    Count count;
    for (std::size_t hole = 0; hole < voxels_.size(); ++hole)
        if (label_of(hole, filling)) ++count.holes, count.voxels += voxels_[hole];
    return count;
}

LabelHoles::Count LabelHoles::between_labels() const {
    Count count;
    for (std::size_t hole = 0; hole < voxels_.size(); ++hole)
        if (around_[hole].least != around_[hole].largest) ++count.holes, count.voxels += voxels_[hole];
    return count;
}

void LabelHoles::fill(RowRange rows, Filling filling, ScalarType type, std::byte* labels) const {
    visit_scalar(type, [&]<class T>(std::type_identity<T>) {
        if constexpr (std::is_integral_v<T>) {
            T* row = reinterpret_cast<T*>(labels);
            for (std::int64_t r = rows.first; r < rows.end(); ++r, row += extent_.nx)
                for_each_run(r, filling,
                             [&](const HoleRun& run, std::uint64_t label) { std::fill(row + run.first, row + run.end, T(label)); });
        } else throw Error(ErrorKind::internal, "labels", "labels of a floating-point type");
    });
}

}  // namespace voxcc
