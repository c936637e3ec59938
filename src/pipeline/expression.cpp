#include "src/pipeline/expression.h"

#include "src/errors/program_error.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

namespace voxcc {

enum class ExpressionKind : std::uint8_t { number, text, column, add, subtract, multiply, divide, compare, both, either, negation };

namespace {

/// The value of an operand: a number, a text, or n/a (monostate). Integers of 64 bits are exact in a long double.
using Value = std::variant<std::monostate, long double, std::string>;

Value value_of(const io::Cell& cell) {
    return std::visit(
        []<class T>(const T& held) -> Value {
            if constexpr (std::is_arithmetic_v<T>) return std::isnan(double(held)) ? Value() : static_cast<long double>(held);
            else if constexpr (std::is_same_v<T, std::string>) return held;
            else if constexpr (std::is_same_v<T, io::Numeral>) return std::strtold(held.text.c_str(), nullptr);
            else return Value();
        },
        cell);
}

constexpr std::array comparisons{"<=", ">=", "==", "!=", "<", ">", "="};  // longer ones first

bool holds(const std::string& comparison, const auto& a, const auto& b) {
    if (comparison == "<") return a < b;
    if (comparison == "<=") return a <= b;
    if (comparison == ">") return a > b;
    if (comparison == ">=") return a >= b;
    return (a == b) == (comparison != "!=");
}

}  // namespace

struct Expression::Node {
    ExpressionKind kind;
    std::string text = {};  // ExpressionKind::text; the comparison of ExpressionKind::compare
    long double number = 0;
    std::size_t column = 0;  // index of the name
    std::unique_ptr<const Node> left = nullptr, right = nullptr;

    Value value(std::span<const io::Cell> cells) const {
        switch (kind) {
            case ExpressionKind::number: return number;
            case ExpressionKind::text: return text;
            case ExpressionKind::column: return value_of(cells[column]);
            default: break;
        }
        const Value a = left->value(cells), b = right->value(cells);
        const auto *x = std::get_if<long double>(&a), *y = std::get_if<long double>(&b);
        if (!x || !y) return {};
        const long double result = kind == ExpressionKind::add        ? *x + *y
                                   : kind == ExpressionKind::subtract ? *x - *y
                                   : kind == ExpressionKind::multiply ? *x * *y
                                                                      : *x / *y;
        return std::isnan(result) ? Value() : result;
    }
    bool is_condition() const { return kind >= ExpressionKind::compare; }
    bool is_true(std::span<const io::Cell> cells) const {
        switch (kind) {
            case ExpressionKind::both: return left->is_true(cells) && right->is_true(cells);
            case ExpressionKind::either: return left->is_true(cells) || right->is_true(cells);
            case ExpressionKind::negation: return !left->is_true(cells);
            default: break;
        }
        const Value a = left->value(cells), b = right->value(cells);
        if (std::holds_alternative<std::monostate>(a) || std::holds_alternative<std::monostate>(b)) return false;
        const auto *x = std::get_if<long double>(&a), *y = std::get_if<long double>(&b);
        if (x && y) return holds(text, *x, *y);
        if (x || y) return text == "!=";  // a number and a text
        return holds(text, std::get<std::string>(a), std::get<std::string>(b));
    }
};

namespace {

using Node = Expression::Node;
using Tree = std::unique_ptr<const Node>;

/// Reads an expression from left to right.
class Parser {
public:
    Parser(const std::string& text, const std::string& option, std::vector<std::string>& names)
        : text_(text), option_(option), names_(names) {}

