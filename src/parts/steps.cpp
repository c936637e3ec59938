#include "src/parts/steps.h"

#include "io/label_chunk.h"
#include "src/cli/threshold.h"
#include "src/messages/program_error.h"
#include "src/parts/painted_file.h"
#include "src/parts/read_box.h"
#include "src/parts/scratch_file.h"
#include "src/pipeline/level.h"

#include <algorithm>
#include <numeric>

namespace voxcc::parts {
namespace {

void note_done(const Reporter& reporter, const std::string& path) { reporter.note(path + " is complete, and is kept"); }

/// Checks that a state is the one that was merged.
void require_merged_state(StateFiles& states, const Folders& folders, std::int64_t part, const MergedFile& merged) {
    if (states.checksum(part) != merged.state_checksums[std::size_t(part)])
        throw ProgramError(ErrorKind::changed_file, path_of(FileKind::state, folders.state, part), "has changed since the merge",
                           "remove '" + folders.merged + "', and run 'voxcc merge' again");
}

/// The rows of the table of the components that begin in a part.
PackedTable table_of(const Plan& plan, std::int64_t part, const PartState& state, const PartNumbers& numbers,
                     std::span<const std::uint64_t> known) {
    struct Begun {
        std::uint64_t number, row;
        std::size_t joined;  // the place in numbers.joined, from 1 on; 0: the component is in this part only
    };
    std::vector<Begun> begun;
    begun.reserve(known.size());
    std::size_t at = 0, in_joined = 0;
    for (std::size_t row = 0; row < known.size(); ++row) {
        const bool is_listed = at < numbers.listed.size() && numbers.listed[at] == row + 1;
        const bool begins = is_listed ? numbers.begins[at++] != 0 : true;
        const bool is_joined = in_joined < numbers.joined.size() && numbers.joined[in_joined] == row + 1;
        if (is_joined) ++in_joined;
        if (begins) begun.push_back({known[row], row, is_joined ? in_joined : 0});
    }
    // Components of a part are in the order of their first voxels, as the numbers of the merge are, unless --sort has changed these.
    if (!std::ranges::is_sorted(begun, {}, &Begun::number)) std::ranges::sort(begun, {}, &Begun::number);
    const Box box = plan.rules.grid.box(part);
    TablePacker packer(plan);
    for (const auto& [number, row, joined] : begun)
        packer.add({number, state.values.empty() ? 0 : state.values[row],
                    joined > 0 ? numbers.totals[joined - 1] : moved(state.sums[row], box.first)},
                   joined > 0 ? numbers.intensities : state.intensities, joined > 0 ? joined : row + 1);
    return packer.finish();
}

/// The labels of a part in chunks. @param labelled must be prepared to paint the type of the form
std::vector<io::PackedSection> pack_labels(const LabelledPart& labelled, const Grid& chunks, const io::ChunkForm& form, ThreadPool& pool) {
    const Extent& extent = chunks.volume();
    const std::int64_t per_layer = chunks.counts()[0] * chunks.counts()[1];
    std::vector<io::PackedSection> packed(static_cast<std::size_t>(chunks.parts()));
    pool.for_each(chunks.counts()[2], [&](std::int64_t layer) {
        const Box slices = chunks.box(layer * per_layer);
        const RowRange rows{slices.first[2] * extent.ny, slices.count[2] * extent.ny};
        const auto labels = std::make_unique_for_overwrite<std::byte[]>(std::size_t(rows.count * extent.nx * size_of(form.type)));
        labelled.paint(rows, labels.get());
        const std::span painted(labels.get(), std::size_t(rows.count * extent.nx * size_of(form.type)));
        io::ChunkCutter cutter(extent, form.chunk, form.type);
        io::ChunkCompressor compressor(form.level);
        for (std::int64_t i = layer * per_layer; i < (layer + 1) * per_layer; ++i) {
            const Box chunk = chunks.box(i);
            const std::span<const std::byte> raw = cutter.cut(painted, rows.first, {chunk.first[0], chunk.first[1], chunk.first[2]});
            if (raw.empty()) continue;
            std::vector<std::byte> frame;
            compressor.append(raw, frame);
            packed[std::size_t(i)] = io::packed_section(raw.size(), std::move(frame));
        }
    });
    return packed;
}

/// Measures the intensity images in the components of a state.
std::vector<IntensitySums> measure(PlannedInputs& inputs, LabelledPart& labelled, const Box& box) {
    std::vector<IntensitySums> images;
    if (inputs.intensities.empty()) return images;
    std::vector<std::uint64_t> numbers(labelled.state().sums.size());
    std::iota(numbers.begin(), numbers.end(), std::uint64_t{1});
    labelled.prepare_paint(ScalarType::u32, numbers);
    for (const auto& image : inputs.intensities) {
        image->rewind();
        images.push_back(measure_box(*image, labelled, box));
    }
    return images;
}

}  // namespace

void label_part(const Plan& plan, const std::string& state, std::int64_t part, PlannedInputs& inputs, ThreadPool& pool,
                const Reporter& reporter) {
    if (is_done(plan, FileKind::state, state, part)) return note_done(reporter, path_of(FileKind::state, state, part));
    inputs.image->rewind();
    if (inputs.mask) inputs.mask->rewind();
    const auto take = plan.options.polarity == Polarity::background ? ForegroundRule::Take::complement : ForegroundRule::Take::inside;
    const ForegroundRule rule = resolve(parse_threshold(plan.options.threshold), *inputs.image, take);
    const ForegroundPacker packer(inputs.image->info().type, rule);
    BoxBits box = read_box(*inputs.image, packer, inputs.mask.get(), plan.rules.grid.box(part), keep_for(plan.rules.rule));
    const auto warn = [&](const std::string& path, std::int64_t voxels, const char* where) {
        if (voxels > 0) reporter.warning(path + ": contains NaN in " + counted(std::uint64_t(voxels), "voxel") + "; NaN is " + where);
    };
    warn(plan.image.path, box.nan_voxels, "always background");
    if (plan.mask) warn(plan.mask->path, box.nan_voxels_of_mask, "outside the mask");
    VolumeBitsSource source(box.voxels);
    LabelledPart labelled(plan.rules, part, source, pool);
    std::vector<IntensitySums> intensities = measure(inputs, labelled, plan.rules.grid.box(part));
    HeldState held{labelled.take_state(), std::move(box.voxels)};
    held.state.intensities = std::move(intensities);
    write_state(plan, state, part, held);
}

std::uint64_t merge_states(const Plan& plan, const Folders& folders, const Reporter& reporter) {
    StateFiles states(plan, folders.state);
    MergedFile merged;
    for (std::int64_t part = 0; part < plan.rules.grid.parts(); ++part) merged.state_checksums.push_back(states.checksum(part));
    if (is_done(plan, FileKind::merged, folders.merged, 0)) {
        const MergedFile known = read_merged(plan, folders.merged);
        for (std::int64_t part = 0; part < plan.rules.grid.parts(); ++part) require_merged_state(states, folders, part, known);
        note_done(reporter, path_of(FileKind::merged, folders.merged, 0));
        return known.components;
    }
    ScratchFile scratch(folders.merged);
    merged.components = merge_parts(plan.rules, states, scratch, [&](std::int64_t part, const PartNumbers& numbers) {
                            write_numbers(plan, folders.merged, part, numbers);
                        }).components;
    write_merged(plan, folders.merged, merged);
    return merged.components;
}

void relabel_part(const Plan& plan, const Folders& folders, std::int64_t part, ThreadPool& pool, const Reporter& reporter) {
    const MergedFile merged = read_merged(plan, folders.merged);
    if (is_done(plan, FileKind::painted, folders.merged, part)) {
        PaintedFile(plan, folders.merged, part, merged);
        return note_done(reporter, path_of(FileKind::painted, folders.merged, part));
    }
    StateFiles states(plan, folders.state);
    require_merged_state(states, folders, part, merged);
    const PartNumbers numbers = read_numbers(plan, folders.merged, part);
    const std::vector<std::uint64_t> known = numbers_of_part(numbers, states.row_counts(part));
    reading(FileKind::numbers, part, [&] {
        if (std::ranges::any_of(known, [&](std::uint64_t number) { return number > merged.components; }))
            throw Error(ErrorKind::corrupt_file, path_of(FileKind::numbers, folders.merged, part), "has a number above the last component");
    });
    const VolumeBits voxels = states.voxels(part);
    VolumeBitsSource source(voxels);
    LabelledPart labelled(plan.rules, part, source, pool);
    PartState state = labelled.take_state();
    reading(FileKind::state, part, [&] {
        const std::vector<std::uint64_t> sizes = states.sizes(part);
        bool are_equal = state.row_counts == states.row_counts(part) && state.sums.size() == sizes.size();
        for (std::size_t row = 0; are_equal && row < sizes.size(); ++row) are_equal = state.sums.voxels(row) == sizes[row];
        if (!are_equal)
            throw Error(ErrorKind::corrupt_file, path_of(FileKind::state, folders.state, part), "has counts that its voxels do not have");
    });
    state.intensities = states.intensities(part);
    const io::ChunkForm form = painted_form(plan, merged.components);
    PaintedPart painted{merged.checksum, form.type, table_of(plan, part, state, numbers, known)};
    state = {};
    labelled.prepare_paint(form.type, known);
    painted.chunks = pack_labels(labelled, chunks_of(plan, part), form, pool);
    write_painted(plan, folders.merged, part, std::move(painted));
}

}  // namespace voxcc::parts
