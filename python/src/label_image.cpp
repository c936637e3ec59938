#include "python/src/label_image.h"

#include "python/src/gil.h"
#include "python/src/shared_pool.h"
#include "python/src/signals.h"

#include <voxcc/contacts.h>
#include <voxcc/measure.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace voxcc::python {
namespace {

/// Whether the label with the bits a comes before the label with the bits b.
bool is_less(ScalarType type, std::uint64_t a, std::uint64_t b) {
    return type == ScalarType::u64 ? a < b : std::int64_t(a) < std::int64_t(b);
}

void add_labels(Columns& columns, const char* name, ScalarType type, const std::function<std::uint64_t(std::size_t)>& label) {
    if (type == ScalarType::u64) columns.add<std::uint64_t>(name, label);
    else columns.add<std::int64_t>(name, [&](std::size_t row) { return std::int64_t(label(row)); });
}

void copy_row(RowSource& source, std::int64_t row, std::int64_t nx, std::vector<std::byte>& buffer, std::vector<std::uint64_t>& labels) {
    const std::byte* const values = source.values(source.fetch({row, 1}, buffer), {row, 1}, 0);
    visit_scalar(source.value_type(), [&]<class T>(std::type_identity<T>) {
        const T* const from = reinterpret_cast<const T*>(values);
        std::transform(from, from + nx, labels.begin(), [](T label) { return std::uint64_t(std::int64_t(label)); });
    });
}

/// The labels of an array as rows of the engine.
class LabelRows {
public:
    explicit LabelRows(const Array& array, const Axes& axes)
        : packer_(array.type(), {}), source_(axes.view_of(array), packer_, array.storage()), rows_(source_, signals_) {}
    RowSource& rows() { return rows_; }

private:
    ForegroundPacker packer_;
    StridedSource source_;
    Signals signals_;
    InterruptibleSource rows_;
};

}  // namespace

void BothSums::add_rows(RowSource& from, RowSource& image, const Extent& e, RowRange rows) {
    std::vector<std::uint64_t> row_labels(static_cast<std::size_t>(e.nx));
    std::vector<std::uint32_t> numbers(row_labels.size());
    std::vector<std::byte> label_buffer, image_buffer;
    for (std::int64_t row = rows.first; row < rows.end(); ++row) {
        copy_row(from, row, e.nx, label_buffer, row_labels);
        labels.add_row(row % e.ny, row / e.ny, row_labels, numbers);
        const std::byte* const values = image.values(image.fetch({row, 1}, image_buffer), {row, 1}, 0);
        intensities.add_row<std::uint32_t>(row % e.ny, row / e.ny, numbers, {values, std::size_t(e.nx * size_of(image.value_type()))});
    }
}

void BothSums::add(const BothSums& later) {
    labels.add(later.labels);
    std::unordered_map<std::uint64_t, std::uint32_t> number_of;
    for (const std::uint64_t label : labels.labels()) number_of.emplace(label, std::uint32_t(number_of.size() + 1));
    for (std::size_t i = 0; i < later.labels.labels().size(); ++i)
        intensities.add(number_of.at(later.labels.labels()[i]), later.intensities, i + 1);
}

BothSums sum_both(RowSource& labels, RowSource& image, const Extent& e, ThreadPool& pool) {
    const BothSums empty(e, image.value_type());
    const std::int64_t parts = std::min<std::int64_t>(pool.size(), e.rows());
    std::vector<BothSums> sums(static_cast<std::size_t>(parts), empty);
    pool.for_each(parts, [&](std::int64_t part) {
        const std::int64_t first = e.rows() * part / parts;
        sums[std::size_t(part)].add_rows(labels, image, e, {first, e.rows() * (part + 1) / parts - first});
    });
    for (std::size_t part = 1; part < sums.size(); ++part) sums.front().add(sums[part]);
    return std::move(sums.front());
}

nb::dict columns_of(const LabelTable& table, const IntensitySums* intensities, const LabelForm& form, const Spacing& spacing, int threads) {
    std::vector<std::size_t> order(table.labels.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return is_less(form.type, table.labels[a], table.labels[b]); });
    Columns columns(order.size(), threads);
    add_labels(columns, "label", form.type, [&](std::size_t row) { return table.labels[order[row]]; });
    add_properties(
        columns, [&](std::size_t row) { return MeasuredComponent{table.sums(order[row])}; }, form.axes, form.dimensions, spacing);
    if (intensities)
        add_intensities(
            columns, *intensities, [&](std::size_t row) { return NumberedComponent{order[row] + 1}; }, form.axes, form.dimensions);
    return columns.dict();
}

nb::dict measure_labels(const Array& labels, const Array* intensity, Background background, const Spacing& spacing, int threads) {
    const LabelForm form{labels.type(), Axes(labels, Order::c, Axes::none), labels.dimensions()};
    threads = threads_of_call(threads, labels.bytes());
    std::optional<IntensitySums> intensities;
    const LabelSums sums = [&] {
        const WithoutGil no_gil;
        LabelRows rows(labels, form.axes);
        CallPool pool(threads);
        if (intensity) {
            LabelRows image(*intensity, form.axes);
            BothSums both = sum_both(rows.rows(), image.rows(), form.axes.extent, pool);
            intensities = std::move(both.intensities);
            return std::move(both.labels);
        }
        return sum_labels(rows.rows(), form.axes.extent, pool);
    }();
    const WideSums background_sums = background == Background::measured ? sums.background() : WideSums();
    LabelTable table{sums.labels(), [&](std::size_t i) { return i < sums.labels().size() ? sums[i] : background_sums; }};
    if (background_sums.n > 0) table.labels.push_back(0);
    return columns_of(table, intensities ? &*intensities : nullptr, form, spacing, threads);
}

nb::dict contacts_of_rows(RowSource& rows, const LabelForm& form, Connectivity connectivity, int threads) {
    std::vector<LabelContact> contacts;
    {
        const WithoutGil no_gil;
        CallPool pool(threads);
        contacts = label_contacts(rows, form.axes.extent, connectivity, pool);
    }
    for (LabelContact& c : contacts)
        if (is_less(form.type, c.b, c.a)) std::swap(c.a, c.b);
    std::sort(contacts.begin(), contacts.end(), [&](const LabelContact& l, const LabelContact& r) {
        return l.a != r.a ? is_less(form.type, l.a, r.a) : is_less(form.type, l.b, r.b);
    });
    Columns columns(contacts.size());
    add_labels(columns, "a", form.type, [&](std::size_t row) { return contacts[row].a; });
    add_labels(columns, "b", form.type, [&](std::size_t row) { return contacts[row].b; });
    for (int axis = 0; axis < form.dimensions; ++axis) {
        const int e = form.axes.engine_axis(axis);
        columns.add<std::uint64_t>("faces_" + std::to_string(axis),
                                   [&](std::size_t row) { return e < 0 ? 0 : contacts[row].faces[std::size_t(e)]; });
    }
    columns.add<std::uint64_t>("edges_and_corners", [&](std::size_t row) { return contacts[row].edges + contacts[row].corners; });
    return columns.dict();
}

nb::dict contacts_of_labels(const Array& labels, Connectivity connectivity, int threads) {
    const LabelForm form{labels.type(), Axes(labels, Order::c, Axes::none), labels.dimensions()};
    LabelRows rows(labels, form.axes);
    return contacts_of_rows(rows.rows(), form, connectivity, threads_of_call(threads, labels.bytes()));
}

}  // namespace voxcc::python
