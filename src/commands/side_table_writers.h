// Writes the tables of contacts and of local maxima, of one input or of all inputs of a run together.
#pragma once
#include "src/pipeline/label_side_tables.h"

#include <map>

namespace voxcc {

/// The paths of side tables. A table that is not written has an empty path, or none.
using SideTablePaths = std::map<SideTable, std::string>;

class SideTableWriters {
public:
    /// Creates the tables in `outputs` (not published), or starts to write them to stdout.
    /// @param options, outputs must outlive this object
    SideTableWriters(const SideTablePaths& paths, const LabelOptions& options, const SideTableForm& form, io::OutputFiles& outputs);
    /// Adds the rows of a volume to all tables.
    void add(const LabelledVolume& volume);
    /// Completes the tables.
    void finish();

private:
    const LabelOptions& options_;
    SideTableForm form_;
    std::map<SideTable, io::TableWriter> writers_;
};

}  // namespace voxcc
