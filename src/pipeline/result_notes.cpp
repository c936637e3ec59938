#include "src/pipeline/result_notes.h"

#include "src/messages/report.h"
#include "src/pipeline/sampled_values.h"
#include "src/pipeline/selection.h"

namespace voxcc {
namespace {

std::string note_on_threads(const std::string& number) {
    return "has values other than 0 and 1, and all values but 0 are foreground; -t " + number +
           " is the number of threads; for a threshold, add --threshold '>=" + number + "'";
}

/// Nothing if at least one voxel in a hundred is background.
std::string note_on_foreground(const LabelledVolume& v) {
    const auto voxels = std::uint64_t(v.described.info.extent.voxels());
    const std::uint64_t background = voxels - v.labelled.foreground;
    if (background > voxels / 100) return {};
    if (background == 0) return "all voxels are foreground, because no voxel is 0; for a threshold, add --threshold";
    return "more than 99 % of the voxels are foreground, because only " + counted(background, "voxel") +
           (background == 1 ? " is 0" : " are 0") + (v.labelled.nan_voxels > 0 ? " or NaN" : "") + "; for a threshold, add --threshold";
}

/// Nothing if components are left, or if there was none.
std::string note_on_selection(const LabelledVolume& v, const LabelOptions& options) {
    const LabelledComponents& components = v.labelled;
    if (v.selection.count > 0 || components.count() == 0) return {};
    const Criteria criteria = criteria_for(options, v.described.info);
    std::uint64_t smaller = 0, larger = 0;
    for (std::size_t row = 0; row < components.count(); ++row) {
        smaller += components.sums.voxels(row) < criteria.min_voxels;
        larger += components.sums.voxels(row) > criteria.max_voxels;
    }
    const std::uint64_t others = components.count() - smaller - larger;
    std::string text = "no component is left: ";
    const auto add = [&](std::uint64_t count, const std::string& what) {
        if (count == 0) return;
        text += (text.back() == ' ' ? "" : ", ") + std::to_string(count) + (count == 1 ? " is " : " are ") + what;
    };
    add(smaller, "smaller than --min-size");
    add(larger, "larger than --max-size");
    add(others, "at the border");
    return text;
}

}  // namespace

std::vector<NoteOnResult> notes_on(const LabelledVolume& v, const LabelOptions& options) {
    std::vector<NoteOnResult> notes;
    const auto add = [&](ResultNote kind, std::string text) {
        if (!text.empty()) notes.push_back({kind, std::move(text)});
    };
    if (v.labelled.has_other_values)
        if (const auto number = possible_threshold(options)) add(ResultNote::threads, note_on_threads(*number));
    const bool fills = options.holes == LabelOptions::Holes::fill;
    if (examines_values(options) && options.mask.empty() && !fills) add(ResultNote::foreground, note_on_foreground(v));
    if (v.labelled.joins_labels)
        add(ResultNote::joined_labels,
            "looks like labels, and labels that touch are joined; add --multilabel, or measure the labels with 'voxcc stats'");
    add(ResultNote::nothing_left, note_on_selection(v, options));
    return notes;
}

}  // namespace voxcc
