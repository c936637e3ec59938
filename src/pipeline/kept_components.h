// The components for which the expression of --keep is true.
#pragma once
#include "src/pipeline/expression.h"
#include "src/pipeline/labelled_values.h"

namespace voxcc {

/// An expression over the columns of a table.
class RowCondition {
public:
    /// @param columns all columns of the table. A name is the name of a column, also without its unit
    /// @param option that states the expression, for messages
    /// @throw Error invalid_argument for a text that is not an expression, and for a name that stands for no column
    RowCondition(const std::string& text, const std::string& option, const std::vector<TableColumn>& columns);
    bool is_true(const ComponentValues& values) const;
    /// The columns that the expression names.
    const std::vector<TableColumn>& columns() const { return columns_; }

private:
    Expression expression_;
    std::vector<TableColumn> columns_;  // of the names
};

/// Checks an expression before the unit of the table is known. @param extras of the table
/// @throw Error invalid_argument
void check_condition(const std::string& text, const std::string& option, ExtraColumns extras);

/// Drops the components for which --keep is false. The others get the numbers 1 to K, in the same order. Does nothing without --keep.
/// @param results of the components before
/// @param selection, measured receive the result
void keep_components(const StageResults& results, const LabelOptions& options, Selection& selection, MeasuredComponents& measured);

}  // namespace voxcc
