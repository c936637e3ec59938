#include <voxcc/foreground.h>
#include "kernels3d/base/order_statistics.h"
#include "kernels3d/levels/each_value.h"
#include "kernels3d/levels/histogram.h"
#include "kernels3d/levels/histogram_levels.h"
#include "kernels3d/levels/li_level.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace voxcc {
namespace {

using Method = LevelRule::Method;

constexpr std::array<std::pair<std::string_view, Method>, 4> names{
    {{"otsu", Method::otsu}, {"li", Method::li}, {"triangle", Method::triangle}, {"yen", Method::yen}}};

/// A percentage, around which blanks may stand.
std::optional<double> percent_in(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    const std::optional<Bound> percent = bound_in(text);
    if (!percent || !(percent->real >= 0 && percent->real <= 100)) return std::nullopt;
    return percent->real;
}

/// The k-th smallest stored value except NaN (k is 0-based). Each pass over the values finds 16 bits of its key.
template <class T>
T order_statistic(const LevelValues& values, std::uint64_t k) {
    constexpr int bits = sizeof(T) * 8, digit = std::min(bits, 16);
    std::uint64_t prefix = 0;
    for (int shift = bits - digit; shift >= 0; shift -= digit) {
        std::vector<std::uint64_t> counts(std::size_t{1} << digit);
        each_value<T>(values, [&](T v) {
            if (v != v) return;
            const std::uint64_t key = ordered_key(v);
            if (shift + digit < 64 && key >> (shift + digit) != prefix) return;
            ++counts[key >> shift & ((std::uint64_t{1} << digit) - 1)];
        });
        std::size_t at = 0;
        while (k >= counts[at]) k -= counts[at++];
        prefix = prefix << digit | at;
    }
    return value_of_key<T>(KeyOf<T>(prefix));
}

template <class T>
std::uint64_t count_numbers(const LevelValues& values) {
    std::uint64_t n = 0;
    if constexpr (std::is_floating_point_v<T>) each_value<T>(values, [&](T v) { n += v == v; });
    else if (values.count) n = *values.count;
    else each_part<T>(values, [&](std::span<const T> part) { n += part.size(); });
    if (n == 0) throw UndefinedLevel("value that is a number");
    return n;
}

template <class T, class Value>
double percentile(const LevelValues& values, const Value& value, double p) {
    using V = decltype(value(T{}));
    const std::uint64_t n = count_numbers<T>(values);
    const auto [index, next, part] = percentile_place(n, p);  // in the scaled values
    const auto stored_place = [&](std::uint64_t at) { return values.slope < 0 ? n - 1 - at : at; };
    const T low = order_statistic<T>(values, stored_place(index)), high = part > 0 ? order_statistic<T>(values, stored_place(next)) : low;
    V difference = value(high) - value(low);
    if constexpr (std::is_integral_v<T>)
        if (values.slope == 1 && values.intercept == 0) difference = double(int128(high) - int128(low));  // exact for 64-bit integers, too
    return interpolated(value(low), value(high), difference, part);
}

Bound level_in_range(const LevelValues& values, double percent) {
    return visit_values(values, [&]<class T>(std::type_identity<T>, const auto& value) -> Bound {
        const ValueRange<T> range = range_of<T>(values);
        if constexpr (std::is_integral_v<T>)
            if (values.slope == 1 && values.intercept == 0 && percent == 100) return range.largest;
        const auto [least, largest] = std::minmax<double>({double(value(range.least)), double(value(range.largest))});
        return percent == 100 ? largest : least + percent / 100 * (largest - least);
    });
}

double bin_level(const LevelValues& values, std::size_t (*bin_of)(Counts)) {
    const Histogram h = histogram(values);
    return h.level(double(bin_of(h.counts)));
}

}  // namespace

std::optional<LevelRule> level_in(std::string_view name) {
    for (const auto& [text, method] : names)
        if (name == text) return LevelRule{method};
    const bool is_percentile = name.starts_with('p'), is_range = name.ends_with('%');
    if (is_percentile) name.remove_prefix(1);
    else if (is_range) name.remove_suffix(1);
    else return std::nullopt;
    const std::optional<double> percent = percent_in(name);
    if (!percent) return std::nullopt;
    return LevelRule{is_percentile ? Method::percentile : Method::range, *percent};
}

std::string name_of(const LevelRule& rule) {
    if (rule.method == Method::percentile) return "p" + text_of(Bound(rule.percent));
    if (rule.method == Method::range) return text_of(Bound(rule.percent)) + "%";
    return std::string(std::ranges::find(names, rule.method, [](const auto& row) { return row.second; })->first);
}

Bound level_of(const LevelRule& rule, const LevelValues& values) {
    switch (rule.method) {
        case Method::otsu: return bin_level(values, otsu_bin);
        case Method::triangle: return bin_level(values, triangle_bin);
        case Method::yen: return bin_level(values, yen_bin);
        case Method::li: return li_level(values);
        case Method::percentile:
            return visit_values(values, [&]<class T>(std::type_identity<T>, const auto& value) -> Bound {
                return percentile<T>(values, value, rule.percent);
            });
        case Method::range: break;
    }
    return level_in_range(values, rule.percent);
}

}  // namespace voxcc
