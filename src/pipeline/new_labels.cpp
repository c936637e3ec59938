#include "src/pipeline/new_labels.h"

#include "io/table_reader.h"
#include "src/errors/program_error.h"
#include "src/options/nearest.h"
#include "src/options/numbers.h"
#include "src/pipeline/expression.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace voxcc {
namespace {

using Label = NewLabels::Label;

std::string text_of_cell(const io::Cell& cell) {
    return std::visit(
        []<class T>(const T& held) -> std::string {
            if constexpr (std::is_same_v<T, double>) return shortest_text(held);
            else if constexpr (std::is_arithmetic_v<T>) return std::to_string(held);
            else if constexpr (std::is_same_v<T, std::string>) return held;
            else if constexpr (std::is_same_v<T, io::Numeral>) return held.text;
            else return "n/a";
        },
        cell);
}

/// The whole number of a cell; empty if it has another value, or a number that is not exact.
// "7", "7.0", "7e0" -> 7; "7.5", "seven", "1e20" -> empty
std::optional<Label> whole_number(const io::Cell& cell) {
    const io::Cell value = io::with_value(cell);
    if (const auto* positive = std::get_if<std::uint64_t>(&value)) return Label{*positive};
    const auto whole = [](std::int64_t number) {
        return Label{LabelBits(number), number < 0 ? Label::Sign::negative : Label::Sign::positive};
    };
    if (const auto* with_sign = std::get_if<std::int64_t>(&value)) return whole(*with_sign);
    constexpr double most_exact_double = 0x1p53;
    const auto* real = std::get_if<double>(&value);
    if (!real || !(std::abs(*real) <= most_exact_double) || std::floor(*real) != *real) return std::nullopt;
    return whole(std::int64_t(*real));
}

std::string text_of(const Label& label) {
    return label_text(label.bits, label.sign == Label::Sign::negative ? ScalarType::i64 : ScalarType::u64);
}

/// The rows of a table of labels, with errors that name the row.
class LabelRowsOfTable {
public:
    explicit LabelRowsOfTable(const std::string& path) : path_(path) {}

    /// Calls f(columns, row, places of the named columns) for each row.
    /// @return the columns
    template <std::size_t N, class F>
    std::vector<std::string> read(const std::array<std::string, N>& names, const F& f) {
        std::array<std::size_t, N> places{};
        const auto find = [&](const std::vector<std::string>& columns) {
            for (std::size_t i = 0; i < N; ++i) places[i] = place_of(names[i], columns);
        };
        std::vector<std::string> columns = io::read_table(path_, [&](const std::vector<std::string>& of_table, std::vector<io::Cell>& row) {
            if (++row_ == 1) find(of_table);
            f(of_table, row, places);
        });
        if (!columns.empty()) find(columns);  // a JSON table without rows has no columns
        return columns;
    }

    [[noreturn]] void refuse(const std::string& cause, const std::string& remedy) const {
        throw ProgramError(ErrorKind::invalid_file, path_, "row " + std::to_string(row_) + " " + cause, remedy);
    }
    Label label_in(const io::Cell& cell, const std::string& column) const {
        const std::optional<Label> label = whole_number(cell);
        if (!label)
            refuse("has '" + text_of_cell(cell) + "' in the column '" + column + "', and labels are whole numbers",
                   "write whole numbers, from -2^63 to 2^64 - 1");
        return *label;
    }

private:
    std::size_t place_of(const std::string& name, const std::vector<std::string>& columns) const {
        const auto found = std::ranges::find(columns, name);
        if (found == columns.end())
            throw ProgramError(ErrorKind::invalid_file, path_, "has no column '" + name + "'" + nearest_hint(name, columns),
                               "name the column '" + name + "' in the first line");
        return std::size_t(found - columns.begin());
    }
    const std::string& path_;
    std::size_t row_ = 0;  // from 1, without the names of the columns
};

/// The condition of --where on the rows of a table.
class WhereCondition {
public:
    explicit WhereCondition(const std::string& text) {
        if (!text.empty()) expression_.emplace(text, "--where");
    }
    /// Must be called before is_true(). @throw ProgramError invalid_argument if the table does not have a column of the expression
    void use(const std::string& table, const std::vector<std::string>& columns) {
        places_.clear();
        if (!expression_) return;
        for (const std::string& name : expression_->names()) {
            const auto found = std::ranges::find(columns, name);
            if (found == columns.end())
                throw ProgramError(ErrorKind::invalid_argument, "--where",
                                   table + " has no column '" + name + "'" + nearest_hint(name, columns),
                                   "write a column of the table: " + all_of(columns));
            places_.push_back(std::size_t(found - columns.begin()));
        }
    }
    bool is_true(const std::vector<io::Cell>& row) const {
        if (!expression_) return true;
        std::vector<io::Cell> cells;
        for (const std::size_t place : places_) cells.push_back(row[place]);
        return expression_->is_true(cells);
    }

private:
    static std::string all_of(const std::vector<std::string>& columns) {
        constexpr std::size_t most = 12;
        std::string text;
        for (std::size_t i = 0; i < std::min(most, columns.size()); ++i) text += (i ? ", " : "") + columns[i];
        return text + (columns.size() > most ? ", ..." : "");
    }
    std::optional<Expression> expression_;
    std::vector<std::size_t> places_;  // of the names of the expression
};

/// Union-find over labels. The root of a set is its smallest label.
class UnitedLabels {
public:
    void unite(std::uint64_t a, std::uint64_t b) {
        a = root(a), b = root(b);
        if (a != b) parents_[std::max(a, b)] = std::min(a, b);
    }
    NewLabels result() {
        std::vector<std::uint64_t> labels;
        labels.reserve(parents_.size());
        for (const auto& [label, parent] : parents_) labels.push_back(label);
        NewLabels result;
        for (const std::uint64_t label : labels) result.add({label}, root(label));
        return result;
    }

private:
    std::uint64_t root(std::uint64_t label) {
        std::uint64_t* parent = &parents_.try_emplace(label, label).first->second;
        while (*parent != label) {
            std::uint64_t& next = parents_.at(*parent);
            label = *parent;
            *parent = next;  // halves the path
            parent = &next;
        }
        return label;
    }
    std::unordered_map<std::uint64_t, std::uint64_t> parents_;
};

/// Requires that rows are of one file and one volume, because the labels of several volumes are not the same components.
class OneVolume {
public:
    /// @param refuse called with cause and remedy
    template <class Refuse>
    void add(const std::vector<std::string>& columns, const std::vector<io::Cell>& row, const Refuse& refuse) {
        for (std::size_t i = 0; i < columns.size(); ++i) {
            if (columns[i] != "file" && columns[i] != "volume") continue;
            const std::string text = text_of_cell(row[i]);
            const std::string& first = first_.try_emplace(columns[i], text).first->second;
            if (text != first)
                refuse("is of the " + columns[i] + " '" + text + "', and a row before it of '" + first + "'",
                       "choose one with --where, as in --where '" + columns[i] + " = " + in_expression(first, row[i]) + "'");
        }
    }

private:
    static std::string in_expression(const std::string& text, const io::Cell& like) {
        return std::holds_alternative<std::string>(like) ? "\"" + text + "\"" : text;
    }
    std::unordered_map<std::string, std::string> first_;  // cell by column
};

}  // namespace

