#include "src/cli/threshold.h"

#include <voxcc/error.h>
#include "src/cli/numbers.h"
#include "src/messages/program_error.h"

#include <cmath>

namespace voxcc {
namespace {

[[noreturn]] void refuse(const std::string& text, const std::string& cause) {
    throw ProgramError(ErrorKind::invalid_argument, "--threshold", "'" + text + "' " + cause,
                       "write nonzero, '>T', '>=T', T, LO:HI, otsu or p99");
}

double bound_in(const std::string& text, std::string_view part) {
    const auto value = number_in<double>(part);
    if (!value) refuse(text, "is not a threshold");
    if (std::isnan(*value)) refuse(text, "compares with NaN, which no value equals or passes");
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
