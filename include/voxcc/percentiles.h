// Exact percentiles of the values of each component, in several passes over the volume and in limited memory.
//
//   Percentiles percentiles(ScalarType::i16, {5, 50, 95}, ranges, {}, 64 << 20);
//   while (percentiles.begin_pass()) {
//       for (each row) percentiles.add_row(components, values);
//       percentiles.end_pass();
//   }
//   percentiles.value(component, 1);  // the median
//
// Each order statistic that is wanted lies in a cell: an interval of values, with the number of values in it and below it. A pass counts
// the values of a cell in bins, or collects them if they are few. Then the statistic is known, or lies in a bin, which is the next cell.
// Integers of 8 and 16 bits need one pass, floats of 32 bits at most two, if the memory suffices for all components.
#pragma once
#include <voxcc/intensity.h>

#include <span>
#include <vector>

namespace voxcc {

/// The results do not depend on the order of the calls of add_row() within a pass. Not thread-safe. Memory: 16 bytes per percentile and
/// component, about 80 bytes per component for cells, and the counters of a pass.
class Percentiles {
public:
    /// @param intensity type of the stored values
    /// @param percents percentages in [0, 100]
    /// @param ranges the range of component k is entry k - 1, see IntensitySums::stored_range()
    /// @param scale of the values; only its sign changes which stored values are found
    /// @param bytes limit for the counters of a pass; at least the counters of one component are used. A lower limit means more passes
    Percentiles(ScalarType intensity, std::vector<double> percents, std::span<const StoredRange> ranges, const LinearScale& scale,
                std::int64_t bytes);
    /// Prepares the next pass. @return false if all percentiles are known
    bool begin_pass();
    /// Adds the voxels of a row. Each pass must add all rows, in any order. NaN is left out. @throw Error changed_file, see end_pass()
    /// @tparam Index std::uint32_t or std::uint64_t
    /// @param components component number of each voxel; 0 is background
    /// @param values must hold components.size() stored values; may begin at any byte
    template <class Index>
    void add_row(std::span<const Index> components, std::span<const std::byte> values);
    /// Must be called after the last row of each pass. @throw Error changed_file if the values do not agree with an earlier pass
    void end_pass();
    /// A percentile of the scaled values, as computed by numpy.percentile from the values as float64; NaN for a component without values.
    /// All passes must be complete.
    /// @param component number of the component, from 1
    /// @param percent index of the percentage
    double value(std::uint64_t component, std::size_t percent) const;

    /// Memory without the counters of a pass.
    static std::size_t bytes_per_component(std::size_t percents);

private:
    /// An interval of keys (voxcc/order_statistics.h) with at least one order statistic that is wanted.
    struct Cell {
        std::uint64_t component = 0;
        std::uint64_t low = 0, span = 0;     // the interval [low, low + span]
        std::uint64_t below = 0, count = 0;  // number of values of the component below the interval, and in it
        std::size_t offset = 0;              // of its first counter, or of its first collected value
        std::uint64_t collected = 0;         // number of values collected in this pass
        enum class Way : std::uint8_t { none, count, collect } way = Way::none;  // of this pass; none: in a later pass
        int shift = 0;                                                           // 2^shift keys per bin
    };
    /// An order statistic of a component: its 0-based index in the ascending stored values, and its place in found_.
    struct Wanted {
        std::uint64_t index;
        std::size_t place;
    };
    /// In ascending order of the index.
    std::vector<Wanted> wanted_of(std::uint64_t component) const;
    void add_first_cell(std::uint64_t component, const StoredRange& range);
    /// Chooses the ways of the cells, in order, until their counters use up the limit. @param bits of the number of bins per cell
    /// @return the bytes that all cells would need
    std::int64_t plan_cells(int bits);
    template <class T>
    void add_values(Cell& cell, const std::byte* values, std::size_t first, std::size_t end);
    template <class T>
    void end_cell(const Cell& cell, std::vector<Cell>& next);
    std::uint64_t counted(std::size_t counter) const;

    ScalarType type_;
    int value_bytes_;
    std::vector<double> percents_;
    LinearScale scale_;
    std::int64_t limit_;
    std::vector<std::uint64_t> voxels_;    // [component - 1] number of values
    std::vector<double> found_;            // [component - 1][percent][2] the stored values around the percentile
    std::vector<Cell> cells_;              // in ascending order of (component, low)
    std::vector<std::size_t> first_cell_;  // [component - 1] index in cells_; one entry more at the end
    std::vector<std::uint32_t> counters_;
    std::vector<std::size_t> overflows_;    // a counter occurs once for each 2^32 that it has counted
    std::vector<std::uint64_t> collected_;  // bytes of collected values
};

}  // namespace voxcc
