// `voxcc tree`: the components of all thresholds of a volume: maxima, TFCE, h-maxima, area opening and counts.
#include <voxcc/threads.h>
#include "io/table.h"
#include "src/commands/overwrite.h"
#include "src/errors/exit_codes.h"
#include "src/errors/program_error.h"
#include "src/messages/progress.h"
#include "src/messages/report.h"
#include "src/options/tree_options.h"
#include "src/pipeline/file_warnings.h"
#include "src/pipeline/foreground_rows.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/input.h"
#include "src/pipeline/same_grid.h"
#include "src/pipeline/shape_values.h"
#include "src/pipeline/table_form.h"
#include "src/pipeline/volume_inputs.h"
#include "src/pipeline/volume_writing.h"

#include <array>
#include <cmath>

namespace voxcc {
namespace {

using Extrema = TreeRule::Extrema;
using Sign = TreeOptions::Sign;

/// The voxels of a volume in memory. Volumes with a scaling have their scaled values, as f64.
struct HeldVoxels {
    std::vector<std::byte> bytes;
    ScalarType type = ScalarType::u8;
    std::int64_t nan_voxels = 0;
};

/// Reads all voxels. @param on_rows is called with the number of rows read so far
HeldVoxels read_voxels(io::VolumeReader& reader, const std::function<void(std::int64_t)>& on_rows) {
    const io::VolumeInfo& info = reader.info();
    const bool is_scaled = !info.scaling.is_identity();
    HeldVoxels held{{}, is_scaled ? ScalarType::f64 : info.type, 0};
    held.bytes.resize(std::size_t(checked_bytes(info.extent, size_of(held.type), info.path)));
    visit_scalar(info.type, [&]<class T>(std::type_identity<T>) {
        for_each_row_buffer(reader, [&](RowRange rows, std::span<const std::byte> bytes) {
            const std::span<const T> values(reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T));
            const std::size_t first = std::size_t(rows.first * info.extent.nx);
            if (is_scaled)
                std::ranges::transform(values, reinterpret_cast<double*>(held.bytes.data()) + first,
                                       [&](T value) { return double(value) * info.scaling.slope + info.scaling.intercept; });
            else std::ranges::copy(values, reinterpret_cast<T*>(held.bytes.data()) + first);
            if constexpr (std::is_floating_point_v<T>) held.nan_voxels += std::ranges::count_if(values, [](T v) { return v != v; });
            on_rows(rows.end());
        });
    });
    return held;
}

struct HeldMask {
    std::vector<std::uint8_t> inside;  // 1 for each voxel inside the mask; empty without a mask
    std::int64_t nan_voxels = 0;
};

HeldMask read_mask(io::VolumeReader& reader) {
    const Extent& extent = reader.info().extent;
    const ForegroundPacker packer(reader.info().type, rule_of_mask(reader.info()));
    HeldMask mask{std::vector<std::uint8_t>(std::size_t(extent.voxels()))};
    std::vector<std::uint64_t> bits(std::size_t(words_of(extent.nx)));
    RowStream rows(reader);
    auto voxel = mask.inside.begin();
    for (std::int64_t row = 0; row < extent.rows(); ++row) {
        mask.nan_voxels += packer.pack(default_isa(), rows.next().data(), extent.nx, bits.data());
        for (std::int64_t x = 0; x < extent.nx; ++x) *voxel++ = bits[std::size_t(x / 64)] >> x % 64 & 1;
    }
    return mask;
}

/// A volume output of the run.
struct VolumeOutput {
    const std::string& path;
    io::Content content;
    ScalarType type;
};

/// One run of the command.
class TreeRun {
public:
    explicit TreeRun(const TreeOptions& options)
        : options_(options),
          reporter_(options.messages),
          progress_(options.messages),
          pool_(options.threads ? options.threads : available_threads()),
          outputs_(overwrite_of(options.existing), files_read({options.image, options.mask}, {}, options.input)) {
        for (const std::string& path : {options.nodes, options.counts})
            if (!path.empty() && path != "-") outputs_.check(path);
        const ChosenVolume chosen = choose_volume(options.image, options.input);
        image_ = open(chosen);
        mask_ = open_companion(options.mask, options.input, chosen);
        if (mask_)
            for (const std::string& note : settle_grid(*image_, std::array{&mask_->info()}, options.input.tolerance)) reporter_.note(note);
        connectivity_ = shape_request(options.connectivity, image_->info(), Units::voxel).connectivity;
        type_ = image_->info().scaling.is_identity() ? image_->info().type : ScalarType::f64;
        for (const VolumeOutput& output : volumes()) check_output(output);
    }

