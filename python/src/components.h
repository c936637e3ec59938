// The components of a labelled array on any device: which are kept, their numbers, and their table.
#pragma once
#include "python/src/axes.h"
#include "python/src/columns.h"

#include <voxcc/label.h>

namespace voxcc::python {

/// How an array is labelled. The Python side has checked all members.
struct Options {
    Question question;      // without periodic axes; its difference is not rounded to the type of the values
    unsigned periodic = 0;  // bit a: the array wraps around along axis a
    Order order = Order::c;
    int slice_axis = Axes::none;
    int threads = 0;  // 0: threads_of_call() decides
};

/// The periodic axes as axes of the engine.
AxisSet periodic_of(const Axes& axes, const Options& options);

/// The question for an array of this type, in the axes of the engine.
Question question_of(const Axes& axes, ScalarType type, const Options& options);

/// An extent with the faces that touches_border() examines: an axis along which the array wraps around has length 1, and so has the axis
/// across which slices are separate. An axis of extent 1 has no faces.
Extent faces_of(const Axes& axes, const Options& options);

/// The number of voxels after which the array repeats along the axes of the engine; 0: it does not repeat.
std::array<std::int64_t, 3> period_of(const Axes& axes, const Options& options);

/// Adds the columns label, touches_border, and all columns of add_properties(). With periodic axes also wraps_A for each axis A of the
/// array: whether the component wraps around it.
/// @param component called as component(row) by several threads
void add_component_columns(Columns& columns, const std::function<MeasuredComponent(std::size_t)>& component, const Axes& axes,
                           const Options& options, int dimensions, const Spacing& spacing);

/// Components have the numbers 1..count() of the chosen order. select() changes them. All public functions must be called with the GIL,
/// which they release while the engine runs.
class Components {
public:
    Components(const Axes& axes, int dimensions, ScalarType type, const Options& options);
    virtual ~Components() = default;
    std::uint64_t count() const { return selected_ ? selection_.count : engine_count(); }
    /// What paint() of a labelling writes: the number of each voxel, or 1 for each voxel of a kept component.
    enum class Painted { numbers, mask };
    /// Drops components, and numbers the others again. May be called once.
    void select(const Criteria& criteria);
    /// Drops components, and numbers the others again. May be called once, instead of select().
    /// @param kept one entry per row of the table, not 0 for components that are kept
    void select_rows(std::span<const std::uint8_t> kept);
    /// One row per component. See add_properties() for the columns; also label, touches_border, and value if equal values are connected.
    Columns table(const Spacing& spacing);
    /// Adds the column value: a value of the type of the array per component. Equal values must be connected.
    void add_values(Columns& columns);
    const Axes& axes() const { return axes_; }
    bool compares_values() const { return compares_values_; }
    /// The sums of the components, in the axes of the engine. Must be called without the GIL.
    const SumTable& sums();
    /// The number of voxels of each component, in the rows of sums(). Must be called without the GIL.
    const std::vector<std::uint64_t>& sizes();
    /// Number k belongs to row row_of(k) of sums() and sizes().
    std::uint64_t row_of(std::uint64_t number) const { return rows_.empty() ? number - 1 : rows_[number - 1]; }
    /// How a component lies in a periodic array. sums() must have been called.
    Wrapping wrapping_of(std::uint64_t number) const { return {period_of(axes_, options_), sums_->wraps(row_of(number))}; }
    /// The bits of the value of each component, as in Labelling::source_values(); entry row_of(k) for number k. Equal values
    /// must be connected. Must be called without the GIL.
    std::vector<std::uint64_t> value_bits() { return engine_values(); }

protected:
    virtual std::uint64_t engine_count() const = 0;
    virtual SumTable engine_sums() = 0;
    /// Needs less time than engine_sums() if the engine can count voxels alone.
    virtual std::vector<std::uint64_t> engine_sizes();
    /// See Labelling::source_values().
    virtual std::vector<std::uint64_t> engine_values() = 0;
    /// Sets the result of sums(), for labellings that have already added up the sums.
    void set_sums(SumTable sums) { sums_ = std::move(sums); }
    /// Sets the number of each component by its number in the engine - 1. Must be called before select().
    void set_numbers(std::vector<std::uint64_t> numbers);
    /// The number of each component by its number in the engine - 1; 0 if it is dropped. Empty: the same numbers.
    const std::vector<std::uint64_t>& final_numbers() const { return final_; }
    /// Calls paint(numbers) with what is painted for each component, by its number in the engine - 1. Empty: the number in the engine.
    template <class Paint>
    void paint_with(Painted painted, const Paint& paint) const {
        if (painted == Painted::mask) paint(mask_numbers());
        else paint(final_);
    }
    /// What is painted for each component, by its number in the engine - 1, if component k becomes numbers[k - 1].
    /// @throw Error invalid_argument if the numbers are not one per component
    std::vector<std::uint64_t> composed_with(std::span<const std::uint64_t> numbers) const;
    int dimensions() const { return dimensions_; }
    int threads() const { return threads_; }
    /// A component by its row of the table: see NumberedComponent. sums() must have been called.
    NumberedComponent numbered(std::size_t row) const { return {row + 1, wrapping_of(row + 1)}; }
    /// The sums of a component by its row of the table. sums() must have been called.
    MeasuredComponent measured(std::size_t row) const { return {(*sums_)[row_of(row + 1)], wrapping_of(row + 1)}; }
    const Options& options() const { return options_; }
    ScalarType type() const { return type_; }
    /// Components without a mark are dropped by select(). @param marks one per component, by its number in the engine - 1; 0: no mark
    void set_marks(std::vector<std::uint8_t> marks) { marks_ = std::move(marks); }

private:
    std::vector<std::uint64_t> mask_numbers() const;
    void apply(Selection selection);

    Axes axes_;
    Options options_;
    Extent faces_;  // for touches_border()
    int dimensions_, threads_;
    bool compares_values_;
    ScalarType type_;
    std::optional<SumTable> sums_;
    std::optional<std::vector<std::uint64_t>> sizes_;
    bool selected_ = false;
    Selection selection_;
    std::vector<std::uint64_t> final_;
    std::vector<std::uint8_t> marks_;  // by number in the engine - 1; empty: all components have one
    std::vector<std::uint64_t> rows_;  // number in the engine - 1 by number - 1; empty: the same
};

}  // namespace voxcc::python
