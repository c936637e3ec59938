#include "src/parts/numbered_part.h"

#include "src/parts/final_faces.h"
#include "src/pipeline/holes.h"

#include <algorithm>

namespace voxcc::parts {
namespace {

/// Checks that a part that is labelled again has the counts of its state. @throw ProgramError corrupt_file
void require_counts(StateFiles& states, std::int64_t part, const PartState& found) {
    reading(files_of(states.plan()).state, part, [&] {
        const std::vector<std::uint64_t> sizes = states.sizes(part);
        bool are_equal = found.row_counts == states.row_counts(part) && found.sums.size() == sizes.size();
        for (std::size_t row = 0; are_equal && row < sizes.size(); ++row) are_equal = found.sums.voxels(row) == sizes[row];
        if (!are_equal) throw Error(ErrorKind::corrupt_file, states.path(part), "has counts that its voxels do not have");
    });
}

}  // namespace

LabelledPart label_voxels(const Plan& plan, std::int64_t part, const VolumeBits& foreground, ThreadPool& pool) {
    VolumeBitsSource source(foreground);
    if (plan.round == PartRound::foreground) return LabelledPart(plan.rules, part, source, pool);
    BackgroundSource background(source, foreground.extent.nx);
    return LabelledPart(plan.rules, part, background, pool);
}

NumberedPart number_part(const Plan& plan, const Folders& folders, std::int64_t part, const MergedFile& merged, ThreadPool& pool) {
    StateFiles states(plan, folders.state);
    require_merged_state(states, folders.merged, part, merged);
    PartNumbers numbers = read_numbers(plan, folders.merged, part);
    std::vector<std::uint64_t> known = final_numbers(plan, numbers, states.row_counts(part), folders.merged, part, merged);
    VolumeBits voxels = states.voxels(part);
    LabelledPart labelled = label_voxels(plan, part, voxels, pool);
    require_counts(states, part, labelled.state());
    return {std::move(voxels), std::move(numbers), std::move(known), std::move(labelled)};
}

VolumeBits filled_voxels(const Plan& background, const Folders& folders, std::int64_t part, std::vector<std::uint64_t> mask,
                         ThreadPool& pool) {
    NumberedPart holes = number_part(background, folders, part, read_merged(background, folders.merged), pool);
    for (std::uint64_t& number : holes.known) number = std::min<std::uint64_t>(number, 1);
    const std::vector<bool> in_row = rows_of_holes(holes.known, holes.labelled.state().sums, holes.voxels.extent);
    if (in_row.empty()) return std::move(holes.voxels);
    holes.labelled.prepare_paint(ScalarType::u8, holes.known);
    const PaintHoles paint = [&](RowRange rows, std::byte* out) { holes.labelled.paint(rows, out); };
    holes.voxels.mask = std::move(mask);
    set_holes(holes.voxels, in_row, paint, pool);
    holes.voxels.mask.clear();
    return std::move(holes.voxels);
}

}  // namespace voxcc::parts