    void run() {
        const Extent& extent = image_->info().extent;
        image_->use_threads(pool_.size());
        held_ = read_voxels(*image_, [&](std::int64_t rows) { progress_.update("read", rows, extent.rows()); });
        if (mask_) held_mask_ = read_mask(*mask_);
        FileWarnings().report(options_.image, image_->info(), reporter_);
        if (mask_) FileWarnings().report(options_.mask, mask_->info(), reporter_);
        warn_of_nan(options_.image, held_.nan_voxels, "never in a component", reporter_);
        warn_of_nan(options_.mask, held_mask_.nan_voxels, "outside the mask", reporter_);
        if (!options_.tfce.empty()) write_enhanced();
        const bool needs_branches = !options_.nodes.empty() || !options_.h_maxima.empty() || !options_.dynamics.empty();
        if (needs_branches || !options_.area_opening.empty() || !options_.counts.empty()) {
            const ComponentTree tree = tree_of(options_.sign == Sign::negative ? Extrema::minima : Extrema::maxima, TreeRule::Values::all);
            if (needs_branches) write_branches(tree);
            if (!options_.area_opening.empty()) write_opened(tree);
            if (!options_.counts.empty()) write_counts(tree);
        }
        reporter_.warnings(outputs_.publish());
    }

private:
    std::vector<VolumeOutput> volumes() const {
        std::vector<VolumeOutput> volumes;
        for (const VolumeOutput& output : {VolumeOutput{options_.tfce, io::Content::values, ScalarType::f32},
                                           VolumeOutput{options_.dynamics, io::Content::values, ScalarType::f32},
                                           VolumeOutput{options_.area_opening, io::Content::values, type_},
                                           VolumeOutput{options_.h_maxima, io::Content::mask, ScalarType::u8}})
            if (!output.path.empty()) volumes.push_back(output);
        return volumes;
    }

    void check_output(const VolumeOutput& output) {
        io::check_label_output(output.path, options_.compress, outputs_, output.content);
        io::check_label_files(output.path, image_->info().extent, outputs_, output.content);
        if (output.content == io::Content::values && !io::stores_values(output.path, output.type))
            throw ProgramError(ErrorKind::unsupported, output.path,
                               "this format cannot hold values of type " + std::string(name_of(output.type)),
                               "write .nii.gz, .nrrd or .h5");
    }

    /// Memory for a tree.
    std::int64_t most_bytes() const {
        const std::optional<std::int64_t> memory = machine_memory();
        const auto held = std::int64_t(held_.bytes.size() + held_mask_.inside.size());
        return memory ? std::max<std::int64_t>(*memory - held, 0) : -1;
    }

    ComponentTree tree_of(Extrema extrema, TreeRule::Values values) const {
        const Extent& extent = image_->info().extent;
        const TreeRule rule{connectivity_, extrema, values, mask_ ? held_mask_.inside.data() : nullptr};
        const VolumeView view{held_.bytes.data(), held_.type, extent, dense(extent, size_of(held_.type))};
        return component_tree(view, rule, {.subject = options_.image, .most_bytes = most_bytes()});
    }

    template <class T>
    std::vector<T> new_volume() const {
        return std::vector<T>(std::size_t(image_->info().extent.voxels()));
    }

    template <class T>
    void write(const VolumeOutput& output, const std::vector<T>& voxels) {
        io::LabelVolume file{.path = output.path, .type = output.type, .like = &image_->info(), .compress = options_.compress};
        file.content = output.content, file.threads = pool_.size();
        std::vector<VolumeToWrite> volumes;
        volumes.push_back({file, from_memory(std::as_bytes(std::span(voxels)), image_->info().extent, output.type), nullptr});
        write_volumes(volumes, {nullptr, image_->info().extent.rows()}, {pool_, outputs_, progress_});
    }

    void enhance(Extrema extrema, std::vector<float>& enhanced) const {
        const ComponentTree tree = tree_of(extrema, TreeRule::Values::above_zero);
        try {
            write_tfce(tree, options_.rule, std::span(enhanced));
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::invalid_argument) throw;
            throw ProgramError(error.kind(), "--tfce-step", error.cause(), "give a larger step, as in 0.1, or exact");
        }
    }

    void write_enhanced() {
        std::vector<float> enhanced = new_volume<float>();
        if (options_.sign != Sign::negative) enhance(Extrema::maxima, enhanced);
        if (options_.sign != Sign::positive) enhance(Extrema::minima, enhanced);
        write({options_.tfce, io::Content::values, ScalarType::f32}, enhanced);
    }

