#include "lab/interface/option_values.h"

#include <voxcc/error.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace voxcc::bench {
namespace {

/// @return whether the complete text is a number
template <class T>
bool parse(const std::string& text, T& value) {
    const char* const end = text.data() + text.size();
    const auto [after, error] = std::from_chars(text.data(), end, value);
    return error == std::errc{} && after == end;
}

}  // namespace

std::int64_t integer_of(const std::string& option, const std::string& text, std::int64_t lowest, std::int64_t highest) {
    std::int64_t value = 0;
    if (!parse(text, value) || value < lowest || value > highest)
        throw Error(ErrorKind::invalid_argument, option,
                    "'" + text + "' is not a whole number from " + std::to_string(lowest) + " to " + std::to_string(highest),
                    "a number such as " + std::to_string(std::clamp<std::int64_t>(4, lowest, highest)));
    return value;
}

double real_of(const std::string& option, const std::string& text) {
    double value = 0;
    if (!parse(text, value) || !std::isfinite(value))
        throw Error(ErrorKind::invalid_argument, option, "'" + text + "' is not a number", "a number such as 0.5");
    return value;
}

Connectivity connectivity_of(const std::string& option, const std::string& text) {
    const auto connectivity = voxcc::connectivity_of(int(integer_of(option, text, 0, 99)));
    if (!connectivity) throw Error(ErrorKind::invalid_argument, option, "'" + text + "' is not a connectivity", "4, 8, 6, 18, 26");
    return *connectivity;
}

Isa isa_of(const std::string& option, const std::string& text) {
    for (const Isa isa : all_isas)
        if (text == name_of(isa)) return isa;
    throw Error(ErrorKind::invalid_argument, option, "'" + text + "' is not an instruction set", "portable, avx2, avx512");
}

}  // namespace voxcc::bench
