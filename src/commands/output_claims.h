// The outputs of a run, and the input or the option that writes each of them.
#pragma once
#include "io/files/checked_file.h"

#include <map>
#include <mutex>
#include <string>

namespace voxcc {

/// Refuses to write two results to one file. Two inputs with the same stem can have the same output. Thread-safe.
class OutputClaims {
public:
    /// Records that `claimant`, an input or an option, writes to `target`. Does nothing if `target` is empty or standard output, or if its
    /// folder is missing, which OutputFiles::check() reports.
    /// @throw Error invalid_argument if another claimant writes to the same file
    // add("out.nii.gz", "a.nii"), then add("out.nii.gz", "b/a.nii")  ->  Error
    void add(const std::string& target, const std::string& claimant);

private:
    std::mutex mutex_;
    std::map<io::FilePlace, std::string> claimants_;
};

}  // namespace voxcc
