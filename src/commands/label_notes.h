// The notes and warnings of `voxcc label` about a run and its results.
#pragma once
#include "src/messages/report.h"
#include "src/pipeline/result_notes.h"
#include "src/provenance/provenance.h"

#include <voxcc/threads.h>

#include <mutex>
#include <set>

namespace voxcc {

class LabelNotes {
public:
    /// @param options must outlive this object
    explicit LabelNotes(const LabelOptions& options) : options_(options), reporter_(options.messages) {}
    /// Reports the notes about a volume. A note that holds for many volumes is reported once per run. Not thread-safe.
    void results(const LabelledVolume& volume);
    /// Warns of each label volume that could not have the table of --colour-table.
    void missing_colour_tables(const LabelledInput& done) const;
    /// Reports, once per run, that the system has refused to start threads. Thread-safe. @param wanted number of threads
    void missing_threads(const ThreadPool& pool, int wanted);
    /// Reports that the tiles of --preview are in several files. Does nothing for one file.
    void several_sheets(const std::vector<std::string>& paths) const;
    /// Numbers of inputs.
    struct Counts {
        std::int64_t labelled = 0, skipped = 0, failed = 0;
    };
    /// Reports how a batch ended.
    void end_of_batch(const Counts& counts) const;
    /// Reports, as the last message, that the run was interrupted, and how the user labels the other inputs.
    void interruption(std::int64_t complete, std::size_t inputs) const;

private:
    void lengths(const LabelledVolume& volume);

    const LabelOptions& options_;
    Reporter reporter_;
    std::once_flag threads_noted_;
    std::set<ResultNote> noted_;
    bool lengths_noted_ = false;
};

}  // namespace voxcc
