// The inputs of a batch that failed or were interrupted, and the file of --failed.
#pragma once
#include "io/files/checked_file.h"
#include "src/options/batch_input.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace voxcc {

/// Not thread-safe.
class FailedInputs {
public:
    /// @param path of the file; empty: no file is written. @param read files that it must not replace
    FailedInputs(std::string path, io::Overwrite overwrite, const std::shared_ptr<const io::FileSet>& read);
    /// Checks, before any work, whether the file can be written. @throw the exceptions of io::OutputFiles::check()
    void check() const;
    void add(const BatchInput& input, const std::string& error) { failures_.push_back({input, error}); }
    std::int64_t count() const { return std::int64_t(failures_.size()); }
    /// Writes the names of the inputs that failed, and the reasons as comments. The file is written also if no input failed. `--list` can
    /// read the file. @param inputs number of inputs of the batch @param columns of the list of inputs, which the file has, too
    /// @return warnings
    /// @throw the exceptions of io::OutputFiles
    std::vector<std::string> write(std::size_t inputs, const std::vector<std::string>& columns);

private:
    const std::string path_;
    io::OutputFiles outputs_;
    struct Failed {
        BatchInput input;
        std::string error;
    };
    std::vector<Failed> failures_;
};

/// The line of a list that stands for a name.
// "#a.nii" -> "./#a.nii", because # begins a comment, and so for "input", a header; a name that no line can hold -> nothing
std::optional<std::string> line_of_list(const std::string& name);

}  // namespace voxcc
