// The columns that --intensity adds.
#include "src/pipeline/columns.h"

namespace voxcc {
namespace {

using Values = ComponentValues;

/// The cell of a value of the intensity image.
template <auto IntensityProperties::*member>
io::Cell of_image(const Values& v, std::size_t at) {
    if (!v.intensity) return {};
    const auto& value = (*v.intensity).*member;
    if constexpr (requires { value[at]; }) return value[at];
    else return value;
}

}  // namespace

std::vector<ColumnFamily> columns_of_intensity() {
    constexpr std::string_view scaled = "Values are scaled by slope and intercept of the image. NaN is left out.";
    const auto family = [&](std::string_view title, std::vector<ColumnFamily::Member> members, std::string_view meaning,
                            std::string_view formula, auto cell) {
        return ColumnFamily{.title = title,
                            .members = std::move(members),
                            .quantity = Quantity::image,
                            .meaning = meaning,
                            .remark = scaled,
                            .formula = formula,
                            .is_present = with<&ExtraColumns::intensity>,
                            .cell = cell};
    };
    using I = IntensityProperties;
    std::vector<ColumnFamily> families{
        family("mean intensity", {{"intensity_mean"}}, "mean of the values", "sum of v / n", of_image<&I::mean>),
        family("standard deviation of the intensity", {{"intensity_std"}}, "standard deviation over the population; 0 for one voxel",
               "sqrt(sum of (v - mean)^2 / n)", of_image<&I::standard_deviation>),
        family("lowest intensity", {{"intensity_min"}}, "least value", "", of_image<&I::min>),
        family("highest intensity", {{"intensity_max"}}, "greatest value", "", of_image<&I::max>),
        family("sum of the intensity", {{"intensity_sum"}}, "sum of the values, not multiplied by the voxel volume", "sum of v",
               of_image<&I::sum>),
        family("weighted centroid", {{"weighted_centroid_i", "i"}, {"weighted_centroid_j", "j"}, {"weighted_centroid_k", "k"}},
               "centroid, weighted by v", "sum of v p / sum of v", of_image<&I::weighted_centroid>),
        family("position of the weighted centroid",
               {{"weighted_centroid_x", "x"}, {"weighted_centroid_y", "y"}, {"weighted_centroid_z", "z"}}, "position of the weighted centroid", "A (centroid)", of_image<&I::weighted_centroid_mm>)};
    families[5].quantity = Quantity::voxels;
    families[6].quantity = Quantity::length;
    return families;
}

}  // namespace voxcc
