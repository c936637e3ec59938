// Counts the shape of components, a few slices at a time. The slices are read by all threads, then counted by all threads.
#include <voxcc/label.h>
#include <voxcc/shape.h>

#include "kernels3d/base/abilities.h"
#include "kernels3d/measure/feret.h"
#include "kernels3d/measure/labelled_slice.h"
#include "kernels3d/measure/shape_slices.h"
#include "kernels3d/measure/shape_table.h"

#include <cmath>
#include <limits>

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

/// Gives the outlines of sections to their components, and moves their corners to the unwrapped component. Removes the outlines of
/// components that wrap around axes, which have no diameter.
void unwrap(Outlines& slice, const Sections& sections, const Extent& e) {
    for (Outlines::Outline& outline : slice.outlines) {
        const auto [i, j, k] = sections.shift_of(outline.label);
        for (Corner& corner : std::span(slice.corners).subspan(outline.first, outline.count))
            corner = {corner.x + i * uint32_t(e.nx), corner.y + j * uint32_t(e.ny), corner.z + k * uint32_t(e.nz)};
        outline.label = uint32_t(sections.component_of(outline.label));
    }
    std::erase_if(slice.outlines, [&](const Outlines::Outline& outline) { return sections.wraps_of(outline.label).any(); });
}

/// Slices in raster order, of which the first is the slice before.
struct SlicesToCount {
    std::span<const LabelledSlice> components;  // the first one may be empty
    std::span<const LabelledSlice> sections;    // without the slice before; empty if no component is unwrapped
};

/// Counts slices that arrive in ascending order.
class SliceSeries {
public:
    /// @param writers number of threads that count at the same time
    /// @param sections of the components; null: no component is unwrapped
    SliceSeries(const ShapeRequest& request, ThreadPool& pool, Writers writers, const Sections* sections = nullptr)
        : extent_(request.extent),
          rules_(rules_for(request)),
          pool_(pool),
          writers_(writers),
          sections_(sections),
          rows_(std::make_shared<ShapeTable::Rows>(request)) {
        if (computes_feret(request)) feret_.emplace(space_of(request.connectivity), *request.world, request.memory);
        if (!crosses_slices(request.connectivity)) nothing_below_ = LabelledSlice(request.extent.nx, request.extent.ny);
    }

    /// Makes room for the numbers up to `count`.
    void reserve(std::size_t count) { rows_->reserve(count); }

    /// Lets the labelling count, so that count() finds only the diameters. There must be room for all numbers.
    /// @return whether slices are needed
    bool count_on_device(Labelling& labelling, const ShapeRequest& request) {
        const auto add = [&](std::uint64_t row, const ShapeCounts& counts) {
            std::visit([&](auto& table) { table.add(row, counts, Writers::one); }, rows_->counts);
        };
        auto* const counts = dynamic_cast<CountsNeighbours*>(&labelling);
        if (counts && counts->count_shape(request, {}, add)) counting_ = Counting::done;
        return counting_ == Counting::in_slices || feret_;
    }

