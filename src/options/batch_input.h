// An input of a run: its name, and the cells of its row if the list of inputs has columns.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace voxcc {

/// A cell of a list of inputs with columns.
struct ListedCell {
    std::string column, text;  // the text as it is in the list
};

/// The text of a cell; null if the row does not have the column.
inline const std::string* find_text(const std::vector<ListedCell>& row, std::string_view column) {
    const auto cell = std::ranges::find(row, column, &ListedCell::column);
    return cell == row.end() ? nullptr : &cell->text;
}

/// The texts of the cells of columns, which the row must have.
// {{"input", "a.nii"}, {"age", "7"}, {"group", "x"}}, {"age", "group"} -> {"7", "x"}
inline std::vector<std::string> texts_of(const std::vector<ListedCell>& row, const std::vector<std::string>& columns) {
    std::vector<std::string> texts;
    for (const std::string& column : columns) texts.push_back(*find_text(row, column));
    return texts;
}

// {"a.nii", {{"input", "a.nii"}, {"mask", "m.nii"}, {"group", "control"}}}
struct BatchInput {
    std::string name;                    // as it was typed
    std::vector<ListedCell> cells = {};  // in the order of the list; empty: the input is not in a list with columns
};

// {{"a.nii"}, {"b.nii"}} -> {"a.nii", "b.nii"}
inline std::vector<std::string> input_names(const std::vector<BatchInput>& inputs) {
    std::vector<std::string> names;
    for (const BatchInput& input : inputs) names.push_back(input.name);
    return names;
}

}  // namespace voxcc
