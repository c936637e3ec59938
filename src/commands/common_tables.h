// The tables of a run of `voxcc label` that hold the rows of all inputs.
#pragma once
#include "src/commands/output_claims.h"
#include "src/commands/side_table_writers.h"
#include "src/pipeline/component_output.h"

#include <optional>
#include <string>
#include <vector>

namespace voxcc {

/// The file of a table; null for stdout ("-").
io::OutputFile* table_file(const std::string& path, io::OutputFiles& outputs);

/// The table of the components, the table of the volumes, and the side tables. Each exists only if an option names one file for all inputs.
/// Not thread-safe.
class CommonTables {
public:
    /// Checks the paths of the tables, and starts the tables. @param options and @param outputs must outlive this object
    /// @throw the exceptions of OutputClaims::add() and io::OutputFiles::check()
    CommonTables(const LabelOptions& options, OutputClaims& claims, io::OutputFiles& outputs);
    void add(const LabelledVolume& volume);
    void finish();

private:
    void start_side_tables(OutputClaims& claims);
    void start_summary(OutputClaims& claims);
    void start_components(OutputClaims& claims);
    void check(const std::string& path, const std::string& option, OutputClaims& claims) const;

    const LabelOptions& options_;
    io::OutputFiles& outputs_;
    TableForm form_;
    std::vector<TableColumn> columns_;
    std::optional<ComponentOutput> components_;
    std::optional<io::TableWriter> volumes_;
    std::optional<SideTableWriters> side_tables_;
};

}  // namespace voxcc
