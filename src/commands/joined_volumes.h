// The volumes of joined tables, for --summary.
#pragma once
#include "src/pipeline/size_sum.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace voxcc {

class JoinedVolumes {
public:
    /// Adds the volume of a table without the column `file`, which may have no rows.
    /// @param file cell of this column @param columns of the table
    void add_table(const std::string& file, const std::vector<std::string>& columns) { place_of({file, ""}, columns); }
    /// Adds a component. @param columns of the joined table @param row one cell per column
    /// @param table for messages
    /// @throw Error invalid_file if the table has no column `voxels` with numbers
    void add_row(const std::vector<std::string>& columns, const std::vector<io::Cell>& row, const std::string& table);
    /// One row per volume, in the order in which the volumes came.
    SummaryTable summary() const { return summary_table(volumes_, sums_); }

private:
    using Key = std::pair<std::string, std::string>;  // file, number of the volume
    std::size_t place_of(const Key& key, const std::vector<std::string>& columns);

    std::vector<VolumeSummary> volumes_;
    std::vector<SizeSum> sums_;  // one per volume
    std::map<Key, std::size_t> places_;
};

}  // namespace voxcc
