// Outputs that depend on other outputs of a run.
#pragma once
#include <string>
#include <vector>

namespace voxcc::io {

class OutputFiles;

/// Files that change because a run writes its outputs, for example a list of outputs. They are published together with the outputs.
class DependentOutputs {
public:
    virtual ~DependentOutputs() = default;
    /// Creates, writes and closes the files. OutputFiles::publish() calls it once, when all outputs are complete, and destroys the object
    /// when all files have their names. So the object can hold locks.
    /// @param files replaces existing files @return warnings, one line each
    virtual std::vector<std::string> write(OutputFiles& files) = 0;
};

}  // namespace voxcc::io
