// Levels of a histogram, as scikit-image computes them. A level divides the bins into a lower class (<= level) and an upper class.
// include/voxcc/foreground.h names the publications.
#pragma once
#include <cmath>
#include <cstdint>
#include <span>

namespace voxcc {

/// The counts of a histogram: at least two bins, of which the first and the last are not empty.
using Counts = std::span<const std::uint64_t>;

/// The bin with the largest variance between the two classes; the lowest of equals.
// {5, 0, 0, 5} -> 0
std::size_t otsu_bin(Counts counts);

/// The bin that is farthest below the line from the peak to the end of the longer tail; in the order of scikit-image's loop, the first of
/// equals.
std::size_t triangle_bin(Counts counts);

/// The bin with the largest correlation criterion, in float32 as in scikit-image; the lowest of equals.
std::size_t yen_bin(Counts counts);

/// The iteration of Li and Tam for values >= 0 of given weights.
/// @param each each(f) must call f(value, weight) for all values, in ascending order
/// @param start the mean of the values
/// @param tolerance the iteration ends if two levels differ by at most this
template <class Each>
double li_iteration(const Each& each, double start, double tolerance) {
    double level = start;
    for (;;) {
        double below = 0, sum_below = 0, above = 0, sum_above = 0;
        each([&](double value, double weight) {
            (value > level ? above : below) += weight;
            (value > level ? sum_above : sum_below) += value * weight;
        });
        const double mean_below = sum_below / below, mean_above = sum_above / above;
        if (mean_below == 0 || above == 0) return level;
        const double next = (mean_below - mean_above) / (std::log(mean_below) - std::log(mean_above));
        if (!(std::abs(next - level) > tolerance)) return next;
        level = next;
    }
}

/// Li's level as a position between bins: its distance from bin 0 in bins.
double li_position(Counts counts);

}  // namespace voxcc
