#include "src/parts/steps.h"

#include "src/errors/program_error.h"
#include "src/options/threshold.h"
#include "src/parts/final_faces.h"
#include "src/parts/measures_file.h"
#include "src/parts/numbered_part.h"
#include "src/parts/painted_file.h"
#include "src/parts/read_box.h"
#include "src/parts/scratch_file.h"
#include "src/pipeline/contacts.h"
#include "src/pipeline/level.h"

#include <algorithm>
#include <numeric>

namespace voxcc::parts {
namespace {

void note_done(const Reporter& reporter, const std::string& path) { reporter.note(path + " is complete, and is kept"); }

/// Whether the results of painting a part exist. @throw ProgramError if one of them is damaged or of another merge
bool is_painted(const Plan& plan, const std::string& folder, std::int64_t part, const MergedFile& merged) {
    if (!is_done(plan, FileKind::painted, folder, part)) return false;
    PaintedFile(plan, folder, part, merged);
    if (!has_measures(plan)) return true;
    if (!is_done(plan, FileKind::measures, folder, part)) return false;
    MeasuresFile(plan, folder, part, merged);
    return true;
}

/// Counts shape and contacts in a part, with the first voxels of the next parts. Calls labelled.prepare_paint().
void write_measures(const Plan& plan, const Folders& folders, std::int64_t part, LabelledPart& labelled, const PartState& state,
                    const PartNumbers& numbers, const MergedFile& merged, ThreadPool& pool) {
    HaloedPart haloed(plan.rules, part, labelled, state, numbers,
                      [&](std::int64_t of, int face) { return final_face(plan, folders.state, folders.merged, merged, of, face); });
    PartShapes shapes;
    std::vector<LabelContact> contacts;
    if (plan.options.shape == Shape::measure) shapes = haloed.shapes(plan.world, pool);
    if (!plan.options.contacts.empty()) contacts = haloed.contacts(contact_connectivity(plan.rules.rule, plan.rules.connectivity), pool);
    write_measures(plan, folders.merged, part, merged, shapes, contacts);
}

/// The rows of the table of the components that begin in a part.
PackedTable table_of(const Plan& plan, std::int64_t part, const PartState& state, const PartNumbers& numbers,
                     std::span<const std::uint64_t> known) {
    struct Begun {
        std::uint64_t number, row;
        std::size_t joined;  // the place in numbers.joined, from 1 on; 0: the component is one piece of this part
    };
    TablePacker packer(plan);
    const Box box = plan.rules.grid.box(part);
    const auto pack = [&](const Begun& begun) {
        const auto& [number, row, joined] = begun;
        const std::uint64_t value = state.values.empty() ? 0 : state.values[row];
        if (joined > 0) packer.add({number, value, numbers.totals[joined - 1], numbers.wraps[joined - 1]}, {}, numbers.intensities, joined);
        else packer.add({number, value, state.sums[row]}, box.first, state.intensities, row + 1);
    };
    // Components of a part are in the order of their first voxels. So are their numbers, unless they follow from sizes.
    const bool are_sorted = plan.rules.criteria.numbering == Numbering::by_first_voxel;
    std::vector<Begun> unsorted;
    std::size_t at = 0, in_joined = 0;
    for (std::size_t row = 0; row < known.size(); ++row) {
        const bool is_listed = at < numbers.listed.size() && numbers.listed[at] == row + 1;
        const bool begins = is_listed ? numbers.begins[at++] != 0 : true;
        const bool is_joined = in_joined < numbers.joined.size() && numbers.joined[in_joined] == row + 1;
        if (is_joined) ++in_joined;
        const Begun begun{known[row], row, is_joined ? in_joined : 0};
        if (begins && are_sorted) pack(begun);
        else if (begins) unsorted.push_back(begun);
    }
    std::ranges::sort(unsorted, {}, &Begun::number);
    for (const Begun& begun : unsorted) pack(begun);
    return packer.finish();
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

/// Labels a part and writes its state.
void write_labelled(const Plan& plan, const std::string& folder, std::int64_t part, VolumeBits voxels, PlannedInputs& inputs,
                    ThreadPool& pool) {
    LabelledPart labelled = label_voxels(plan, part, voxels, pool);
    std::vector<IntensitySums> intensities = measure(inputs, labelled, plan.rules.grid.box(part));
    HeldState held{labelled.take_state(), std::move(voxels)};
    held.state.intensities = std::move(intensities);
    write_state(plan, folder, part, held);
}

/// Whether the state of a part exists. If it does, prints a note.
bool is_labelled(const Plan& plan, const std::string& folder, std::int64_t part, const Reporter& reporter) {
    const FileKind kind = files_of(plan).state;
    if (!is_done(plan, kind, folder, part)) return false;
    note_done(reporter, path_of(kind, folder, part));
    return true;
}

}  // namespace

void label_part(const Plan& plan, const std::string& state, std::int64_t part, PlannedInputs& inputs, ThreadPool& pool,
                const Reporter& reporter) {
    if (is_labelled(plan, state, part, reporter)) return;
    inputs.image->rewind();
    if (inputs.mask) inputs.mask->rewind();
    const auto take = plan.options.polarity == Polarity::background ? ForegroundRule::Take::complement : ForegroundRule::Take::inside;
    const ForegroundRule rule = resolve(parse_threshold(plan.options.threshold), {*inputs.image}, take);
    const ForegroundPacker packer(inputs.image->info().type, rule);
    BoxBits box = read_box(*inputs.image, packer, inputs.mask.get(), plan.rules.grid.box(part), keep_for(plan.rules.rule));
    const auto warn = [&](const std::string& path, std::int64_t voxels, const char* where) {
        if (voxels > 0) reporter.warning(path + ": contains NaN in " + counted(std::uint64_t(voxels), "voxel") + "; NaN is " + where);
    };
    warn(plan.image.path, box.nan_voxels, "always background");
    if (plan.mask) warn(plan.mask->path, box.nan_voxels_of_mask, "outside the mask");
    write_labelled(plan, state, part, std::move(box.voxels), inputs, pool);
}

bool filling_reads_inputs(const Plan& plan) { return plan.mask || !plan.intensities.empty(); }

void fill_part(const Plan& plan, const Folders& folders, std::int64_t part, PlannedInputs& inputs, ThreadPool& pool,
               const Reporter& reporter) {
    if (is_labelled(plan, folders.state, part, reporter)) return;
    std::vector<std::uint64_t> mask;
    if (inputs.mask) {
        inputs.mask->rewind();
        mask = read_mask(*inputs.mask, plan.rules.grid.box(part)).voxels.bits;
    }
    VolumeBits voxels = filled_voxels(background_plan(plan), folders, part, std::move(mask), pool);
    write_labelled(plan, folders.state, part, std::move(voxels), inputs, pool);
}

std::uint64_t merge_states(const Plan& plan, const Folders& folders, const Reporter& reporter) {
    StateFiles states(plan, folders.state);
    MergedFile merged;
    for (std::int64_t part = 0; part < plan.rules.grid.parts(); ++part) merged.state_checksums.push_back(states.checksum(part));
    if (is_done(plan, files_of(plan).merged, folders.merged, 0)) {
        const MergedFile known = read_merged(plan, folders.merged);
        for (std::int64_t part = 0; part < plan.rules.grid.parts(); ++part) require_merged_state(states, folders.merged, part, known);
        note_done(reporter, path_of(files_of(plan).merged, folders.merged, 0));
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
    if (is_painted(plan, folders.merged, part, merged)) return note_done(reporter, path_of(FileKind::painted, folders.merged, part));
    auto [voxels, numbers, known, labelled] = number_part(plan, folders, part, merged, pool);
    PartState state = labelled.take_state();
    if (has_measures(plan)) write_measures(plan, folders, part, labelled, state, numbers, merged, pool);
    state.intensities = StateFiles(plan, folders.state).intensities(part);
    const io::ChunkForm form = painted_form(plan, merged.components);
    PaintedPart painted{merged.checksum, form.type, table_of(plan, part, state, numbers, known)};
    state = {};
    labelled.prepare_paint(form.type, known);
    painted.chunks = pack_chunks(chunks_of(plan.rules.grid, part, form.chunk), form, pool,
                                 [&labels = labelled](RowRange rows, std::byte* out) { labels.paint(rows, out); });
    write_painted(plan, folders.merged, part, std::move(painted));
}

}  // namespace voxcc::parts