std::uint64_t NewLabels::add(const Label& label, std::uint64_t number) {
    Numbers& numbers = label.sign == Label::Sign::negative ? negative_ : positive_;
    const auto [place, is_new] = numbers.try_emplace(label.bits, number);
    if (is_new) largest_ = std::max(largest_, number);
    return place->second;
}

std::optional<std::uint64_t> NewLabels::find(LabelBits label, ScalarType type) const {
    const Numbers& numbers = is_negative(label, type) ? negative_ : positive_;
    const auto found = numbers.find(label);
    return found == numbers.end() ? std::nullopt : std::optional(found->second);
}

NewLabels read_new_labels(const std::string& table) {
    NewLabels labels;
    LabelRowsOfTable rows(table);
    rows.read(std::array<std::string, 2>{"label", "new"}, [&](const auto&, const std::vector<io::Cell>& row, const auto& places) {
        const Label label = rows.label_in(row[places[0]], "label");
        const std::optional<Label> number = whole_number(row[places[1]]);
        if (!number || number->sign == Label::Sign::negative)
            rows.refuse("has '" + text_of_cell(row[places[1]]) + "' in the column 'new', and new numbers are whole numbers of at least 0",
                        "write whole numbers; 0 removes a label");
        if (label.bits == 0) {
            if (number->bits != 0) rows.refuse("gives a new number to the label 0, which is the background", "leave the row out");
            return;
        }
        if (const std::uint64_t before = labels.add(label, number->bits); before != number->bits)
            rows.refuse("gives the label " + text_of(label) + " the new number " + text_of(*number) + ", and a row before it the number " +
                            std::to_string(before),
                        "keep one row per label");
    });
    return labels;
}

NewLabels read_united_labels(const std::string& contacts, const std::string& condition) {
    UnitedLabels united;
    WhereCondition where(condition);
    OneVolume one;
    LabelRowsOfTable rows(contacts);
    std::vector<std::string> known;  // columns that `where` uses
    const auto columns_of_table =
        rows.read(std::array<std::string, 2>{"label_a", "label_b"},
                  [&](const std::vector<std::string>& columns, const std::vector<io::Cell>& row, const auto& places) {
                      const std::array names{"label_a", "label_b"};
                      if (known.empty()) where.use(contacts, known = columns);
                      std::array<Label, 2> pair;
                      for (std::size_t i = 0; i < 2; ++i) pair[i] = rows.label_in(row[places[i]], names[i]);
                      if (!where.is_true(row)) return;
                      const auto refuse = [&](const std::string& cause, const std::string& remedy) { rows.refuse(cause, remedy); };
                      one.add(columns, row, refuse);
                      for (std::size_t i = 0; i < 2; ++i) {
                          if (pair[i].sign == Label::Sign::negative)
                              refuse("has the negative label " + text_of(pair[i]), "give the labels new numbers first, with --table");
                          if (pair[i].bits == 0) refuse("has the label 0, which is the background", "leave the row out");
                      }
                      united.unite(pair[0].bits, pair[1].bits);
                  });
    if (known.empty() && !columns_of_table.empty()) where.use(contacts, columns_of_table);
    return united.result();
}

}  // namespace voxcc
