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

void copy_row(RowSource& source, std::int64_t row, std::int64_t nx, std::vector<std::byte>& buffer, std::vector<std::uint64_t>& labels) {
    const std::byte* const values = source.values(source.fetch({row, 1}, buffer), {row, 1}, 0);
    visit_scalar(source.value_type(), [&]<class T>(std::type_identity<T>) {
        const T* const from = reinterpret_cast<const T*>(values);
        std::transform(from, from + nx, labels.begin(), [](T label) { return std::uint64_t(std::int64_t(label)); });
    });
}

/// Gives each label of an image the number of its sums.
class LabelNumbers {
public:
    /// @param labels rows of the image, which must outlive this object
    LabelNumbers(RowSource& labels, const Extent& extent, std::span<const std::uint64_t> of_numbers)
        : labels_(labels), row_labels_(static_cast<std::size_t>(extent.nx)) {
        for (const std::uint64_t label : of_numbers) numbers_.emplace(label, numbers_.size() + 1);
    }
    /// Writes the numbers of a row. 0 is background.
    template <class Number>
    void of_row(std::int64_t row, std::span<Number> numbers) {
        copy_row(labels_, row, std::int64_t(row_labels_.size()), buffer_, row_labels_);
        std::uint64_t last_label = 0;
        Number last_number = 0;
        for (std::size_t x = 0; x < numbers.size(); ++x) {
            if (row_labels_[x] != last_label) {
                last_label = row_labels_[x];
                last_number = last_label == 0 ? 0 : Number(numbers_.at(last_label));
            }
            numbers[x] = last_number;
        }
    }

private:
    RowSource& labels_;
    std::vector<std::uint64_t> row_labels_;
    std::vector<std::byte> buffer_;
    std::unordered_map<std::uint64_t, std::uint64_t> numbers_;
};

ShapeTable shapes_of(LabelNumbers& numbers, std::size_t labels, const ShapeRequest& request, ThreadPool& pool) {
    ShapeOfRows shapes(request, pool);
    std::vector<std::uint32_t> row_numbers(static_cast<std::size_t>(request.extent.nx));
    for (std::int64_t row = 0; row < request.extent.rows(); ++row) {
        numbers.of_row<std::uint32_t>(row, row_numbers);
        shapes.add_row(row_numbers);
    }
    return shapes.finish(std::uint32_t(labels));
}

}  // namespace

