// The JSON summary of a run for --json: options, inputs and results.
#pragma once
#include "src/errors/exit_codes.h"
#include "src/messages/file_record.h"
#include "src/pipeline/pipeline.h"

#include <nlohmann/json.hpp>

namespace voxcc {

/// An input of a batch that failed.
struct Failure {
    std::string input, error;
    ExitCode code;
};

/// One input after it was labelled: its volumes, and the files that were read and written for it.
struct LabelledInput {
    std::vector<LabelledVolume> volumes;
    std::vector<FileRecord> read, written;
    std::uint64_t largest_label() const;
};

/// The cells of a row of the list of inputs, by column.
nlohmann::ordered_json json_of(const std::vector<ListedCell>& row);

/// Collects the summary of one run. It holds only numbers and texts, so a batch of thousands of files needs little memory. Not thread-safe.
class Provenance {
public:
    Provenance(const LabelOptions& options, const Choice& choice, int threads);
    void add(const LabelledInput& input);
    void add(const Failure& failure);
    /// Adds an output of all inputs together.
    void add_output(const FileRecord& record);
    /// @param times of the run
    /// @return the complete summary as JSON text
    std::string text(const StageTimes& times) const;

private:
    void add(const LabelledVolume& volume);
    nlohmann::ordered_json summary_;
};

}  // namespace voxcc
