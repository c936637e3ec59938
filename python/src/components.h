// The components of a labelled array on any device: which are kept, their numbers, and their table.
#pragma once
#include "python/src/axes.h"
#include "python/src/columns.h"

#include <voxcc/labelling.h>
#include <voxcc/select.h>

namespace voxcc::python {

/// How an array is labelled. The Python side has checked all members.
struct Options {
    ForegroundRule foreground;
    Connectivity connectivity = Connectivity::c26;
    Rule rule = Rule::foreground;
    double delta = 0;       // Rule::gradient: the largest difference of the values of connected voxels
    unsigned periodic = 0;  // bit a: the array wraps around along axis a
    Order order = Order::c;
    int slice_axis = Axes::none;
    int threads = 0;  // 0: threads_of_call() decides
};

/// The periodic axes as axes of the engine.
block_runs::Periodic periodic_of(const Axes& axes, const Options& options);

/// Components have the numbers 1..count() of the chosen order. select() changes them. All public functions must be called with the GIL,
/// which they release while the engine runs.
class Components {
public:
    Components(const Axes& axes, int dimensions, ScalarType type, const Options& options);
    virtual ~Components() = default;
    std::uint64_t count() const { return selected_ ? selection_.count : engine_count(); }
    /// Drops components, and numbers the others again. May be called once.
    void select(const Criteria& criteria);
    /// Drops components, and numbers the others again. May be called once, instead of select().
    /// @param kept one entry per row of the table, not 0 for components that are kept
    void select_rows(std::span<const std::uint8_t> kept);
    /// One row per component. See add_properties() for the columns; also label, touches_border, and value if equal values are connected.
    Columns table(const Spacing& spacing);

protected:
    virtual std::uint64_t engine_count() const = 0;
    virtual SumTable engine_sums() = 0;
    /// See block_runs::Labelling::source_values().
    virtual std::vector<std::uint64_t> engine_values() = 0;
    /// Sets the number of each component by its number in the engine - 1. Must be called before select().
    void set_numbers(std::vector<std::uint64_t> numbers);
    /// The number of each component by its number in the engine - 1; 0 if it is dropped. Empty: the same numbers.
    const std::vector<std::uint64_t>& final_numbers() const { return final_; }
    /// 1 for each component that is kept and 0 for the others, by the number in the engine - 1.
    std::vector<std::uint64_t> mask_numbers() const;
    const Axes& axes() const { return axes_; }
    int dimensions() const { return dimensions_; }

private:
    void measure();
    void apply(Selection selection);
    std::uint64_t row_of(std::uint64_t number) const { return rows_.empty() ? number - 1 : rows_[number - 1]; }

    Axes axes_;
    Extent faces_;  // for touches_border()
    int dimensions_;
    bool compares_values_;
    ScalarType type_;
    std::optional<SumTable> sums_;
    bool selected_ = false;
    Selection selection_;
    std::vector<std::uint64_t> final_;
    std::vector<std::uint64_t> rows_;  // number in the engine - 1 by number - 1; empty: the same
};

}  // namespace voxcc::python
