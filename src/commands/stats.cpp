// `voxcc stats`: writes the table of components of an existing label volume.
#include <voxcc/label_sums.h>
#include "src/messages/progress.h"
#include "src/messages/report.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/image_values.h"
#include "src/pipeline/label_bits.h"
#include "src/pipeline/shape_values.h"
#include "src/pipeline/sidecar.h"

#include <numeric>

namespace voxcc {
namespace {

using Reader = std::unique_ptr<io::VolumeReader>;

/// The results for one volume, by the number that LabelSums gives to a label.
struct Measured {
    LabelSums labels;
    std::vector<MeasuredImage> images;
    std::optional<ShapeTable> shape;
};

/// Calls f(y, z, numbers) for all rows, with the numbers of the labels. Holds rows_per_buffer() rows in memory.
/// @param sums without sums; receives the sums of all rows
template <class F>
void for_each_row(io::VolumeReader& reader, LabelSums& sums, ProgressBar& progress, const F& f) {
    const Extent& extent = reader.info().extent;
    RowStream rows(reader);
    std::vector<LabelBits> bits(std::size_t(extent.nx));
    std::vector<std::uint32_t> numbers(bits.size());
    for (std::int64_t z = 0; z < extent.nz; ++z) {
        for (std::int64_t y = 0; y < extent.ny; ++y) {
            to_label_bits(rows.next(), reader.info(), bits);
            sums.add_row(y, z, bits, numbers);
            f(y, z, std::span<const std::uint32_t>(numbers));
        }
        progress.update("measure", z + 1, extent.nz);
    }
}

/// Reads the label volume and the images once, and again for percentiles.
/// @param shape empty: shapes are not measured
Measured measure(io::VolumeReader& labels, std::vector<OpenImage>& images, const std::optional<ShapeRequest>& shape,
                 const StatsOptions& options, const Reporter& reporter, ProgressBar& progress) {
    ImageMeasurement measurement(images, options.intensity, nullptr);
    Measured measured{LabelSums(labels.info().extent), {}, {}};
    ThreadPool pool(1);
    std::optional<ShapeOfRows> shapes;
    if (shape) shapes.emplace(*shape, pool);
    for_each_row(labels, measured.labels, progress, [&](auto y, auto z, auto numbers) {
        measurement.add_row(y, z, numbers);
        if (shapes) shapes->add_row(numbers);
    });
    if (shapes) measured.shape = shapes->finish(std::uint32_t(measured.labels.labels().size()));
    while (measurement.next_pass(measured.labels.labels().size())) {
        // The labels come in the same order as before, so they get the same numbers.
        LabelSums again(labels.info().extent);
        labels.rewind();
        for_each_row(labels, again, progress, [&](auto y, auto z, auto numbers) { measurement.add_row(y, z, numbers); });
    }
    measured.images = measurement.finish("labels", reporter);
    return measured;
}

/// The rows of LabelSums in ascending order of the labels.
// labels {7, -2, 3} of int16 -> {1, 2, 0}
std::vector<std::size_t> ascending(const std::vector<LabelBits>& labels, ScalarType type) {
    std::vector<std::size_t> order(labels.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return type == ScalarType::u64 ? labels[a] < labels[b] : std::int64_t(labels[a]) < std::int64_t(labels[b]);
    });
    return order;
}

io::Cell label_cell(LabelBits label, ScalarType type) {
    if (type == ScalarType::u64) return label;
    return std::int64_t(label);
}

struct Table {
    io::TableWriter& writer;
    std::vector<TableColumn> columns;
    io::Cell volume;
};

void write_rows(const Measured& measured, const io::VolumeInfo& info, Connectivity connectivity, Table& table) {
    const auto world = world_of(info);
    std::optional<ShapeValues> shapes;
    if (measured.shape) shapes.emplace(*measured.shape, connectivity, info, Axis::z);
    for (const std::size_t row : ascending(measured.labels.labels(), info.type)) {
        ComponentValues values;
        values.label = label_cell(measured.labels.labels()[row], info.type);
        values.properties = describe(measured.labels[row], info.extent, world);
        values.volume = table.volume;
        values.images = values_of(measured.images, row + 1, world);
        if (shapes) values.shape = shapes->of(row, values.properties), values.space = shapes->space();
        table.writer.row(component_row(table.columns, values));
    }
}

void warn_of_labels(const io::VolumeInfo& info, const Reporter& reporter) {
    if (!info.scaling.is_identity()) reporter.warning(info.path + ": labels are the stored values, without slope and intercept");
    if (!world_of(info)) reporter.warning(info.path + ": " + no_world_warning);
}

/// Measures one 3D volume of the file and adds its rows to the table.
void add_volume(const StatsOptions& options, const io::OpenOptions& which, Table& table, const Reporter& reporter, ProgressBar& progress) {
    FileWarnings of_labels;
    const Reader labels = io::open_volume(options.labels, which);
    of_labels.report(options.labels, labels->info(), reporter);
    warn_of_labels(labels->info(), reporter);
    std::vector<OpenImage> images = open_images(options.intensity, options.input, labels->info(), reporter);
    const ShapeRequest shape = shape_request(options.connectivity, labels->info());
    const auto shapes = options.shape == Shape::measure ? std::optional(shape) : std::nullopt;
    const Measured measured = measure(*labels, images, shapes, options, reporter, progress);
    of_labels.report(options.labels, labels->info(), reporter);
    write_rows(measured, labels->info(), shape.connectivity, table);
}

std::vector<std::string> volumes_read(const StatsOptions& options) {
    std::vector<std::string> paths{options.labels};
    for (const IntensityImage& image : options.intensity.images) paths.push_back(image.path);
    return paths;
}

/// The space of the shapes of the table.
std::optional<Space> space_of_shapes(const StatsOptions& options) {
    if (options.shape == Shape::skip) return std::nullopt;
    return io::describe_volume(options.labels, open_options(options.input)).extent.nz == 1 ? Space::plane : Space::volume;
}

}  // namespace

int run_stats(const StatsOptions& options) {
    block_runs::set_default_isa(options.isa.value_or(block_runs::best_isa()));
    const Reporter reporter(options.messages);
    ProgressBar progress(options.messages);
    const io::TableFormat format = io::table_format(options.output);
    io::OutputFiles outputs(options.existing == LabelOptions::Existing::overwrite ? io::Overwrite::allow : io::Overwrite::refuse,
                            files_read(volumes_read(options), {}, options.input));

    io::OpenOptions which = open_options(options.input);
    const bool all = options.input.volume == "all";
    const std::int64_t volumes = all ? io::describe_volume(options.labels, which).volumes : 1;

    const std::vector<TableColumn> columns =
        table_columns(with_images(options.intensity, {.volume = all, .shape = space_of_shapes(options)}));
    io::TableWriter writer(options.output == "-" ? nullptr : &outputs.create(options.output), format, names_of(columns));
    if (options.sidecar == Sidecar::write) write_sidecar(options.output, columns, outputs);
    Table table{writer, columns, {}};
    for (std::int64_t volume = 0; volume < volumes; ++volume) {
        if (all) {
            which.volume = volume;
            table.volume = volume;
        }
        add_volume(options, which, table, reporter, progress);
    }
    writer.finish();
    outputs.publish();
    return int(ExitCode::ok);
}

}  // namespace voxcc
