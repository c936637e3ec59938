#include "src/pipeline/selection.h"

#include <voxcc/label.h>
#include "src/pipeline/labelled_foreground.h"
#include "src/pipeline/level.h"
#include "src/pipeline/mask_border.h"
#include "src/pipeline/request.h"
#include "src/pipeline/shape_values.h"
#include "src/pipeline/size_limits.h"
#include "src/pipeline/sources.h"

#include <limits>

namespace voxcc {
namespace {

/// The components that touch voxels outside the mask: see MaskBorder::take().
std::vector<bool> find_mask_border(const OpenedVolume& volume, const LabelledForeground& foreground, RunContext& context) {
    const DescribedVolume& described = volume.described;
    const auto mask = open_companion(context.options.mask, context.options.input, volume.job.image);
    const std::vector<std::uint64_t> raster_numbers;  // empty: the numbers stay as they are
    const Painter labels = foreground.painter(described.info.extent, ScalarType::u64, raster_numbers, context.pool);
    return components_at_mask_border(labels, *mask, described.slices, described.period, foreground.components.count());
}

/// The components with a voxel of --seed-threshold: see components_with().
std::vector<std::uint8_t> find_seeds(const OpenedVolume& volume, const LabelledForeground& foreground, RunContext& context) {
    const auto image = open_image_again(volume);
    const auto mask = open_companion(context.options.mask, context.options.input, volume.job.image);
    const ThresholdRule rule = parse_threshold(context.options.seed_threshold, "--seed-threshold");
    const ForegroundPacker packer(image->info().type, resolve(rule, {*image, mask.get()}, ForegroundRule::Take::inside));
    ReaderSource seeds(*image, packer, nullptr, default_isa(), Keep::bits, [](std::int64_t) {});
    const Extent& stored = volume.described.info.extent;
    const std::vector<std::uint64_t> raster_numbers;  // empty: the numbers stay as they are
    const Painter labels = foreground.painter(stored, ScalarType::u64, raster_numbers, context.pool);
    return components_with(labels, foreground.components.count(), stored, seeds, context.pool);
}

/// What only the voxels show about the components. Empty without the option.
struct Marks {
    std::vector<bool> at_mask_border;  // see find_mask_border()
    std::vector<std::uint8_t> seeds;   // see find_seeds()
};

std::vector<Candidate> candidates_of(const LabelledComponents& components, const Extent& faces, const Marks& marks,
                                     const LabelOptions& options) {
    std::vector<Candidate> candidates(components.count());
    const bool by_border = options.border == LabelOptions::Border::clear;
    for (std::size_t row = 0; row < candidates.size(); ++row) {
        candidates[row].voxels = components.sums.voxels(row);
        const bool is_at_border = by_border && touches_border(restore_axes(components.sums[row], components.engine_slices), faces);
        if (is_at_border || (!marks.at_mask_border.empty() && marks.at_mask_border[row]))
            candidates[row].place = Candidate::Place::at_border;
        if (!marks.seeds.empty() && marks.seeds[row] == 0) candidates[row].seed = Candidate::Seed::absent;
    }
    return candidates;
}

/// The values of the components, for --per-value; empty without it.
std::vector<std::uint64_t> source_values_of(const LabelledComponents& components, const LabelOptions& options) {
    if (options.largest == LabelOptions::Largest::of_all) return {};
    if (!components.source_value) return components.source_values;
    std::vector<std::uint64_t> values(components.count());
    for (std::size_t row = 0; row < values.size(); ++row) values[row] = components.source_value(row);
    return values;
}

}  // namespace

Criteria criteria_for(const LabelOptions& options, const io::VolumeInfo& info) {
    Criteria c;
    const Space space = space_of_components(connectivity_for(options, info), info);
    const Axis slices = slices_of(options);
    if (options.min_size) c.min_voxels = voxels_of(*options.min_size, info, space, slices, Round::up);
    if (options.max_size) c.max_voxels = voxels_of(*options.max_size, info, space, slices, Round::down);
    c.keep_largest = options.keep_largest;
    const bool clears = options.border == LabelOptions::Border::clear || options.mask_border == LabelOptions::Border::clear;
    c.border = clears ? Criteria::Border::clear : Criteria::Border::keep;
    c.numbering = options.sort == SortOrder::size ? Numbering::by_size : Numbering::by_first_voxel;
    return c;
}

std::uint64_t max_hole_of(const LabelOptions& options, const io::VolumeInfo& info) {
    if (!options.max_hole) return std::numeric_limits<std::uint64_t>::max();
    const Space space = space_of_components(connectivity_for(options, info), info);
    return voxels_of(*options.max_hole, info, space, slices_of(options), Round::down);
}

Extent faces_of(const LabelOptions& options, const Extent& extent) {
    Extent faces = extent;
    for (const auto& [axis, letter, n] : {std::tuple(Axis::x, 'x', &faces.nx), {Axis::y, 'y', &faces.ny}, {Axis::z, 'z', &faces.nz}})
        if (options.per_slice == axis || options.periodic.find(letter) != std::string::npos) *n = 1;
    return faces;
}

Selection select_components(const OpenedVolume& volume, const LabelledForeground& foreground, RunContext& context) {
    const LabelOptions& options = context.options;
    Marks marks;
    if (options.mask_border == LabelOptions::Border::clear) marks.at_mask_border = find_mask_border(volume, foreground, context);
    if (!options.seed_threshold.empty()) marks.seeds = find_seeds(volume, foreground, context);
    const LabelledComponents& components = foreground.components;
    const Criteria criteria = criteria_for(options, volume.described.info);
    constexpr std::size_t number = sizeof(Selection().final_numbers[0]);
    const bool keeps_all = criteria.keep_all() && options.seed_threshold.empty();
    const std::size_t of_value = options.largest == LabelOptions::Largest::of_all ? 0 : number;
    const std::size_t of_keep = options.keep.empty() ? 0 : 4 * number;  // the numbers before and after --keep
    foreground.take_memory(components.count(), (keeps_all ? 0 : sizeof(Candidate) + number + of_value) + of_keep);
    Selection selection;
    // If all components are kept, they are not listed as candidates: there can be as many as voxels.
    if (keeps_all) selection.count = components.count();
    else
        selection =
            select(candidates_of(components, volume.described.faces, marks, options), criteria, source_values_of(components, options));
    context.clock.end(&StageSeconds::select);
    return selection;
}

}  // namespace voxcc
