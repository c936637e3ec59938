// What was done to which files, for --json.
#pragma once
#include "src/pipeline/pipeline.h"

#include <nlohmann/json.hpp>

namespace voxcc {

/// A file of a batch that could not be done.
struct Failure {
    std::string input, error;
    ExitCode code;
};

/// SHA-256 of a file, in hexadecimal. @throw Error io_error and others of InputFile
std::string sha256(const std::string& path);

/// Accumulates one run's summary; only numbers and texts, so that a batch of thousands stays small.
class Provenance {
public:
    Provenance(const LabelOptions& options, const Choice& choice, int threads);
    void add(const LabelledVolume& volume);
    void add(const Failure& failure);
    /// The whole summary as one JSON text.
    std::string text() const;

private:
    const LabelOptions& options_;
    nlohmann::ordered_json summary_;
};

}  // namespace voxcc
