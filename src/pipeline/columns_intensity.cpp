// The columns that --intensity adds.
#include "src/pipeline/columns.h"

namespace voxcc {
namespace {

/// The cell of a value of the intensity image.
template <auto IntensityProperties::*member>
io::Cell of_image(const ImageValues& v, std::size_t at) {
    const auto& value = v.properties.*member;
    if constexpr (requires { value[at]; }) return value[at];
    else if constexpr (requires { (*value)[at]; }) return value ? io::Cell((*value)[at]) : io::Cell();
    else return value;
}

}  // namespace

std::vector<ColumnFamily> columns_of_intensity() {
    constexpr std::string_view scaled = "Values are scaled by slope and intercept of the image. NaN is left out.";
    struct Text {
        std::string_view title, meaning, formula = {};
    };
    const auto family = [&](Quantity quantity, std::vector<ColumnFamily::Member> members, const Text& text, auto cell) {
        return ColumnFamily{.title = text.title,
                            .members = std::move(members),
                            .quantity = quantity,
                            .meaning = text.meaning,
                            .remark = scaled,
                            .formula = text.formula,
                            .image_cell = cell};
    };
    using I = IntensityProperties;
    using Q = Quantity;
    std::vector<ColumnFamily> families{
        family(Q::image, {{"intensity_mean"}}, {"mean intensity", "mean of the values", "sum of v / n"}, of_image<&I::mean>),
        family(Q::image, {{"intensity_std"}},
               {"standard deviation of the intensity", "standard deviation over the population; 0 for one voxel",
                "sqrt(sum of (v - mean)^2 / n)"},
               of_image<&I::standard_deviation>),
        family(Q::image, {{"intensity_min"}}, {"lowest intensity", "least value"}, of_image<&I::min>),
        family(Q::image, {{"intensity_max"}}, {"highest intensity", "greatest value"}, of_image<&I::max>),
        family(Q::image, {{"intensity_sum"}}, {"sum of the intensity", "sum of the values, not multiplied by the voxel volume", "sum of v"},
               of_image<&I::sum>),
        family(Q::voxels, {{"weighted_centroid_i", "i"}, {"weighted_centroid_j", "j"}, {"weighted_centroid_k", "k"}},
               {"weighted centroid", "centroid, weighted by v", "sum of v p / sum of v"}, of_image<&I::weighted_centroid>),
        family(Q::length, {{"weighted_centroid_x", "x"}, {"weighted_centroid_y", "y"}, {"weighted_centroid_z", "z"}},
               {"position of the weighted centroid", "position of the weighted centroid", "A (centroid)"},
               of_image<&I::weighted_centroid_mm>),
        family(Q::plain, {{"peak_i", "i"}, {"peak_j", "j"}, {"peak_k", "k"}},
               {"peak", "voxel with the greatest value; ties: the first in raster order"}, of_image<&I::peak>),
        family(Q::length, {{"peak_x", "x"}, {"peak_y", "y"}, {"peak_z", "z"}}, {"position of the peak", "position of the peak", "A (peak)"},
               of_image<&I::peak_mm>),
        family(Q::plain, {{"minimum_i", "i"}, {"minimum_j", "j"}, {"minimum_k", "k"}},
               {"minimum", "voxel with the least value; ties: the first in raster order"}, of_image<&I::minimum>),
        family(Q::length, {{"minimum_x", "x"}, {"minimum_y", "y"}, {"minimum_z", "z"}},
               {"position of the minimum", "position of the minimum", "A (minimum)"}, of_image<&I::minimum_mm>),
        family(Q::plain, {{"skewness"}},
               {"skewness of the intensity", "skewness over the population; above 0 if large values spread more than small ones",
                "m3 / m2^1.5"},
               of_image<&I::skewness>),
        family(Q::plain, {{"kurtosis"}},
               {"excess kurtosis of the intensity", "kurtosis over the population, minus 3; 0 for a normal distribution", "m4 / m2^2 - 3"},
               of_image<&I::kurtosis>),
        family(Q::image, {{"intensity_p50"}},
               {"percentile of the intensity", "percentile, one column per number of `--percentiles`; linear interpolation"},
               [](const ImageValues& v, std::size_t at) { return at < v.percentiles.size() ? io::Cell(v.percentiles[at]) : io::Cell(); })};
    for (ColumnFamily& f : families) {
        f.group = "intensity";
        if (f.title == "peak" || f.title == "minimum") f.range = "index";
        if (f.title == "lowest intensity" || f.title == "highest intensity") f.infinite = ColumnFamily::Infinite::value;
    }
    families.back().repeat = ColumnFamily::Members::percentiles;
    families.back().infinite = ColumnFamily::Infinite::value;
    return families;
}

}  // namespace voxcc
