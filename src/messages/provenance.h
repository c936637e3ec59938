// The JSON summary of a run for --json: options, inputs and results.
#pragma once
#include "src/messages/exit_codes.h"
#include "src/pipeline/pipeline.h"

#include <nlohmann/json.hpp>

namespace voxcc {

/// An input of a batch that failed.
struct Failure {
    std::string input, error;
    ExitCode code;
};

/// Computes the SHA-256 of a file, in hexadecimal. @throw Error as InputFile, io_error
std::string sha256(const std::string& path);

/// Collects the summary of one run. It holds only numbers and texts, so a batch of thousands of files needs little memory. Not thread-safe.
class Provenance {
public:
    /// @param options must outlive this object
    Provenance(const LabelOptions& options, const Choice& choice, int threads);
    void add(const LabelledVolume& volume);
    void add(const Failure& failure);
    /// @return the complete summary as JSON text
    std::string text() const;

private:
    const LabelOptions& options_;
    nlohmann::ordered_json summary_;
};

}  // namespace voxcc
