#include "python/src/labelled.h"

#include <voxcc/intensity.h>

#include <numeric>

namespace voxcc::python {
namespace {

block_runs::Request request_of(const Axes& axes, const Options& options) {
    block_runs::Request request;
    request.extent = axes.extent;
    request.connectivity = options.connectivity;
    request.rule = options.rule;
    for (std::size_t e = 0; e < 3; ++e)
        request.periodic.axes[e] = axes.array_axis[e] != Axes::none && (options.periodic >> axes.array_axis[e] & 1);
    return request;
}

/// rows[numbers[i] - 1] = i for every number that is not 0.
std::vector<std::uint64_t> inverse(const std::vector<std::uint64_t>& numbers, std::uint64_t count) {
    std::vector<std::uint64_t> rows(count);
    for (std::size_t i = 0; i < numbers.size(); ++i)
        if (numbers[i] > 0) rows[numbers[i] - 1] = i;
    return rows;
}

}  // namespace

Extent faces_of(const Axes& axes, const Options& options) {
    const block_runs::Periodic periodic = request_of(axes, options).periodic;
    const auto length = [&](std::size_t e, std::int64_t n) { return periodic.axes[e] ? 1 : n; };
    return {length(0, axes.extent.nx), length(1, axes.extent.ny), options.slice_axis == Axes::none ? length(2, axes.extent.nz) : 1};
}

void add_component_columns(Columns& columns, std::size_t rows, const std::function<WideSums(std::size_t)>& sums, const Axes& axes,
                           const Extent& faces, int dimensions, const Spacing& spacing) {
    columns.add<std::uint64_t>("label", [](std::size_t row) { return row + 1; });
    add_properties(columns, rows, sums, axes, dimensions, spacing);
    columns.add<bool>("touches_border", [&](std::size_t row) { return touches_border(sums(row), faces); });
}

Labelled::Labelled(const Array& voxels, const Array* mask, const Options& options)
    : axes_(voxels, options.order, options.slice_axis),
      faces_(faces_of(axes_, options)),
      dimensions_(voxels.dimensions()),
      compares_values_(options.rule == Rule::equal_values),
      type_(voxels.type()),
      pool_(threads_of_call(options.threads, voxels.bytes())) {
    const nb::gil_scoped_release no_gil;
    const ForegroundPacker packer(voxels.type(), options.foreground);
    block_runs::StridedSource source(axes_.view_of(voxels), packer, voxels.storage());
    std::optional<ForegroundPacker> mask_packer;
    std::optional<block_runs::StridedSource> mask_source;
    std::optional<block_runs::MaskedSource> masked;
    if (mask) {
        mask_packer.emplace(mask->type(), ForegroundRule{});
        mask_source.emplace(axes_.view_of(*mask), *mask_packer, mask->storage());
        masked.emplace(source, *mask_source);
    }
    Signals signals;
    InterruptibleSource rows(mask ? static_cast<block_runs::RowSource&>(*masked) : source, signals);
    labelling_ = block_runs::label(request_of(axes_, options), rows, pool_);
    nan_voxels_ = source.nan_voxels();
    if (axes_.numbering == Axes::Numbering::reversed) {
        final_ = labelling_->numbers_with_x_slowest();
        rows_ = inverse(final_, labelling_->count());
    }
}

const SumTable& Labelled::sums() {
    if (!sums_) sums_ = labelling_->measure();
    return *sums_;
}

void Labelled::select(const Criteria& criteria) {
    const nb::gil_scoped_release no_gil;
    const SumTable& table = sums();
    const std::uint64_t count = labelling_->count();
    std::vector<Candidate> candidates(count);
    for (std::uint64_t number = 1; number <= count; ++number) {
        Candidate& candidate = candidates[number - 1];
        candidate.voxels = table.voxels(row_of(number));
        if (criteria.border == Criteria::Border::clear && touches_border(table[row_of(number)], faces_))
            candidate.place = Candidate::Place::at_border;
    }
    selection_ = voxcc::select(candidates, criteria);
    selected_ = true;
    if (selection_.is_identity()) return;
    if (final_.empty()) {
        final_ = selection_.final_numbers;
    } else {
        for (std::uint64_t& number : final_) number = selection_.final_numbers[number - 1];
    }
    rows_ = inverse(final_, selection_.count);
}

std::vector<std::uint64_t> Labelled::mask_numbers() const {
    std::vector<std::uint64_t> kept(labelling_->count(), 1);
    for (std::size_t i = 0; i < final_.size(); ++i) kept[i] = final_[i] > 0;
    return kept;
}

void Labelled::paint_as(const Array& labels, std::span<const std::uint64_t> numbers) {
    const LabelView view{labels.data(), labels.type(), axes_.strides_of(labels)};
    Signals signals;
    voxcc::paint(*labelling_, axes_.extent, view, numbers, pool_, [&] { signals.check(); });
}

void Labelled::paint(const Array& labels, Painted painted) {
    const nb::gil_scoped_release no_gil;
    if (painted == Painted::mask) paint_as(labels, mask_numbers());
    else paint_as(labels, final_);
}

void Labelled::paint(const Array& labels, std::span<const std::uint64_t> numbers) {
    const nb::gil_scoped_release no_gil;
    if (numbers.size() != count())
        throw Error(ErrorKind::invalid_argument, "numbers",
                    "there are " + std::to_string(numbers.size()) + ", but the array has " + std::to_string(count()) + " components");
    if (final_.empty()) return paint_as(labels, numbers);
    std::vector<std::uint64_t> composed = final_;
    for (std::uint64_t& number : composed) number = number == 0 ? 0 : numbers[number - 1];
    paint_as(labels, composed);
}

void Labelled::for_each_row(const std::function<void(std::int64_t, std::int64_t, std::span<const std::uint64_t>)>& row) {
    const Extent& e = axes_.extent;
    labelling_->prepare_paint(ScalarType::u64, final_);
    Signals signals;
    std::vector<std::uint64_t> labels(static_cast<std::size_t>(e.nx));
    for (std::int64_t r = 0; r < e.rows(); ++r) {
        signals.check();
        labelling_->paint({r, 1}, reinterpret_cast<std::byte*>(labels.data()), block_runs::Stores::cached);
        row(r % e.ny, r / e.ny, labels);
    }
}

void Labelled::add_intensity(Columns& columns, const Array& intensity) {
    IntensitySums sums(intensity.type());
    {
        const nb::gil_scoped_release no_gil;
        const ForegroundPacker packer(intensity.type(), {});
        block_runs::StridedSource source(axes_.view_of(intensity), packer, intensity.storage());
        const Extent& e = axes_.extent;
        std::vector<std::byte> buffer;
        for_each_row([&](std::int64_t y, std::int64_t z, std::span<const std::uint64_t> labels) {
            const RowRange row{z * e.ny + y, 1};
            const std::byte* const values = source.values(source.fetch(row, buffer), row, 0);
            sums.add_row(y, z, labels, {values, std::size_t(e.nx * size_of(intensity.type()))});
        });
    }
    add_intensities(
        columns, sums, count(), [](std::size_t row) { return row + 1; }, axes_, dimensions_);
}

void Labelled::add_values(Columns& columns) const {
    const std::vector<std::uint64_t> bits = value_bits();
    visit_scalar(type_, [&]<class T>(std::type_identity<T>) {
        columns.add<T>("value", [&](std::size_t row) { return value_of<T>(bits[row_of(row + 1)]); });
    });
}

nb::dict Labelled::table(const Spacing& spacing, const Array* intensity) {
    {
        const nb::gil_scoped_release no_gil;
        sums();
    }
    Columns columns(count());
    add_component_columns(
        columns, count(), [this](std::size_t row) { return (*sums_)[row_of(row + 1)]; }, axes_, faces_, dimensions_, spacing);
    if (compares_values_) add_values(columns);
    if (intensity) add_intensity(columns, *intensity);
    return columns.dict();
}

}  // namespace voxcc::python