    void count(const SlicesToCount& slices, int64_t first_z) {
        const auto n = int64_t(slices.components.size()) - 1, tasks = std::min<int64_t>(n, pool_.size());
        if (feret_) finders_.resize(std::size_t(tasks)), outlines_.resize(std::size_t(n));
        pool_.for_each(tasks, [&](int64_t task) {
            for (int64_t s = task; s < n; s += tasks) {
                const LabelledSlice& own = slices.components[std::size_t(s) + 1];
                if (counting_ == Counting::in_slices)
                    count_slice(nothing_below_ ? *nothing_below_ : slices.components[std::size_t(s)], own);
                if (!feret_) continue;
                const LabelledSlice& outlined = slices.sections.empty() ? own : slices.sections[std::size_t(s)];
                finders_[std::size_t(task)].find(outlined, first_z + s, outlines_[std::size_t(s)]);
                if (!slices.sections.empty()) unwrap(outlines_[std::size_t(s)], *sections_, extent_);
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
        if (feret_ && sections_)
            for (const auto& [component, axes] : sections_->wraps)
                rows_->feret_mm[std::size_t(component - 1)] = std::numeric_limits<double>::quiet_NaN();
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
    Extent extent_;
    SliceRules rules_;
    ThreadPool& pool_;
    Writers writers_;
    const Sections* sections_;
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

/// Reads the slices of a labelling.
class SliceReader {
public:
    /// @param sections of the labelling, whose slices are read, too; null: only the slices of components
    SliceReader(Labelling& labelling, const ShapeRequest& request, const Sections* sections)
        : labelling_(labelling),
          extent_(request.extent),
          wraps_y_(request.periodic.axes[1] && request.extent.ny > 1),
          sections_(sections),
          writes_(dynamic_cast<const WritesSlices*>(&labelling)) {
        if (sections) labelling.prepare_sections(ScalarType::u32, {});
        else if (!writes_) labelling.prepare_paint(ScalarType::u32, {});
    }
    /// Reads consecutive slices. Thread-safe.
    /// @param to_sections of the same size as `to`, or empty
    void read(int64_t first_z, std::span<LabelledSlice> to, std::span<LabelledSlice> to_sections) const {
        if (sections_) read_sections(first_z, to, to_sections);
        else if (writes_) writes_->slices(first_z, to);
        else paint_slices(first_z, to);
        if (!wraps_y_) return;
        for (LabelledSlice& slice : to) wrap_rows(slice);
    }

private:
    void paint_slices(int64_t first_z, std::span<LabelledSlice> to) const {
        const int64_t nx = extent_.nx, ny = extent_.ny;
        std::vector<uint32_t> numbers(std::size_t(nx * ny));
        for (std::size_t s = 0; s < to.size(); ++s) {
            labelling_.paint({(first_z + int64_t(s)) * ny, ny}, reinterpret_cast<std::byte*>(numbers.data()), Stores::cached);
            set_rows(to[s], numbers);
        }
    }
    void set_rows(LabelledSlice& slice, const std::vector<uint32_t>& numbers) const {
        slice.clear_lists();
        for (int64_t y = 0; y < extent_.ny; ++y) slice.set_row(y, numbers.data() + y * extent_.nx, extent_.nx);
    }
    void read_sections(int64_t first_z, std::span<LabelledSlice> to, std::span<LabelledSlice> to_sections) const {
        const int64_t nx = extent_.nx, ny = extent_.ny;
        std::vector<uint32_t> numbers(std::size_t(nx * ny));
        for (std::size_t s = 0; s < to.size(); ++s) {
            labelling_.paint({(first_z + int64_t(s)) * ny, ny}, reinterpret_cast<std::byte*>(numbers.data()), Stores::cached);
            if (!to_sections.empty()) set_rows(to_sections[s], numbers);
            for (uint32_t& number : numbers) number = uint32_t(sections_->component_of(number));
            set_rows(to[s], numbers);
        }
    }
    const Labelling& labelling_;
    Extent extent_;
    bool wraps_y_;
    const Sections* sections_;
    const WritesSlices* writes_;  // null: slices are painted
};

}  // namespace

std::size_t ShapeTable::size() const { return rows_ ? rows_->size() : 0; }

ShapeCounts ShapeTable::counts(std::size_t row) const {
    return std::visit([&](const auto& table) { return table[row]; }, rows_->counts);
}

std::optional<double> ShapeTable::feret_mm(std::size_t row) const {
    if (rows_->feret_mm.empty() || std::isnan(rows_->feret_mm[row])) return std::nullopt;
    return rows_->feret_mm[row];
}

std::int64_t ShapeTable::bytes_per_component(const ShapeRequest& request) {
    const std::size_t of_counts = narrow_counts_fit(request.extent) ? ShapeCountTable<uint32_t>::bytes_per_component
                                                                    : ShapeCountTable<std::uint64_t>::bytes_per_component;
    return std::int64_t(of_counts + (computes_feret(request) ? sizeof(double) : 0));
}

std::int64_t ShapeTable::buffer_bytes(const ShapeRequest& request, int threads) {
    const Extent& e = request.extent;
    const int64_t of_slice = LabelledSlice::bytes(e.nx, e.ny), painted = e.nx * e.ny * int64_t(sizeof(uint32_t));
    const int64_t of_sections = request.periodic.any() ? slices_at_once(e, threads) : 0;
    return (slices_at_once(e, threads) + of_sections + 2) * of_slice + threads * painted;
}

ShapeTable measure_shape(Labelling& labelling, const ShapeRequest& request, const SumTable& sums, ThreadPool& pool) {
    const Extent& e = request.extent;
    ShapeRequest r = request;
    r.connectivity = reduced(request.connectivity, e);
    const Sections* const sections = computes_feret(r) ? labelling.sections() : nullptr;
    if (std::max<std::uint64_t>(sums.size(), sections ? sections->count() : 0) > most_components) refuse_count();
    SliceSeries series(r, pool, pool.size() > 1 ? Writers::several : Writers::one, sections);
    series.reserve(sums.size());
    if (!series.count_on_device(labelling, r)) return series.finish();

    const SliceReader reader(labelling, r, sections);
    constexpr int64_t per_task = slices_per_task;
    const int64_t at_once = slices_at_once(e, pool.size());
    std::vector<LabelledSlice> slices(std::size_t(at_once) + 1, LabelledSlice(e.nx, e.ny));
    std::vector<LabelledSlice> of_sections(sections ? std::size_t(at_once) : 0, LabelledSlice(e.nx, e.ny));
    const auto part = [](std::vector<LabelledSlice>& all, int64_t first, int64_t count) {
        return all.empty() ? std::span<LabelledSlice>() : std::span(all).subspan(std::size_t(first), std::size_t(count));
    };
    if (r.periodic.axes[2] && e.nz > 1 && crosses_slices(r.connectivity)) reader.read(e.nz - 1, part(slices, 0, 1), {});
    for (int64_t first = 0; first < e.nz; first += at_once) {
        const int64_t n = std::min(at_once, e.nz - first), last = first + n - 1;
        pool.for_each((n + per_task - 1) / per_task, [&](int64_t task) {
            const int64_t begin = task * per_task, count = std::min(per_task, n - begin);
            reader.read(first + begin, part(slices, begin + 1, count), part(of_sections, begin, count));
        });
        series.count({part(slices, 0, n + 1), part(of_sections, 0, n)}, first);
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
        series_.count({slices_, {}}, z_++);
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
