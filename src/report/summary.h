// Statistics of a report: histograms of sizes, and the volumes of a batch that differ from the others.
#pragma once
#include <cstdint>
#include <vector>

namespace voxcc::report {

/// Bin b counts the sizes in [edges[b], edges[b + 1]).
struct Histogram {
    std::vector<double> edges;  // voxels, ascending; one more than counts
    std::vector<std::uint64_t> counts;
};

/// The edges are powers of 2. The first bin contains the smallest size, the last bin the largest.
// {1, 3, 3, 8} -> edges {1, 2, 4, 8, 16}, counts {1, 2, 0, 1}
Histogram logarithmic_histogram(const std::vector<double>& sizes);

/// At most `bins` bins of equal width. The width is a whole number of voxels.
// {1, 3, 3, 8}, 4 -> edges {1, 3, 5, 7, 9}, counts {1, 2, 0, 1}
Histogram linear_histogram(const std::vector<double>& sizes, std::int64_t bins);

/// @return the median; the mean of the two middle values if their number is even; 0 without values
double median(std::vector<double> values);

/// The number of volumes that a batch must have for robust_z(), and the limit of |z| of an outlier.
inline constexpr std::size_t outlier_volumes = 5;
inline constexpr double outlier_limit = 3.5;

/// The robust z-scores of values, after Iglewicz and Hoaglin (1993): 0.6745 (x - median) / MAD, where MAD is the median of |x - median|.
/// If MAD is 0, the divisor is 1.2533 times the mean of |x - median|. If this is 0 too, all scores are 0.
/// @return one score per value; all 0 if there are fewer than outlier_volumes values
std::vector<double> robust_z(const std::vector<double>& values);

}  // namespace voxcc::report
