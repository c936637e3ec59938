#include "src/cli/threshold.h"

#include <voxcc/error.h>
#include "src/cli/numbers.h"
#include "src/messages/program_error.h"

#include <cctype>
#include <cmath>

namespace voxcc {
namespace {

/// What to write instead of `text`.
std::string remedy_for(const std::string& text) {
    const auto option = text.size() > 1 && text.front() == '-' && !std::isdigit(static_cast<unsigned char>(text[1]));
    if (text.empty() || option) return "give a rule, and quote it: '>200'";
    if (text.find(' ') != std::string::npos) return "write the rule without blanks, as in '>5' or 2:5";
    if (text.front() == '<') return "write a range that starts at -inf, as in -inf:5 for values up to 5";
    if (text.back() == '%') return "write a percentile as p99, or a value";
    if (text.find(',') != std::string::npos) return "write numbers with a decimal point, and a range as LO:HI";
    return "write nonzero, '>T', '>=T', T, LO:HI, otsu or p99";
}

[[noreturn]] void refuse(const std::string& text, const std::string& cause) {
    throw ProgramError(ErrorKind::invalid_argument, "--threshold", "'" + text + "' " + cause, remedy_for(text));
}

double bound_in(const std::string& text, std::string_view part) {
    const auto value = number_in<double>(part);
    if (!value) refuse(text, "is not a threshold");
    if (std::isnan(*value)) refuse(text, "compares with NaN, and no value is above, below or equal to NaN");
    return *value;
}

}  // namespace

ThresholdRule parse_threshold(const std::string& text) {
    using Kind = ThresholdRule::Kind;
    const std::string_view view = text;
    if (view == "nonzero") return {};
    if (view == "otsu") return {.kind = Kind::otsu};
    if (view.starts_with(">=")) return {.kind = Kind::at_least, .low = bound_in(text, view.substr(2))};
    if (view.starts_with(">")) return {.kind = Kind::above, .low = bound_in(text, view.substr(1))};
    if (view.starts_with("p")) {
        const double percentile = bound_in(text, view.substr(1));
        if (percentile < 0 || percentile > 100) refuse(text, "is not a percentile from p0 to p100");
        return {.kind = Kind::percentile, .percentile = percentile};
    }
    if (const std::size_t colon = view.find(':'); colon != std::string_view::npos) {
        const double low = bound_in(text, view.substr(0, colon)), high = bound_in(text, view.substr(colon + 1));
        if (low > high) refuse(text, "is an empty range");
        return {.kind = Kind::range, .low = low, .high = high};
    }
    return {.kind = Kind::at_least, .low = bound_in(text, view)};
}

}  // namespace voxcc