    void write_branches(const ComponentTree& tree) {
        const std::vector<Branch> branches = branches_of(tree);
        if (!options_.nodes.empty()) write_nodes(tree, branches);
        if (!options_.dynamics.empty()) {
            std::vector<float> dynamics = new_volume<float>();
            write_dynamics(tree, branches, std::span(dynamics));
            write({options_.dynamics, io::Content::values, ScalarType::f32}, dynamics);
        }
        if (!options_.h_maxima.empty()) {
            std::vector<std::uint8_t> maxima = new_volume<std::uint8_t>();
            write_h_maxima(tree, branches, options_.height, maxima);
            write({options_.h_maxima, io::Content::mask, ScalarType::u8}, maxima);
        }
    }

    void write_opened(const ComponentTree& tree) {
        std::vector<std::byte> opened(held_.bytes.size());
        write_area_opening(tree, options_.least_voxels, opened.data());
        write({options_.area_opening, io::Content::values, type_}, opened);
    }

    io::TableWriter table(const std::string& path, std::vector<std::string> columns) {
        return io::TableWriter(path == "-" ? nullptr : &outputs_.create(path), io::table_format(path), std::move(columns));
    }

    /// A value as it is in the volume: the tree of minima has negated values.
    io::Cell value_cell(std::optional<double> value) const {
        if (!value) return {};
        return options_.sign == Sign::negative ? -*value : *value;
    }

    void write_nodes(const ComponentTree& tree, const std::vector<Branch>& branches) {
        const io::VolumeInfo& info = image_->info();
        const Units units = units_for(options_.units, info);
        if (const std::string note = note_on_lengths(options_.units, info); !note.empty()) reporter_.note(info.path + ": " + note);
        const std::optional<World> world = world_of(info, units);
        if (!world) reporter_.warning(info.path + ": " + no_world_warning(info, units));
        std::vector<std::string> columns{"branch", "peak_value", "peak_i", "peak_j", "peak_k"};
        for (const char* axis : {"peak_x_", "peak_y_", "peak_z_"}) columns.push_back(axis + std::string(name_of(units)));
        columns.insert(columns.end(), {"birth", "death", "persistence", "dynamics", "height", "voxels", "parent"});
        io::TableWriter rows = table(options_.nodes, columns);
        std::vector<io::Cell> row;
        for (std::size_t i = 0; i < branches.size(); ++i) {
            const Branch& branch = branches[i];
            const auto voxel = std::int64_t(tree.voxel(branch.node)), nx = info.extent.nx, ny = info.extent.ny;
            const std::array<std::int64_t, 3> at{voxel % nx, voxel / nx % ny, voxel / nx / ny};
            row = {io::Cell(std::uint64_t(i + 1)), value_cell(branch.birth)};
            for (const std::int64_t index : at) row.emplace_back(std::uint64_t(index));
            std::optional<std::array<double, 3>> position;
            if (world) position = world_position(*world, {double(at[0]), double(at[1]), double(at[2])});
            for (std::size_t axis = 0; axis < 3; ++axis) row.push_back(position ? io::Cell((*position)[axis]) : io::Cell());
            const std::optional<double> persistence = branch.persistence();
            row.insert(row.end(), {value_cell(branch.birth), value_cell(branch.death), persistence ? io::Cell(*persistence) : io::Cell(),
                                   io::Cell(branch.dynamics), io::Cell(branch.height()), io::Cell(branch.voxels),
                                   branch.parent ? io::Cell(std::uint64_t(*branch.parent + 1)) : io::Cell()});
            rows.row(row);
        }
        rows.finish();
        const std::string kind = options_.sign == Sign::negative ? "minim" : "maxim";
        reporter_.note(options_.image + ": " + std::to_string(branches.size()) + " " + kind + (branches.size() == 1 ? "um" : "a"));
    }

    void write_counts(const ComponentTree& tree) {
        std::vector<ThresholdCount> counts = counts_of(tree);
        if (!options_.thresholds.empty()) {
            std::vector<double> thresholds = options_.thresholds;
            if (options_.sign == Sign::negative) std::ranges::transform(thresholds, thresholds.begin(), std::negate<>());
            counts = counts_at(counts, thresholds);
        }
        io::TableWriter rows = table(options_.counts, {"threshold", "components", "voxels"});
        for (const ThresholdCount& count : counts)
            rows.row({value_cell(count.threshold), io::Cell(count.components), io::Cell(count.voxels)});
        rows.finish();
    }

    const TreeOptions& options_;
    const Reporter reporter_;
    ProgressBar progress_;
    ThreadPool pool_;
    io::OutputFiles outputs_;
    std::unique_ptr<io::VolumeReader> image_, mask_;  // mask_: null without --mask
    Connectivity connectivity_ = Connectivity::c26;
    ScalarType type_ = ScalarType::u8;  // of the held voxels
    HeldVoxels held_;
    HeldMask held_mask_;
};

}  // namespace

int run_tree(const TreeOptions& options) {
    set_default_isa(best_isa());
    TreeRun(options).run();
    return int(ExitCode::ok);
}

}  // namespace voxcc
