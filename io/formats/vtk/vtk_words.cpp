#include "io/formats/vtk/vtk_words.h"

#include "io/header_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace voxcc::io {
namespace {

constexpr std::size_t longest_word = 4096, longest_line = 1 << 20;

constexpr bool is_blank(char c) { return std::string_view(" \t\n\v\f\r").find(c) != std::string_view::npos; }

}  // namespace

std::string in_quotes(std::string_view word) {
    constexpr std::size_t most = 40;
    std::string text(word.substr(0, most));
    std::ranges::replace_if(
        text, [](char c) { return c < ' ' || c > '~'; }, '?');
    return "'" + text + "'";
}

void VtkWords::seek(std::int64_t position) {
    if (position >= begin_ && position <= begin_ + std::int64_t(filled_)) {
        used_ = std::size_t(position - begin_);
        return;
    }
    begin_ = position;
    used_ = filled_ = 0;
}

std::optional<char> VtkWords::next() {
    if (used_ == filled_) {
        begin_ += std::int64_t(filled_);
        used_ = 0;
        filled_ = file_.read_some(begin_, buffer_);
        if (filled_ == 0) return std::nullopt;
    }
    return char(buffer_[used_]);
}

std::string_view VtkWords::word() {
    word_.clear();
    for (auto c = next(); c && is_blank(*c); c = next()) ++used_;
    for (auto c = next(); c && !is_blank(*c); c = next()) {
        if (word_.size() == longest_word)
            throw Error(
                ErrorKind::invalid_file, file_.path(),
                "its text has a word of more than " + std::to_string(longest_word) + " bytes at byte " + std::to_string(position()));
        word_ += *c;
        ++used_;
    }
    return word_;
}

bool VtkWords::pass(std::string_view keyword) {
    const std::int64_t start = position();
    for (auto c = next(); c && is_blank(*c); c = next()) ++used_;
    std::string found;
    for (auto c = next(); c && !is_blank(*c) && found.size() <= keyword.size(); c = next()) {
        found += *c;
        ++used_;
    }
    if (lower_case(found) == keyword) return true;
    seek(start);
    return false;
}

std::string VtkWords::line() {
    std::string line;
    auto c = next();
    if (!c) throw Error(ErrorKind::truncated_file, file_.path(), "ends inside its header");
    for (; c && *c != '\n'; c = next()) {
        if (line.size() == longest_line)
            throw Error(ErrorKind::invalid_file, file_.path(),
                        "its text has a line of more than " + std::to_string(longest_line) + " bytes");
        line += *c;
        ++used_;
    }
    if (c) ++used_;
    if (line.ends_with('\r')) line.pop_back();
    return line;
}

void VtkWords::end_line() {
    const std::string rest = line();
    if (!trim(rest).empty())
        throw Error(ErrorKind::invalid_file, file_.path(), "has " + in_quotes(rest) + " where a line of its header must end");
}

void VtkWords::pass_end_of_word() {
    if (at_end()) throw Error(ErrorKind::truncated_file, file_.path(), "ends inside its last number");  // digits could be missing
    ++used_;
}

bool VtkWords::is_at_blank() {
    const auto c = next();
    return c && is_blank(*c);
}

std::byte VtkWords::byte() {
    if (at_end()) throw Error(ErrorKind::truncated_file, file_.path(), "ends inside its header");
    return buffer_[used_++];
}

void VtkWords::skip(std::int64_t bytes) {
    std::int64_t end = 0;
    if (bytes < 0 || __builtin_add_overflow(position(), bytes, &end))
        throw Error(ErrorKind::invalid_file, file_.path(), "the header claims more than 2^63 bytes");
    if (end > file_.size())
        throw Error(ErrorKind::truncated_file, file_.path(),
                    "expected " + std::to_string(end) + " bytes, got " + std::to_string(file_.size()));
    seek(end);
}

std::int64_t VtkWords::integer(std::string_view field) {
    const std::string_view text = number_word(field);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) refuse_number(field, "a whole number");
    return value;
}

double VtkWords::finite_number(std::string_view field) {
    const std::string_view text = number_word(field);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) refuse_number(field, "a number");
    return value;
}

std::string_view VtkWords::number_word(std::string_view field) {
    if (word().empty()) throw Error(ErrorKind::truncated_file, file_.path(), "ends inside " + in_quotes(field));
    std::string_view text = word_;
    if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
    return text;
}

void VtkWords::refuse_number(std::string_view field, const char* kind) const {
    throw Error(ErrorKind::invalid_file, file_.path(), in_quotes(field) + " holds " + in_quotes(word_) + ", which is not " + kind);
}

}  // namespace voxcc::io
