#include "python/src/components.h"

#include "python/src/gil.h"

namespace voxcc::python {
namespace {

/// rows[numbers[i] - 1] = i for every number that is not 0.
std::vector<std::uint64_t> inverse(const std::vector<std::uint64_t>& numbers, std::uint64_t count) {
    std::vector<std::uint64_t> rows(count);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        if (numbers[i] > 0) rows[numbers[i] - 1] = i;
    return rows;
}

}  // namespace

AxisSet periodic_of(const Axes& axes, const Options& options) {
    AxisSet periodic;
    for (std::size_t e = 0; e < 3; ++e) periodic.axes[e] = axes.array_axis[e] != Axes::none && (options.periodic >> axes.array_axis[e] & 1);
    return periodic;
}

Question question_of(const Axes& axes, ScalarType type, const Options& options) {
    Question question = options.question;
    question.difference = difference_limit(type, question.difference);
    question.periodic = periodic_of(axes, options);
    return question;
}

Extent faces_of(const Axes& axes, const Options& options) {
    const AxisSet periodic = periodic_of(axes, options);
    const auto length = [&](std::size_t e, std::int64_t n) { return periodic.axes[e] ? 1 : n; };
    return {length(0, axes.extent.nx), length(1, axes.extent.ny), options.slice_axis == Axes::none ? length(2, axes.extent.nz) : 1};
}

std::array<std::int64_t, 3> period_of(const Axes& axes, const Options& options) { return periods(axes.extent, periodic_of(axes, options)); }

void add_component_columns(Columns& columns, const std::function<MeasuredComponent(std::size_t)>& component, const Axes& axes,
                           const Options& options, int dimensions, const Spacing& spacing) {
    columns.add<std::uint64_t>("label", [](std::size_t row) { return row + 1; });
    add_properties(columns, component, axes, dimensions, spacing);
    const Extent faces = faces_of(axes, options);
    columns.add<bool>("touches_border", [&](std::size_t row) { return touches_border(component(row).sums, faces); });
    for (int axis = 0; axis < dimensions && options.periodic != 0; ++axis)
        columns.add<bool>("wraps_" + std::to_string(axis), [&, e = axes.engine_axis(axis)](std::size_t row) {
            return e >= 0 && component(row).wrapping.wraps.axes[std::size_t(e)];
        });
}

Components::Components(const Axes& axes, int dimensions, ScalarType type, const Options& options)
    : axes_(axes),
      options_(options),
      faces_(faces_of(axes, options)),
      dimensions_(dimensions),
      threads_(threads_of_call(options.threads, axes.extent.voxels() * size_of(type))),
      compares_values_(options.question.rule == Rule::equal_values),
      type_(type) {}

void Components::set_numbers(std::vector<std::uint64_t> numbers) {
    final_ = std::move(numbers);
    rows_ = inverse(final_, final_.size());
}

const SumTable& Components::sums() {
    if (!sums_) sums_ = engine_sums();
    return *sums_;
}

std::vector<std::uint64_t> Components::engine_sizes() {
    const SumTable& table = sums();
    std::vector<std::uint64_t> sizes(table.size());
    for (std::size_t row = 0; row < sizes.size(); ++row) sizes[row] = table.voxels(row);
    return sizes;
}

const std::vector<std::uint64_t>& Components::sizes() {
    if (!sizes_) sizes_ = sums_ ? Components::engine_sizes() : engine_sizes();
    return *sizes_;
}

void Components::select(const Criteria& criteria) {
    const WithoutGil no_gil;
    const bool by_border = criteria.border == Criteria::Border::clear;
    if (by_border) sums();
    const std::vector<std::uint64_t>& voxels = sizes();
    std::vector<Candidate> candidates(voxels.size());
    for (std::uint64_t number = 1; number <= candidates.size(); ++number) {
        Candidate& candidate = candidates[number - 1];
        candidate.voxels = voxels[row_of(number)];
        if (!marks_.empty() && marks_[row_of(number)] == 0) candidate.seed = Candidate::Seed::absent;
        if (by_border && touches_border((*sums_)[row_of(number)], faces_)) candidate.place = Candidate::Place::at_border;
    }
    apply(voxcc::select(candidates, criteria));
}

void Components::select_rows(std::span<const std::uint8_t> kept) {
    Selection selection;
    for (const std::uint8_t keep : kept) selection.final_numbers.push_back(keep != 0 ? ++selection.count : 0);
    apply(std::move(selection));
}

void Components::apply(Selection selection) {
    selection_ = std::move(selection);
    selected_ = true;
    if (selection_.is_identity()) return;
    if (final_.empty()) {
        final_ = selection_.final_numbers;
    } else {
        for (std::uint64_t& number : final_) number = selection_.final_numbers[number - 1];
    }
    rows_ = inverse(final_, selection_.count);
}

std::vector<std::uint64_t> Components::mask_numbers() const {
    std::vector<std::uint64_t> kept(engine_count(), 1);
    for (std::size_t i = 0; i < final_.size(); ++i) kept[i] = final_[i] > 0;
    return kept;
}

std::vector<std::uint64_t> Components::composed_with(std::span<const std::uint64_t> numbers) const {
    if (numbers.size() != count())
        throw Error(ErrorKind::invalid_argument, "numbers",
                    "there are " + std::to_string(numbers.size()) + ", but the array has " + std::to_string(count()) + " components");
    if (final_.empty()) return {numbers.begin(), numbers.end()};
    std::vector<std::uint64_t> composed = final_;
    for (std::uint64_t& number : composed) number = number == 0 ? 0 : numbers[number - 1];
    return composed;
}

void Components::add_values(Columns& columns) {
    std::vector<std::uint64_t> bits;
    {
        const WithoutGil no_gil;
        bits = value_bits();
    }
    visit_scalar(type_, [&]<class T>(std::type_identity<T>) {
        columns.add<T>("value", [&](std::size_t row) { return value_of<T>(bits[row_of(row + 1)]); });
    });
}

Columns Components::table(const Spacing& spacing) {
    {
        const WithoutGil no_gil;
        sums();
    }
    Columns columns(count(), threads_);
    add_component_columns(
        columns, [this](std::size_t row) { return measured(row); }, axes_, options_, dimensions_, spacing);
    if (compares_values_) add_values(columns);
    return columns;
}

}  // namespace voxcc::python
