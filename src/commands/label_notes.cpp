#include "src/commands/label_notes.h"

#include "src/pipeline/geometry.h"
#include "src/pipeline/label_table.h"

namespace voxcc {

void LabelNotes::results(const LabelledVolume& v) {
    // The limits of sizes differ between volumes.
    for (const auto& [kind, text] : notes_on(v, options_))
        if (kind == ResultNote::nothing_left || noted_.insert(kind).second) reporter_.note(v.job.input + ": " + text);
    lengths(v);
}

/// Reports once that the lengths of a table are in voxels or in an unknown unit.
void LabelNotes::lengths(const LabelledVolume& v) {
    const std::string note = note_on_lengths(options_.units, v.described.info);
    if (!has_table(options_) || note.empty() || lengths_noted_) return;
    lengths_noted_ = true;
    reporter_.note(v.job.input + ": " + note);
}

void LabelNotes::missing_colour_tables(const LabelledInput& done) const {
    if (options_.colour_table == LabelOptions::ColourTable::none) return;
    std::set<std::string> paths;
    for (const LabelledVolume& v : done.volumes) {
        const std::string path = v.job.all_volumes().at(io::Content::labels);
        const ScalarType type = v.written.types.at(io::Content::labels);
        if (type == ScalarType::u8 || !paths.insert(path).second) continue;
        reporter_.warning(path + ": has no colour table, because a table has 255 colours for labels of type uint8" +
                          ", and the labels are of type " + std::string(name_of(type)));
    }
}

void LabelNotes::missing_threads(const ThreadPool& pool, int wanted) {
    if (pool.size() >= wanted) return;
    std::call_once(threads_noted_, [&] {
        reporter_.note("threads: " + std::to_string(pool.size()) + " of " + std::to_string(wanted) +
                       " could be started (limits on processes or memory); the result is the same");
    });
}

void LabelNotes::several_sheets(const std::vector<std::string>& paths) const {
    if (paths.size() > 1)
        reporter_.note("--preview: the tiles are divided over " + std::to_string(paths.size()) + " files, from " + paths.front() + " to " +
                       paths.back());
}

void LabelNotes::end_of_batch(const Counts& counts) const {
    const std::int64_t inputs = counts.labelled + counts.skipped + counts.failed;
    reporter_.note(counted(std::uint64_t(inputs), "input") + ": " + std::to_string(counts.labelled) + " labelled, " +
                   std::to_string(counts.skipped) + " skipped, " + std::to_string(counts.failed) + " failed");
}

void LabelNotes::interruption(std::int64_t complete, std::size_t inputs) const {
    const bool can_skip = options_.completed == LabelOptions::Completed::skip;
    std::string rest = !options_.failed.empty() ? "label the others with '--list " + options_.failed + "' and new names of common tables"
                       : can_skip               ? "type the same command again to label the others"
                                                : "with --failed PATH, a run writes a list of the others";
    if (std::size_t(complete) == inputs) rest = "all outputs are written";
    reporter_.note("interrupted: " + std::to_string(complete) + " of " + counted(inputs, "input") + " are complete; " + rest);
    end_messages();
}

}  // namespace voxcc