    Tree parse() {
        Tree tree = condition();
        if (at_ < text_.size()) refuse("has '" + text_.substr(at_, 20) + "' after its end");
        return tree;
    }

private:
    [[noreturn]] void refuse(const std::string& cause) const {
        throw ProgramError(ErrorKind::invalid_argument, option_, "'" + text_ + "' " + cause,
                           "write conditions as in 'voxels >= 100 and sphericity > 0.7'");
    }
    void skip_blanks() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    }
    static bool is_in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }
    /// Passes a sign, or a word that ends there, in any case. @param token in lower case
    bool passes(std::string_view token) {
        skip_blanks();
        const auto is_same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
        const std::string_view rest = std::string_view(text_).substr(at_, token.size());
        if (!std::ranges::equal(rest, token, is_same)) return false;
        const std::size_t end = at_ + token.size();
        if (is_in_word(token.front()) && end < text_.size() && is_in_word(text_[end])) return false;
        at_ = end;
        return true;
    }
    void require_condition(const Tree& tree, const char* where) const {
        if (!tree->is_condition()) refuse(std::string("has no comparison ") + where);
    }
    Tree joined(ExpressionKind kind, Tree left, Tree right) const {
        const char* const where = kind == ExpressionKind::both ? "beside 'and'" : "beside 'or'";
        require_condition(left, where), require_condition(right, where);
        return std::make_unique<Node>(Node{.kind = kind, .left = std::move(left), .right = std::move(right)});
    }
    Tree condition() {
        const Nested nested(*this);
        Tree tree = conjunction();
        while (passes("or")) tree = joined(ExpressionKind::either, std::move(tree), conjunction());
        return tree;
    }
    Tree conjunction() {
        Tree tree = comparison();
        while (passes("and")) tree = joined(ExpressionKind::both, std::move(tree), comparison());
        return tree;
    }
    Tree comparison() {
        if (passes("not")) {
            const Nested nested(*this);
            Tree tree = comparison();
            require_condition(tree, "after 'not'");
            return std::make_unique<Node>(Node{.kind = ExpressionKind::negation, .left = std::move(tree)});
        }
        Tree left = sum();
        for (const char* const sign : comparisons) {
            if (!passes(sign)) continue;
            Tree right = sum();
            if (left->is_condition() || right->is_condition()) refuse("compares a condition");
            const bool is_order = sign[0] == '<' || sign[0] == '>';
            if (is_order && (left->kind == ExpressionKind::text || right->kind == ExpressionKind::text))
                refuse("compares the order of texts");
            return std::make_unique<Node>(
                Node{.kind = ExpressionKind::compare, .text = sign, .left = std::move(left), .right = std::move(right)});
        }
        return left;
    }
    Tree computed(ExpressionKind kind, Tree left, Tree right) const {
        for (const Tree* tree : {&left, &right})
            if ((*tree)->is_condition() || (*tree)->kind == ExpressionKind::text) refuse("computes with something that is not a number");
        return std::make_unique<Node>(Node{.kind = kind, .left = std::move(left), .right = std::move(right)});
    }
    Tree sum() {
        Tree tree = product();
        for (;;) {
            if (passes("+")) tree = computed(ExpressionKind::add, std::move(tree), product());
            else if (passes("-")) tree = computed(ExpressionKind::subtract, std::move(tree), product());
            else return tree;
        }
    }
    Tree product() {
        Tree tree = operand();
        for (;;) {
            if (passes("*")) tree = computed(ExpressionKind::multiply, std::move(tree), operand());
            else if (passes("/")) tree = computed(ExpressionKind::divide, std::move(tree), operand());
            else return tree;
        }
    }
    Tree operand() {
        const Nested nested(*this);
        skip_blanks();
        if (at_ == text_.size()) refuse("ends too early");
        if (passes("(")) {
            Tree tree = condition();
            if (!passes(")")) refuse("has '(' without ')'");
            return tree;
        }
        if (passes("-")) return computed(ExpressionKind::subtract, std::make_unique<Node>(Node{.kind = ExpressionKind::number}), operand());
        if (text_[at_] == '\'' || text_[at_] == '"') return quoted();
        if (std::isdigit(static_cast<unsigned char>(text_[at_])) || text_[at_] == '.') return number();
        return column();
    }
    Tree quoted() {
        const std::size_t end = text_.find(text_[at_], at_ + 1);
        if (end == std::string::npos) refuse("has a quote without its partner");
        auto node = std::make_unique<Node>(Node{.kind = ExpressionKind::text, .text = text_.substr(at_ + 1, end - at_ - 1)});
        at_ = end + 1;
        return node;
    }
    Tree number() {
        long double value = 0;
        const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        const auto next = std::size_t(end - text_.data());
        if (error != std::errc() || (next < text_.size() && is_in_word(text_[next]))) refuse("has a number that is not valid");
        at_ = next;
        return std::make_unique<Node>(Node{.kind = ExpressionKind::number, .number = value});
    }
    Tree column() {
        std::size_t end = at_;
        while (end < text_.size() && is_in_word(text_[end])) ++end;
        if (end == at_) refuse("has '" + text_.substr(at_, 1) + "' where a number or a column must be");
        const std::string name = text_.substr(at_, end - at_);
        at_ = end;
        const auto found = std::ranges::find(names_, name);
        const auto index = std::size_t(found - names_.begin());
        if (found == names_.end()) names_.push_back(name);
        return std::make_unique<Node>(Node{.kind = ExpressionKind::column, .column = index});
    }

    /// Counts the depth of parentheses and signs, so that a long text does not use up the stack.
    struct Nested {
        explicit Nested(Parser& p) : parser(p) {
            constexpr int most = 200;
            if (++parser.depth_ > most) parser.refuse("is nested too deeply");
        }
        ~Nested() { --parser.depth_; }
        Nested(const Nested&) = delete;
        Nested& operator=(const Nested&) = delete;
        Parser& parser;
    };

    const std::string& text_;
    const std::string& option_;
    std::vector<std::string>& names_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace

Expression::Expression(const std::string& text, const std::string& option) {
    constexpr std::size_t most = 10'000;  // bytes, so that a tree of conditions does not use up the stack
    if (text.size() > most)
        throw ProgramError(ErrorKind::invalid_argument, option, "is longer than 10,000 characters", "write a shorter one");
    root_ = Parser(text, option, names_).parse();
    if (!root_->is_condition())
        throw ProgramError(ErrorKind::invalid_argument, option, "'" + text + "' compares nothing",
                           "write conditions as in 'voxels >= 100 and sphericity > 0.7'");
}
Expression::~Expression() = default;
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;

bool Expression::is_true(std::span<const io::Cell> cells) const { return root_->is_true(cells); }

}  // namespace voxcc
