// A label volume in host memory, numbered 1..K by first voxel, as a Labelling.
#pragma once
#include <voxcc/labelling.h>

namespace voxcc::algorithms {

class LabelVolume : public block_runs::Labelling {
public:
    /// @param labels [z][y][x]
    /// @param sums row k - 1 for label k, which the first measure() hands over; without them it computes them
    /// @param source_values of each component; none unless equal values were joined
    LabelVolume(const Extent& extent, std::vector<std::uint32_t> labels, std::uint32_t count, std::optional<SumTable> sums,
                const block_runs::Seconds& seconds, std::vector<std::uint64_t> source_values)
        : extent_(extent),
          labels_(std::move(labels)),
          count_(count),
          sums_(std::move(sums)),
          seconds_(seconds),
          source_values_(std::move(source_values)) {}

    std::uint64_t count() const override { return count_; }
    SumTable measure() override;
    std::vector<std::uint64_t> source_values() const override { return source_values_; }
    void prepare_paint(ScalarType type, std::span<const std::uint64_t> final_numbers) override;
    void paint(RowRange rows, std::byte* out, block_runs::Stores stores) const override;
    const block_runs::Seconds& seconds() const override { return seconds_; }

private:
    Extent extent_;
    std::vector<std::uint32_t> labels_;
    std::uint32_t count_;
    std::optional<SumTable> sums_;
    block_runs::Seconds seconds_;
    std::vector<std::uint64_t> source_values_;
    ScalarType type_ = ScalarType::u32;
    std::vector<std::uint64_t> final_;  // by number, 0 first
};

}  // namespace voxcc::algorithms
