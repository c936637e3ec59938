#include "src/options/threshold.h"

#include <voxcc/error.h>
#include "src/errors/program_error.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace voxcc {
namespace {

using Kind = ForegroundRule::Kind;

/// Rules of one bound. A prefix must stand after the longer prefixes that begin with it.
struct OneBound {
    std::string_view prefix;
    Kind kind;
    Bound ForegroundRule::*bound;
};
constexpr std::array<OneBound, 6> one_bound{{{">=", Kind::at_least, &ForegroundRule::low},
                                             {">", Kind::above, &ForegroundRule::low},
                                             {"<=", Kind::at_most, &ForegroundRule::high},
                                             {"<", Kind::below, &ForegroundRule::high},
                                             {"abs>=", Kind::abs_at_least, &ForegroundRule::low},
                                             {"abs>", Kind::abs_above, &ForegroundRule::low}}};

constexpr std::string_view all_rules = "write nonzero, '>T', '<T', '==V', LO:HI, 'abs>T', otsu, li, triangle, yen, p99 or 40%";

/// What to write instead of `text`.
std::string remedy_for(const std::string& text) {
    const auto option = text.size() > 1 && text.front() == '-' && !std::isdigit(static_cast<unsigned char>(text[1]));
    if (text.find_first_not_of(' ') == std::string::npos || option) return "give a rule, and quote it: '>200'";
    if (text.find(',') != std::string::npos) return "write a list as ==1,2, a range as LO:HI, and numbers with a decimal point";
    if (text.find(' ') != std::string::npos) return "write one rule, as in '> 5' or '2 : 5'";
    return std::string(all_rules);
}

/// The complete text of a rule, and its option, for messages.
struct Source {
    const std::string& text;
    const std::string& option;
};

[[noreturn]] void refuse(const Source& source, const std::string& cause) {
    throw ProgramError(ErrorKind::invalid_argument, source.option, "'" + source.text + "' " + cause, remedy_for(source.text));
}

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// The rest of `text` after `prefix`, in which blanks may stand after "abs".
std::optional<std::string_view> after(std::string_view text, std::string_view prefix) {
    if (prefix.starts_with("abs")) {
        if (!text.starts_with("abs")) return std::nullopt;
        text = trimmed(text.substr(3)), prefix.remove_prefix(3);
    }
    return text.starts_with(prefix) ? std::optional(text.substr(prefix.size())) : std::nullopt;
}

Bound bound_of_part(const Source& source, std::string_view part) {
    const auto bound = bound_in(trimmed(part));
    if (!bound) refuse(source, "is not a threshold");
    if (std::isnan(bound->real)) refuse(source, "compares with NaN, and no value is above, below or equal to NaN");
    return *bound;
}

std::vector<Bound> values_in(const Source& source, std::string_view list) {
    std::vector<Bound> values;
    for (;;) {
        const std::size_t comma = list.find(',');
        values.push_back(bound_of_part(source, list.substr(0, comma)));
        if (comma == std::string_view::npos) return values;
        list.remove_prefix(comma + 1);
    }
}

ThresholdRule range_in(const Source& source, std::string_view low_text, std::string_view high_text) {
    const bool has_low = !trimmed(low_text).empty(), has_high = !trimmed(high_text).empty();
    if (!has_low && !has_high) refuse(source, "is a range without an end");
    if (!has_high) return {.rule = {.kind = Kind::at_least, .low = bound_of_part(source, low_text)}};
    if (!has_low) return {.rule = {.kind = Kind::at_most, .high = bound_of_part(source, high_text)}};
    const Bound low = bound_of_part(source, low_text), high = bound_of_part(source, high_text);
    if (low > high) refuse(source, "is an empty range");
    return {.rule = {.kind = Kind::range, .low = low, .high = high}};
}

std::string text_of_values(std::vector<Bound> values) {
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    std::string text;
    for (const Bound& v : values) text += (text.empty() ? "" : ",") + text_of(v);
    return text;
}

}  // namespace

ThresholdRule parse_threshold(const std::string& text, const std::string& option) {
    const Source source{text, option};
    const std::string_view view = trimmed(text);
    if (view == "nonzero") return {};
    if (const std::optional<LevelRule> level = level_in(view)) return {.rule = {.kind = level->kind()}, .level = level};
    for (const OneBound& form : one_bound)
        if (const auto rest = after(view, form.prefix)) {
            ThresholdRule threshold{.rule = {.kind = form.kind}};
            threshold.rule.*form.bound = bound_of_part(source, *rest);
            const bool absolute = form.kind == Kind::abs_above || form.kind == Kind::abs_at_least;
            if (absolute && threshold.rule.low < 0) refuse(source, "has a negative bound, and no absolute value is negative");
            return threshold;
        }
    if (view.starts_with("==")) return {.rule = {.kind = Kind::one_of, .values = values_in(source, view.substr(2))}};
    if (view.starts_with("!=")) return {.rule = {.kind = Kind::none_of, .values = values_in(source, view.substr(2))}};
    if (view.starts_with("p")) refuse(source, "is not a percentile from p0 to p100");
    if (view.ends_with("%")) refuse(source, "is not a part of the range from 0% to 100%");
    if (const std::size_t colon = view.find(':'); colon != std::string_view::npos)
        return range_in(source, view.substr(0, colon), view.substr(colon + 1));
    return {.rule = {.kind = Kind::at_least, .low = bound_of_part(source, view)}};
}

ThresholdRule threshold_of(const LabelOptions& options) {
    if (!options.threshold.empty()) return parse_threshold(options.threshold);
    return parse_threshold(options.threshold_from.empty() ? "nonzero" : "otsu");
}

std::string text_of(const ThresholdRule& threshold) {
    if (threshold.level) return name_of(*threshold.level);
    const ForegroundRule& rule = threshold.rule;
    for (const OneBound& form : one_bound)
        if (form.kind == rule.kind) return std::string(form.prefix) + text_of(rule.*form.bound);
    if (rule.kind == Kind::range) return text_of(rule.low) + ":" + text_of(rule.high);
    if (rule.kind == Kind::one_of) return "==" + text_of_values(rule.values);
    return rule.kind == Kind::none_of ? "!=" + text_of_values(rule.values) : "nonzero";
}

}  // namespace voxcc
