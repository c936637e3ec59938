// --skip-existing: compares an input and its outputs with the summary that an earlier run has written.
#pragma once
#include "src/commands/label_outputs.h"
#include "src/commands/read_records.h"

namespace voxcc {

/// The result of the comparison.
struct EarlierRun {
    std::string difference;                // why the input must be labelled, such as "the version differs"; empty: it is up to date
    std::vector<std::string> replaceable;  // existing outputs that may be replaced without --force
    std::vector<FileRecord> read;          // the records of the files that are read; empty if they were not needed
    bool is_up_to_date() const { return difference.empty(); }
};

/// An input is up to date if the summary states this version and the same options. In addition, all files that are read and all outputs
/// must have the names, sizes and checksums in the summary.
///
/// An output that has the checksum in a summary of the same input contains only what voxcc can compute again. Therefore it may be replaced.
/// An output that was edited may not.
/// @param task must have a summary: `task.json` is a file
/// @throw the exceptions of record_of() for files that exist
EarlierRun compare_with_earlier_run(const InputTask& task, const LabelOptions& options, ReadRecords& records);

}  // namespace voxcc
