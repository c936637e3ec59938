// `voxcc stats`: writes the table of components of an existing label volume.
#include <voxcc/measure.h>
#include <voxcc/threads.h>
#include "io/kept_files.h"
#include "src/commands/overwrite.h"
#include "src/messages/progress.h"
#include "src/messages/report.h"
#include "src/pipeline/channel_images.h"
#include "src/pipeline/component_output.h"
#include "src/pipeline/contacts.h"
#include "src/pipeline/file_labels.h"
#include "src/pipeline/finished_labels.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/image_values.h"
#include "src/pipeline/inside_voxels.h"
#include "src/pipeline/kept_components.h"
#include "src/pipeline/label_bits.h"
#include "src/pipeline/naming.h"
#include "src/pipeline/same_grid.h"
#include "src/pipeline/shape_values.h"
#include "src/pipeline/side_tables.h"
#include "src/pipeline/sidecar.h"
#include "src/pipeline/size_limits.h"
#include "src/pipeline/summary_table.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <unordered_set>

namespace voxcc {
namespace {

using Reader = std::unique_ptr<io::VolumeReader>;

/// The results for one volume, by the number that LabelSums gives to a label.
struct Measured {
    LabelSums labels;
    std::vector<MeasuredImage> images;
    std::optional<BriefValues> brief;  // in place of `images`
    std::optional<ShapeTable> shape;
    std::vector<LabelContact> contacts;
    std::vector<VoxelIndex> inside;  // empty without --inside
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

/// The sums of all labels, on all threads.
LabelSums sums_of_labels(io::VolumeReader& labels, ThreadPool& pool, ProgressBar& progress) {
    const Extent& extent = labels.info().extent;
    FileLabels rows(labels, [&](std::int64_t read) { progress.update("measure", read / extent.ny, extent.nz); });
    return sum_labels(rows, extent, pool);
}

/// Calls f(y, z, numbers) for all rows of the label volume once more.
/// @param first the sums of the pass before
/// @throw Error changed_file if the labels do not get the numbers that they have in `first`
template <class F>
void repeat_rows(io::VolumeReader& labels, const LabelSums& first, ProgressBar& progress, const F& f) {
    LabelSums again(labels.info().extent);
    labels.rewind();
    for_each_row(labels, again, progress, f);
    if (again.labels() != first.labels()) throw Error(ErrorKind::changed_file, labels.info().path, "has changed while it was read");
}

/// A voxel inside each label, by the number that LabelSums gives to the label. Reads the label volume again.
std::vector<VoxelIndex> inside_voxels(io::VolumeReader& labels, const LabelSums& sums, ProgressBar& progress) {
    std::vector<std::uint64_t> voxels(sums.labels().size());
    for (std::size_t row = 0; row < voxels.size(); ++row) voxels[row] = sums[row].n;
    InsideVoxels inside(voxels);
    repeat_rows(labels, sums, progress, [&](auto y, auto z, auto numbers) { inside.add_row(y, z, numbers); });
    return inside.take();
}

/// Which members of images the columns of all tables need, and the world for their positions.
struct BriefRequest {
    BriefMembers members;
    std::optional<World> world;
};

/// Reads the label volume and the images once, and again for percentiles and inside voxels. Both need numbers by first voxel. Images and
/// shapes need the rows in order. So each of them is measured on one thread.
/// @param shape of the volume; is measured with --shape
/// @param brief set if these members of the images are sufficient. The label volume is then read once more before the images
Measured measure(io::VolumeReader& labels, std::vector<OpenImage>& all_images, const ShapeRequest& shape,
                 const std::optional<BriefRequest>& brief, const StatsOptions& options, const Reporter& reporter, ProgressBar& progress) {
    std::vector<OpenImage> none;
    std::vector<OpenImage>& images = brief ? none : all_images;
    ImageMeasurement measurement(images, options.intensity, world_of_peaks(options.intensity, labels.info()), nullptr);
    Measured measured{LabelSums(labels.info().extent), {}, {}, {}, {}, {}};
    ThreadPool pool(1);
    std::optional<ShapeOfRows> shapes;
    if (options.shape == Shape::measure) shapes.emplace(shape, pool);
    if (images.empty() && !shapes && options.inside == Inside::skip) {
        if (options.contacts.empty() && !brief && !chooses_list(options.labels, options.input)) labels.read_once();
        ThreadPool all(available_threads());
        measured.labels = sums_of_labels(labels, all, progress);
    } else {
        for_each_row(labels, measured.labels, progress, [&](auto y, auto z, auto numbers) {
            measurement.add_row(y, z, numbers);
            if (shapes) shapes->add_row(numbers);
        });
    }
    if (shapes) measured.shape = shapes->finish(std::uint32_t(measured.labels.labels().size()));
    while (measurement.next_pass(measured.labels.labels().size()))
        repeat_rows(labels, measured.labels, progress, [&](auto y, auto z, auto numbers) { measurement.add_row(y, z, numbers); });
    measured.images = measurement.finish("labels", reporter);
    if (brief) {
        labels.rewind();
        measured.brief = measure_finished_labels(labels, measured.labels, all_images, brief->members, brief->world, reporter, progress);
    }
    if (options.inside == Inside::find) measured.inside = inside_voxels(labels, measured.labels, progress);
    if (!options.contacts.empty()) {
        labels.rewind();
        measured.contacts = contacts_of(labels, shape.connectivity);
    }
    return measured;
}

Space space_of(const io::VolumeInfo& labels) { return labels.extent.nz == 1 ? Space::plane : Space::volume; }

/// The form of the tables.
TableForm form_of(const StatsOptions& options) {
    const io::VolumeInfo labels = describe_with_grid(
        options.labels, options.input, FilesBeside{.mask = "", .images = options.intensity.images, .preview_image = ""}.paths());
    return form_of(options.units, labels, space_of(labels));
}

/// The contacts of the labels of some rows.
std::vector<LabelContact> contacts_of_rows(const Measured& measured, const std::vector<std::size_t>& rows) {
    if (rows.size() == measured.labels.labels().size()) return measured.contacts;
    std::unordered_set<LabelBits> labels;
    for (const std::size_t row : rows) labels.insert(measured.labels.labels()[row]);
    std::vector<LabelContact> contacts;
    std::ranges::copy_if(measured.contacts, std::back_inserter(contacts),
                         [&](const LabelContact& contact) { return labels.contains(contact.a) && labels.contains(contact.b); });
    return contacts;
}

/// The tables of a run.
class Tables {
public:
    Tables(const StatsOptions& options, io::OutputFiles& outputs)
        : options_(options),
          origin_{.file = false, .volume = chooses_list(options.labels, options.input)},
          contact_columns_(options.connectivity == 4 || options.connectivity == 6 ? ContactColumns::faces : ContactColumns::all),
          form_(form_of(options)),
          extras_(with_images(options.intensity, {.inside = options.inside == Inside::find,
                                                  .volume = origin_.volume,
                                                  .shape = options.shape == Shape::measure,
                                                  .form = form_})),
          all_columns_(table_columns(extras_)),
          columns_(chosen(all_columns_, choice_for(options.table, options.output, all_columns_))) {
        if (origin_.volume) form_.volume = VolumeColumn::add;
        if (!options.keep.empty()) keep_.emplace(options.keep, "--keep", all_columns_);
        start(summary_, options.summary, summary_columns(form_), outputs);
        components_.emplace(options.output, outputs, columns_, extras_);
        if (options.sidecar == Sidecar::write) write_sidecar(options.output, columns_, outputs);
        start(contacts_, options.contacts, contact_columns(contact_columns_, origin_, form_.units), outputs);
        start(local_maxima_, options.intensity.local_maxima, local_maxima_columns(options.intensity, origin_, form_.units), outputs);
    }
    /// Adds the rows of a volume. @param connectivity of its shapes and contacts
    void add(const Measured& measured, const io::VolumeInfo& info, Connectivity connectivity, const io::Cell& volume) {
        const auto world = world_of(info, form_.units);
        const Space space = space_of(info);
        const auto pixel = pixel_area(world, space, Axis::z);
        const std::vector<LabelBits>& labels = measured.labels.labels();
        const ScalarType type = label_type(info);
        const std::vector<std::size_t> order = ascending_labels(labels, type);
        const OriginCells origin{.file = {}, .volume = volume, .entities = {}, .further = {}};
        std::optional<ShapeValues> shapes;
        if (measured.shape) shapes.emplace(connectivity, info, Axis::z, form_.units);
        VolumeSummary summary{.file = options_.labels, .sizes = {}, .space = space};
        if (const auto* const number = std::get_if<std::int64_t>(&volume)) summary.volume = *number;
        summary.voxels_in_volume = std::uint64_t(info.extent.voxels());
        std::vector<std::size_t> kept;
        for (const std::size_t row : order) {
            ComponentValues values;
            values.label = label_cell(labels[row], type);
            values.properties = describe(measured.labels[row], info.extent, world);
            values.volume = volume;
            values.images = measured.brief ? measured.brief->of(row) : values_of(measured.images, row + 1, world);
            values.space = space;
            if (!measured.inside.empty()) set_inside(values, measured.inside[row], world);
            if (pixel) values.area = double(values.properties.voxels) * *pixel;
            if (shapes) values.shape = shapes->of(counted_shape(*measured.shape, row), values.properties);
            if (keep_ && !keep_->is_true(values)) continue;
            kept.push_back(row);
            summary.sizes.push_back(measured.labels[row].n);
            components_->row(values);
        }
        summary.foreground = std::accumulate(order.begin(), order.end(), std::uint64_t{0},
                                             [&](std::uint64_t sum, std::size_t row) { return sum + measured.labels[row].n; });
        const std::uint64_t voxels = std::accumulate(summary.sizes.begin(), summary.sizes.end(), std::uint64_t{0});
        if (world) summary.size = double(voxels) * voxel_size(*world, space, Axis::z);
        if (summary_) summary_->row(summary_row(summary, form_));
        if (contacts_)
            add_contacts({contacts_of_rows(measured, kept), type, connectivity, world}, contact_columns_, origin_, origin, *contacts_);
        if (!local_maxima_) return;
        for (const MeasuredImage& image : measured.images)
            for (const std::size_t row : kept)
                add_local_maxima(image, row + 1, label_cell(labels[row], type), world, options_.intensity, origin_, origin, *local_maxima_);
    }
    /// The request for a volume, if the columns need no other values of its images, and there are many images. Then the sums of a label
    /// are held only while its rows are read, which costs a second pass over the labels.
    std::optional<BriefRequest> brief_request(const io::VolumeInfo& info) const {
        constexpr std::size_t many = 4;
        if (options_.intensity.images.size() < many || local_maxima_) return std::nullopt;
        std::vector<TableColumn> columns = components_->columns();
        if (keep_) std::ranges::copy(keep_->columns(), std::back_inserter(columns));
        const std::optional<BriefMembers> members = brief_members(columns);
        if (!members) return std::nullopt;
        return BriefRequest{*members, world_of(info, form_.units)};
    }
    void finish() {
        components_->finish();
        for (auto* table : {&summary_, &contacts_, &local_maxima_})
            if (*table) (*table)->finish();
    }

private:
    static void start(std::optional<io::TableWriter>& table, const std::string& path, std::vector<std::string> columns,
                      io::OutputFiles& outputs) {
        if (!path.empty()) table.emplace(path == "-" ? nullptr : &outputs.create(path), io::table_format(path), std::move(columns));
    }
    const StatsOptions& options_;
    OriginColumns origin_;
    ContactColumns contact_columns_;
    TableForm form_;
    ExtraColumns extras_;
    std::vector<TableColumn> all_columns_, columns_;
    std::optional<RowCondition> keep_;
    std::optional<ComponentOutput> components_;
    std::optional<io::TableWriter> summary_, contacts_, local_maxima_;
};

void warn_of_labels(const io::VolumeInfo& info, const StatsOptions& options, const Reporter& reporter) {
    const Units units = units_for(options.units, info);
    if (!world_of(info, units)) reporter.warning(info.path + ": " + no_world_warning(info, units));
    if (const std::string note = note_on_lengths(options.units, info); !note.empty()) reporter.note(info.path + ": " + note);
}

/// Measures one 3D volume of the file and adds its rows to the table.
void add_volume(const StatsOptions& options, const ChosenVolume& which, Tables& tables, const io::Cell& volume, const Reporter& reporter,
                ProgressBar& progress) {
    FileWarnings of_labels;
    const Reader labels = open(which);
    of_labels.report(options.labels, labels->info(), reporter);
    std::vector<OpenImage> images = open_images(options.intensity, options.input, which, reporter);
    std::vector<const io::VolumeInfo*> companions;
    for (const OpenImage& image : images) companions.push_back(&image.reader->info());
    for (const std::string& note : settle_grid(*labels, companions, options.input.tolerance)) reporter.note(note);
    warn_of_labels(labels->info(), options, reporter);
    const ShapeRequest shape = shape_request(options.connectivity, labels->info(), units_for(options.units, labels->info()));
    const Measured measured = measure(*labels, images, shape, tables.brief_request(labels->info()), options, reporter, progress);
    of_labels.report(options.labels, labels->info(), reporter);
    tables.add(measured, labels->info(), shape.connectivity, volume);
}

std::vector<std::string> volumes_read(const StatsOptions& options) {
    std::vector<std::string> paths{options.labels};
    for (const IntensityImage& image : options.intensity.images) paths.push_back(image.path);
    return paths;
}

}  // namespace

int run_stats(const StatsOptions& typed) {
    set_default_isa(typed.isa.value_or(best_isa()));
    const StatsOptions options = with_channel_images(typed);
    const Reporter reporter(options.messages);
    ProgressBar progress(options.messages);
    io::OutputFiles outputs(overwrite_of(options.existing), files_read(volumes_read(options), {}, options.input));

    ChosenVolumes chosen = choose_volumes(options.labels, options.input);
    const bool is_list = chosen.form == ChosenVolumes::Form::list;
    const auto kept = std::make_shared<io::KeptFiles>();
    Tables tables(options, outputs);
    for (ChosenVolume& volume : chosen.volumes) {
        if (chosen.volumes.size() > 1) volume.open.kept = kept;
        add_volume(options, volume, tables, is_list ? io::Cell(*volume.open.volume) : io::Cell(), reporter, progress);
    }
    for (const auto& [path, text] : kept->decoders.verify_rest()) reporter.warning(path + ": " + text);
    tables.finish();
    outputs.publish();
    return int(ExitCode::ok);
}

}  // namespace voxcc
