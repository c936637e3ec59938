#include "src/pipeline/preview/scale_bar.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace voxcc::preview {
namespace {

std::string text_of(double length, int power, const char* unit) {
    std::array<char, 48> text;
    std::snprintf(text.data(), text.size(), "%g %s", length * std::pow(10, power), unit);
    return text.data();
}

}  // namespace

ScaleBar scale_bar(double pixels_per_unit, Unit unit) {
    constexpr double longest = 150;
    const double limit = longest / pixels_per_unit * (1 + 1e-9);
    const int power = int(std::floor(std::log10(limit)));
    const double decade = std::pow(10, power);
    const double leading = 5 * decade <= limit ? 5 : 2 * decade <= limit ? 2 : 1;
    ScaleBar bar{std::llround(leading * decade * pixels_per_unit), {}};
    if (unit == Unit::voxels) bar.text = text_of(leading, power, leading == 1 && power == 0 ? "voxel" : "voxels");
    else if (unit == Unit::unknown) bar.text = text_of(leading, power, leading == 1 && power == 0 ? "unit" : "units");
    else if (power >= 0) bar.text = text_of(leading, power, "mm");
    else if (power >= -3) bar.text = text_of(leading, power + 3, "um");
    else bar.text = text_of(leading, power + 6, "nm");
    return bar;
}

}  // namespace voxcc::preview
