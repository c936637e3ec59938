#include "src/pipeline/selection.h"

#include <voxcc/label.h>
#include "src/pipeline/pipeline.h"
#include "src/pipeline/request.h"
#include "src/pipeline/shape_values.h"
#include "src/pipeline/size_limits.h"

#include <limits>

namespace voxcc {

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

Selection select_components(const LabelledVolume& v, const LabelOptions& options) {
    const Criteria criteria = criteria_for(options, v.info);
    if (criteria.keep_all()) {  // before a candidate is listed: there can be as many as voxels
        Selection all;
        all.count = v.sums.size();
        return all;
    }
    std::vector<Candidate> candidates(v.sums.size());
    const bool by_border = options.border == LabelOptions::Border::clear;
    for (std::size_t row = 0; row < candidates.size(); ++row) {
        candidates[row].voxels = v.sums.voxels(row);
        const bool is_at_border = by_border && touches_border(restore_axes(v.sums[row], v.engine_slices), v.faces);
        if (is_at_border || (!v.at_mask_border.empty() && v.at_mask_border[row])) candidates[row].place = Candidate::Place::at_border;
    }
    return select(candidates, criteria);
}

}  // namespace voxcc
