// Counts the shape of components, a few slices at a time. The slices are read by all threads, then counted by all threads.
#include <voxcc/shape.h>

#include "kernels3d/measure/feret.h"
#include "kernels3d/measure/shape_slices.h"
#include "kernels3d/measure/shape_table.h"

namespace voxcc {
namespace {

using std::int64_t;
using std::uint32_t;

constexpr std::size_t most_components = LabelledSlice::several - 1;

[[noreturn]] void refuse_count() {
    throw Error(ErrorKind::out_of_memory, "volume", "has more than 2^32 - 2 components, for which no shape can be measured");
}

bool crosses_slices(Connectivity c) { return space_of(c) == Space::volume; }

SliceRules rules_for(const ShapeRequest& request) {
    const bool touching_is_same = request.rule == Rule::foreground && cells_of(request.connectivity) == Cells::closed;
    return {.cells = cells_of(request.connectivity),
            .neighbours = touching_is_same ? SliceRules::Neighbours::same_label : SliceRules::Neighbours::compare,
            .around_x = request.periodic.axes[0] && request.extent.nx > 1 ? request.extent.nx : 0,
            .isa = request.isa};
}

bool computes_feret(const ShapeRequest& request) { return request.world && request.feret == ShapeRequest::Feret::compute; }

/// Counts slices that arrive in ascending order.
class SliceSeries {
public:
    /// @param writers number of threads that count at the same time
    SliceSeries(const ShapeRequest& request, ThreadPool& pool, Writers writers)
        : rules_(rules_for(request)), pool_(pool), writers_(writers), rows_(std::make_shared<ShapeTable::Rows>(request)) {
        if (computes_feret(request)) feret_.emplace(space_of(request.connectivity), *request.world, request.memory);
        if (!crosses_slices(request.connectivity)) nothing_below_ = LabelledSlice(request.extent.nx, request.extent.ny);
    }

    /// Makes room for the numbers up to `count`.
    void reserve(std::size_t count) { rows_->reserve(count); }

    /// Lets the labelling count, so that count() finds only the diameters. There must be room for all numbers.
    /// @return whether slices are needed
    bool count_on_device(block_runs::Labelling& labelling, const ShapeRequest& request) {
        const auto add = [&](std::uint64_t row, const ShapeCounts& counts) {
            std::visit([&](auto& table) { table.add(row, counts, Writers::one); }, rows_->counts);
        };
        if (labelling.count_shape(request, add)) counting_ = Counting::done;
        return counting_ == Counting::in_slices || feret_;
    }

    /// @param slices the slice before, then the slices to be counted. The first one may be empty
    void count(std::span<const LabelledSlice> slices, int64_t first_z) {
        const auto n = int64_t(slices.size()) - 1, tasks = std::min<int64_t>(n, pool_.size());
        if (feret_) finders_.resize(std::size_t(tasks)), outlines_.resize(std::size_t(n));
        pool_.for_each(tasks, [&](int64_t task) {
            for (int64_t s = task; s < n; s += tasks) {
                const LabelledSlice& own = slices[std::size_t(s) + 1];
                if (counting_ == Counting::in_slices) count_slice(nothing_below_ ? *nothing_below_ : slices[std::size_t(s)], own);
                if (feret_) finders_[std::size_t(task)].find(own, first_z + s, outlines_[std::size_t(s)]);
            }
        });
        if (feret_) feret_->add(outlines_);
    }
    /// Computes the diameters of components for which is_complete(label) is true: no later slice contains them. May wait for more slices.
    void complete(const std::function<bool(uint32_t)>& is_complete) {
        if (feret_ && feret_->has_many()) complete_all(is_complete);
    }

    ShapeTable finish() {
        if (feret_) complete_all([](uint32_t) { return true; });
        return ShapeTable(std::move(rows_));
    }

private:
    void complete_all(const std::function<bool(uint32_t)>& is_complete) {
        const auto set = [&](uint32_t label, double mm) { rows_->feret_mm[label - 1] = mm; };
        feret_->complete(is_complete, set, pool_);
    }
    void count_slice(const LabelledSlice& below, const LabelledSlice& own) {
        std::visit(
            [&](auto& table) {
                voxcc::count_slice(below, own, rules_,
                                   [&](uint32_t label, const ShapeCounts& counts) { table.add(label - 1, counts, writers_); });
            },
            rows_->counts);
    }

