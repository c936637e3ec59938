// Expressions over the columns of a table, as in "voxels >= 100 and (sphericity > 0.7 or touches_border = 0)".
#pragma once
#include "io/table.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace voxcc {

/// A condition on the cells of a row.
///   operands      numbers, names of columns, texts in quotes; + - * / of numbers
///   comparisons   < <= > >= = (also ==) !=
///   conditions    and, or, not, parentheses; and binds tighter than or
/// A comparison with n/a is false, also with !=. Texts are compared with = and != only. A number is not equal to a text.
class Expression {
public:
    /// @param option that states the expression, for messages
    /// @throw Error invalid_argument for a text that is not an expression
    Expression(const std::string& text, const std::string& option);
    ~Expression();
    Expression(Expression&&) noexcept;
    Expression& operator=(Expression&&) noexcept;
    /// The names of the columns, each once, in the order in which they occur.
    const std::vector<std::string>& names() const { return names_; }
    /// @param cells of the names
    // "voxels > 3", {5} -> true
    bool is_true(std::span<const io::Cell> cells) const;

    struct Node;

private:
    std::unique_ptr<const Node> root_;
    std::vector<std::string> names_;
};

}  // namespace voxcc
