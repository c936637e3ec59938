// `voxcc stats`: writes the table of components of an existing label volume.
#include <voxcc/label_sums.h>
#include "src/messages/progress.h"
#include "src/messages/report.h"
#include "src/pipeline/file_warnings.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/input.h"
#include "src/pipeline/label_bits.h"
#include "src/pipeline/sidecar.h"

#include <numeric>

namespace voxcc {
namespace {

using Reader = std::unique_ptr<io::VolumeReader>;

/// The sums of all labels, by the number that LabelSums gives to a label.
struct Measured {
    LabelSums labels;
    std::optional<IntensitySums> intensity;
};

/// Reads the label volume, and the image if there is one, once. Holds rows_per_buffer() rows of each, and the sums, in memory.
/// @param image may be null
Measured measure(io::VolumeReader& labels, io::VolumeReader* image, ProgressBar& progress) {
    const Extent& extent = labels.info().extent;
    Measured measured{LabelSums(extent), image ? std::optional<IntensitySums>(image->info().type) : std::nullopt};
    RowStream label_rows(labels);
    std::optional<RowStream> image_rows;
    if (image) image_rows.emplace(*image);
    std::vector<LabelBits> bits(std::size_t(extent.nx));
    std::vector<std::uint32_t> numbers(bits.size());
    for (std::int64_t z = 0; z < extent.nz; ++z) {
        for (std::int64_t y = 0; y < extent.ny; ++y) {
            to_label_bits(label_rows.next(), labels.info(), bits);
            measured.labels.add_row(y, z, bits, numbers);
            if (image) measured.intensity->add_row<std::uint32_t>(y, z, numbers, image_rows->next());
        }
        progress.update("measure", z + 1, extent.nz);
    }
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

void write_rows(const Measured& measured, const io::VolumeInfo& info, const io::Scaling& scaling, Table& table) {
    const auto world = world_of(info);
    for (const std::size_t row : ascending(measured.labels.labels(), info.type)) {
        ComponentValues values;
        values.label = label_cell(measured.labels.labels()[row], info.type);
        values.properties = describe(measured.labels[row], info.extent, world);
        values.volume = table.volume;
        if (measured.intensity) values.intensity = measured.intensity->properties(row + 1, {scaling.slope, scaling.intercept}, world);
        table.writer.row(component_row(table.columns, values));
    }
}

void warn_of_labels(const io::VolumeInfo& info, const Reporter& reporter) {
    if (!info.scaling.is_identity()) reporter.warning(info.path + ": labels are the stored values, without slope and intercept");
    if (!world_of(info)) reporter.warning(info.path + ": " + no_world_warning);
}

/// Measures one 3D volume of the file and adds its rows to the table.
void add_volume(const StatsOptions& options, const io::OpenOptions& which, Table& table, const Reporter& reporter, ProgressBar& progress) {
    FileWarnings of_labels, of_image;
    const Reader labels = io::open_volume(options.labels, which);
    of_labels.report(options.labels, labels->info(), reporter);
    warn_of_labels(labels->info(), reporter);
    const Reader image = open_companion(options.intensity, options.input);
    if (image) {
        of_image.report(options.intensity, image->info(), reporter);
        require_same_grid(labels->info(), image->info());
    }
    const Measured measured = measure(*labels, image.get(), progress);
    of_labels.report(options.labels, labels->info(), reporter);
    if (image) of_image.report(options.intensity, image->info(), reporter);
    if (measured.intensity && measured.intensity->nan_voxels() > 0)
        reporter.warning(options.intensity + ": " + std::to_string(measured.intensity->nan_voxels()) +
                         " voxels of labels are NaN and left out");
    write_rows(measured, labels->info(), image ? image->info().scaling : io::Scaling{}, table);
}

}  // namespace

int run_stats(const StatsOptions& options) {
    block_runs::set_default_isa(options.isa.value_or(block_runs::best_isa()));
    const Reporter reporter(options.messages);
    ProgressBar progress(options.messages);
    const io::TableFormat format = io::table_format(options.output);
    io::OutputFiles outputs(options.existing == LabelOptions::Existing::overwrite ? io::Overwrite::allow : io::Overwrite::refuse,
                            files_read({options.labels, options.intensity}, {}, options.input));

    io::OpenOptions which = open_options(options.input);
    const bool all = options.input.volume == "all";
    const std::int64_t volumes = all ? io::describe_volume(options.labels, which).volumes : 1;

    const std::vector<TableColumn> columns = table_columns({.intensity = !options.intensity.empty(), .volume = all});
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
