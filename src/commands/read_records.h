// Checksums of the files that a run of `voxcc label` reads.
#pragma once
#include "src/cli/options.h"
#include "src/messages/file_record.h"

#include <mutex>
#include <optional>

namespace voxcc {

/// Thread-safe.
class ReadRecords {
public:
    /// @param options must outlive this object
    explicit ReadRecords(const LabelOptions& options) : options_(options) {}
    /// The records of all files of an input, then of the mask, then of the intensity image. The files of mask and intensity image are read
    /// by the first call only. @throw the exceptions of record_of()
    std::vector<FileRecord> of(const std::string& input);

private:
    const LabelOptions& options_;
    std::mutex mutex_;
    std::optional<std::vector<FileRecord>> of_companions_;
};

}  // namespace voxcc
