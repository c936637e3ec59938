#include "src/pipeline/preview/brightness.h"

#include <algorithm>
#include <cmath>

namespace voxcc::preview {
namespace {

/// The sum of the first three channels of a packed colour, see io::Colours.
template <class T>
double sum_of_channels(T colour) {
    constexpr int bits = sizeof(T) * 8 / 4;
    constexpr T mask = (T{1} << bits) - 1;
    return double((colour & mask) + (colour >> bits & mask) + (colour >> 2 * bits & mask));
}

}  // namespace

void brightness_of(const io::VolumeInfo& info, const std::byte* values, std::span<double> brightness) {
    const double sign = info.scaling.slope < 0 ? -1 : 1;
    visit_scalar(info.type, [&]<class T>(std::type_identity<T>) {
        const T* const stored = reinterpret_cast<const T*>(values);
        for (std::size_t x = 0; x < brightness.size(); ++x) {
            if constexpr (std::is_same_v<T, std::uint32_t> || std::is_same_v<T, std::uint64_t>)
                if (info.channels > 1) {
                    brightness[x] = sum_of_channels(stored[x]);
                    continue;
                }
            const double value = sign * double(stored[x]);
            brightness[x] = std::isfinite(value) ? value : Projection::no_value;
        }
    });
}

double Window::part(double value) const {
    if (!(low < high)) return 0;
    return std::clamp(value / 2 - low / 2, 0.0, high / 2 - low / 2) / (high / 2 - low / 2);  // halves: the difference must be finite
}

Window window_of(const std::vector<std::span<const double>>& views) {
    std::vector<double> values;
    for (const std::span<const double> view : views)
        std::ranges::copy_if(view, std::back_inserter(values), [](double value) { return value != Projection::no_value; });
    if (values.empty()) return {};
    std::ranges::sort(values);
    const auto percentile = [&](std::size_t p) { return values[(values.size() - 1) * p / 100]; };
    const Window window{percentile(1), percentile(99)};
    return window.low < window.high ? window : Window{values.front(), values.back()};
}

}  // namespace voxcc::preview
