// The volumes or areas of components, summed from the rows of a table, for --summary.
#pragma once
#include "src/pipeline/summary_table.h"

namespace voxcc {

/// The components of one volume.
class SizeSum {
public:
    /// @param columns of the table
    explicit SizeSum(const std::vector<std::string>& columns);
    /// @param row one cell per column
    void add(const std::vector<io::Cell>& row);
    /// Volume or area of all components, in the unit of the table. Empty if the table has no such column, or if the cell of a component is
    /// n/a, because the sum of the others would be too small.
    std::optional<double> total() const;
    Space space() const { return space_; }
    Spaces spaces() const;                                 // that the columns have
    std::optional<Units> units() const { return units_; }  // empty without such columns

private:
    struct Column {
        std::size_t place;
        Space space;
    };
    std::vector<Column> columns_;
    std::optional<Units> units_;
    Space space_ = Space::volume;
    double total_ = 0;
    bool is_complete_ = true;
};

/// The table of --summary for volumes whose sizes come from tables.
struct SummaryTable {
    std::vector<std::string> columns;
    std::vector<std::vector<io::Cell>> rows;
    /// @param path - for stdout @throw the exceptions of io::OutputFiles and io::TableWriter
    void write(const std::string& path, io::OutputFiles& outputs) const;
};

/// @param volumes without space and size @param sums one per volume
SummaryTable summary_table(std::vector<VolumeSummary> volumes, const std::vector<SizeSum>& sums);

}  // namespace voxcc