std::vector<std::size_t> ascending_labels(const std::vector<std::uint64_t>& labels, ScalarType type) {
    std::vector<std::size_t> order(labels.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto is_before = [&](std::size_t a, std::size_t b) { return is_less(type, labels[a], labels[b]); };
    if (!std::is_sorted(order.begin(), order.end(), is_before)) std::sort(order.begin(), order.end(), is_before);
    return order;
}

bool is_less(ScalarType type, std::uint64_t a, std::uint64_t b) {
    return type == ScalarType::u64 ? a < b : std::int64_t(a) < std::int64_t(b);
}

void add_labels(Columns& columns, const char* name, ScalarType type, const std::function<std::uint64_t(std::size_t)>& label) {
    if (type == ScalarType::u64) columns.add<std::uint64_t>(name, label);
    else columns.add<std::int64_t>(name, [&](std::size_t row) { return std::int64_t(label(row)); });
}

BothSums::BothSums(const Extent& extent, std::span<RowSource* const> images) : labels(extent) {
    for (const RowSource* const image : images) intensities.emplace_back(image->value_type(), Powers::two);
}

void BothSums::add_rows(RowSource& from, std::span<RowSource* const> images, const Extent& e, RowRange rows) {
    std::vector<std::uint64_t> row_labels(static_cast<std::size_t>(e.nx));
    std::vector<std::uint32_t> numbers(row_labels.size());
    std::vector<std::byte> label_buffer, image_buffer;
    for (std::int64_t row = rows.first; row < rows.end(); ++row) {
        copy_row(from, row, e.nx, label_buffer, row_labels);
        labels.add_row(row % e.ny, row / e.ny, row_labels, numbers);
        for (std::size_t i = 0; i < images.size(); ++i) {
            const std::byte* const values = images[i]->values(images[i]->fetch({row, 1}, image_buffer), {row, 1}, 0);
            const auto bytes = std::size_t(e.nx * size_of(images[i]->value_type()));
            intensities[i].add_row<std::uint32_t>(row % e.ny, row / e.ny, numbers, {values, bytes});
        }
    }
}

void BothSums::add(const BothSums& later) {
    labels.add(later.labels);
    std::unordered_map<std::uint64_t, std::uint32_t> number_of;
    for (const std::uint64_t label : labels.labels()) number_of.emplace(label, std::uint32_t(number_of.size() + 1));
    for (std::size_t i = 0; i < later.labels.labels().size(); ++i)
        for (std::size_t image = 0; image < intensities.size(); ++image)
            intensities[image].add(number_of.at(later.labels.labels()[i]), later.intensities[image], i + 1);
}

BothSums sum_both(RowSource& labels, std::span<RowSource* const> images, const Extent& e, ThreadPool& pool) {
    const BothSums empty(e, images);
    const std::int64_t parts = std::min<std::int64_t>(pool.size(), e.rows());
    std::vector<BothSums> sums(static_cast<std::size_t>(parts), empty);
    pool.for_each(parts, [&](std::int64_t part) {
        const std::int64_t first = e.rows() * part / parts;
        sums[std::size_t(part)].add_rows(labels, images, e, {first, e.rows() * (part + 1) / parts - first});
    });
    for (std::size_t part = 1; part < sums.size(); ++part) sums.front().add(sums[part]);
    return std::move(sums.front());
}

nb::dict columns_of(const LabelTable& table, const LabelMeasures& measures, const LabelForm& form, const Spacing& spacing, int threads) {
    const std::vector<std::size_t> order = ascending_labels(table.labels, form.type);
    Columns columns(order.size(), threads);
    add_labels(columns, "label", form.type, [&](std::size_t row) { return table.labels[order[row]]; });
    const auto measured = [&](std::size_t row) { return MeasuredComponent{table.sums(order[row])}; };
    add_properties(columns, measured, form.axes, form.dimensions, spacing);
    add_images(
        columns, measures.images, measures.percents, [&](std::size_t row) { return NumberedComponent{order[row] + 1}; }, form.axes,
        form.dimensions);
    if (measures.shapes)
        add_shape(
            columns, *measures.shapes,
            [&](std::size_t row) {
                return ShapedComponent{measured(row), order[row]};
            },
            ShapeFrame(form.axes, form.dimensions, Axes::none, spacing));
    return columns.dict();
}

nb::dict measure_labels(const Array& labels, const Images& images, Background background, std::optional<Connectivity> shape,
                        const Spacing& spacing, int threads) {
    const LabelForm form{labels.type(), Axes(labels, Order::c, Axes::none), labels.dimensions()};
    threads = threads_of_call(threads, labels.bytes());
    LabelMeasures measures;
    measures.percents = images.percents;
    const LabelSums sums = [&] {
        const WithoutGil no_gil;
        Signals signals;
        const ArrayRows label_rows({&labels}, form.axes, signals), image_rows(images.arrays(), form.axes, signals);
        RowSource& rows = *label_rows.rows().front();
        const Extent& e = form.axes.extent;
        CallPool pool(threads);
        BothSums both(e, {});
        if (images.images.empty()) both.labels = sum_labels(rows, e, pool);
        else both = sum_both(rows, image_rows.rows(), e, pool);
        for (std::size_t i = 0; i < images.images.size(); ++i)
            measures.images.push_back({images.images[i].name, std::move(both.intensities[i]), std::nullopt});
        if (images.percents.empty() && !shape) return std::move(both.labels);

        const std::vector<std::uint64_t>& of_numbers = both.labels.labels();
        LabelNumbers numbers(rows, e, of_numbers);
        add_percentiles(measures.images, images, of_numbers.size(), form.axes,
                        [&](std::int64_t row, std::span<std::uint64_t> row_numbers) { numbers.of_row(row, row_numbers); });
        if (shape) {
            const World world = ShapeFrame(form.axes, form.dimensions, Axes::none, spacing).engine_world();
            measures.shapes = shapes_of(numbers, of_numbers.size(), {{.connectivity = *shape}, e, world}, pool);
        }
        return std::move(both.labels);
    }();
    const WideSums background_sums = background == Background::measured ? sums.background() : WideSums();
    LabelTable table{sums.labels(), [&](std::size_t i) { return i < sums.labels().size() ? sums[i] : background_sums; }};
    if (background_sums.n > 0) table.labels.push_back(0);
    return columns_of(table, measures, form, spacing, threads);
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
    Signals signals;
    const ArrayRows rows({&labels}, form.axes, signals);
    return contacts_of_rows(*rows.rows().front(), form, connectivity, threads_of_call(threads, labels.bytes()));
}

}  // namespace voxcc::python