    enum class Counting : std::uint8_t { in_slices, done } counting_ = Counting::in_slices;
    SliceRules rules_;
    ThreadPool& pool_;
    Writers writers_;
    std::optional<LabelledSlice> nothing_below_;  // if slices are measured separately
    std::shared_ptr<ShapeTable::Rows> rows_;
    std::optional<FeretDiameters> feret_;
    std::vector<OutlineFinder> finders_;
    std::vector<Outlines> outlines_;
};

constexpr int64_t slices_per_task = 2;  // of one layer of block-rows

/// Number of slices that are read and then counted.
int64_t slices_at_once(const Extent& e, int threads) { return std::min(e.nz, slices_per_task * (threads == 1 ? 2 : 4 * threads)); }

/// Copies the outer rows to the other side.
void wrap_rows(LabelledSlice& slice) {
    slice.copy_row(slice.rows() - 1, -1);
    slice.copy_row(0, slice.rows());
}

}  // namespace

std::size_t ShapeTable::size() const { return rows_ ? rows_->size() : 0; }

ShapeCounts ShapeTable::counts(std::size_t row) const {
    return std::visit([&](const auto& table) { return table[row]; }, rows_->counts);
}

std::optional<double> ShapeTable::feret_mm(std::size_t row) const {
    return rows_->feret_mm.empty() ? std::nullopt : std::optional(rows_->feret_mm[row]);
}

std::int64_t ShapeTable::bytes_per_component(const ShapeRequest& request) {
    const std::size_t of_counts = narrow_counts_fit(request.extent) ? ShapeCountTable<uint32_t>::bytes_per_component
                                                                    : ShapeCountTable<std::uint64_t>::bytes_per_component;
    return std::int64_t(of_counts + (computes_feret(request) ? sizeof(double) : 0));
}

std::int64_t ShapeTable::buffer_bytes(const ShapeRequest& request, int threads) {
    const Extent& e = request.extent;
    const int64_t of_slice = LabelledSlice::bytes(e.nx, e.ny), painted = e.nx * e.ny * int64_t(sizeof(uint32_t));
    return (slices_at_once(e, threads) + 2) * of_slice + threads * painted;
}

ShapeTable measure_shape(block_runs::Labelling& labelling, const ShapeRequest& request, const SumTable& sums, ThreadPool& pool) {
    const Extent& e = request.extent;
    if (sums.size() > most_components) refuse_count();
    ShapeRequest r = request;
    r.connectivity = reduced(request.connectivity, e);
    SliceSeries series(r, pool, pool.size() > 1 ? Writers::several : Writers::one);
    series.reserve(sums.size());
    if (!series.count_on_device(labelling, r)) return series.finish();
    labelling.prepare_slices();

    const bool wraps_y = r.periodic.axes[1] && e.ny > 1, wraps_z = r.periodic.axes[2] && e.nz > 1 && crosses_slices(r.connectivity);
    const auto read = [&](int64_t z, std::span<LabelledSlice> to) {
        labelling.slices(e, z, to);
        if (!wraps_y) return;
        for (LabelledSlice& slice : to) wrap_rows(slice);
    };
    constexpr int64_t per_task = slices_per_task;
    const int64_t at_once = slices_at_once(e, pool.size());
    std::vector<LabelledSlice> slices(std::size_t(at_once) + 1, LabelledSlice(e.nx, e.ny));
    if (wraps_z) read(e.nz - 1, std::span(slices).first(1));
    for (int64_t first = 0; first < e.nz; first += at_once) {
        const int64_t n = std::min(at_once, e.nz - first), last = first + n - 1;
        pool.for_each((n + per_task - 1) / per_task, [&](int64_t task) {
            const int64_t begin = task * per_task;
            read(first + begin, std::span(slices).subspan(std::size_t(begin) + 1, std::size_t(std::min(per_task, n - begin))));
        });
        series.count(std::span(slices).first(std::size_t(n) + 1), first);
        series.complete([&](uint32_t label) { return sums[label - 1].z1 <= last; });
        std::swap(slices.front(), slices[std::size_t(n)]);
    }
    return series.finish();
}

class ShapeOfRows::Counter {
public:
    Counter(const ShapeRequest& request, ThreadPool& pool)
        : extent_(request.extent), series_(request, pool, Writers::one), slices_(2, LabelledSlice(request.extent.nx, request.extent.ny)) {}

    void add_row(std::span<const uint32_t> numbers) {
        if (y_ == 0) slices_[1].clear_lists();
        most_ = std::max(most_, *std::ranges::max_element(numbers));
        slices_[1].set_row(y_, numbers.data(), extent_.nx);
        if (++y_ < extent_.ny) return;
        series_.reserve(most_);
        series_.count(slices_, z_++);
        std::swap(slices_[0], slices_[1]);
        y_ = 0;
    }
    ShapeTable finish(uint32_t count) {
        series_.reserve(count);
        return series_.finish();
    }

private:
    Extent extent_;
    SliceSeries series_;
    std::vector<LabelledSlice> slices_;  // the slice before, and the current slice
    int64_t y_ = 0, z_ = 0;              // of the next row
    uint32_t most_ = 0;                  // largest number so far
};

ShapeOfRows::ShapeOfRows(const ShapeRequest& request, ThreadPool& pool) {
    ShapeRequest r = request;
    r.connectivity = reduced(request.connectivity, request.extent);
    r.rule = Rule::equal_values;
    r.periodic = {};
    counter_ = std::make_unique<Counter>(r, pool);
}
ShapeOfRows::~ShapeOfRows() = default;
void ShapeOfRows::add_row(std::span<const uint32_t> numbers) { counter_->add_row(numbers); }
ShapeTable ShapeOfRows::finish(uint32_t count) { return counter_->finish(count); }

}  // namespace voxcc
