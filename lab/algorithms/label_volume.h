// Offers the results of a published algorithm in host memory as a Labelling: a label volume with labels 1..K by first voxel, or
// only the sums.
#pragma once
#include <voxcc/label.h>

namespace voxcc::algorithms {

class LabelVolume : public Labelling {
public:
    static constexpr std::int64_t bytes_per_component = sizeof(Sums<std::uint64_t>) + 2 * sizeof(std::uint64_t);  // and value, final number
    /// @param labels [z][y][x], 0 is background
    /// @param count number of components
    /// @param sums row k - 1 for label k. The first measure() returns this table; without it, measure() computes the sums.
    /// @param seconds time per stage so far; measure() adds its own
    /// @param source_values stored value of each component; empty unless only equal values were joined
    /// @param memory given back by the destructor
    LabelVolume(const Extent& extent, std::vector<std::uint32_t> labels, std::uint32_t count, std::optional<SumTable> sums,
                const Seconds& seconds, std::vector<std::uint64_t> source_values, std::unique_ptr<TakenMemory> memory)
        : memory_(std::move(memory)),
          extent_(extent),
          labels_(std::move(labels)),
          count_(count),
          sums_(std::move(sums)),
          seconds_(seconds),
          source_values_(std::move(source_values)) {}

    std::uint64_t count() const override { return count_; }
    SumTable measure() override;
    std::vector<std::uint64_t> source_values() const override { return source_values_; }
    void prepare_paint(ScalarType type, std::span<const std::uint64_t> final_numbers) override;
    void paint(RowRange rows, std::byte* out, Stores stores) const override;
    const Seconds& seconds() const override { return seconds_; }

private:
    std::unique_ptr<TakenMemory> memory_;
    Extent extent_;
    std::vector<std::uint32_t> labels_;
    std::uint32_t count_;
    std::optional<SumTable> sums_;
    Seconds seconds_;
    std::vector<std::uint64_t> source_values_;
    ScalarType type_ = ScalarType::u32;
    std::vector<std::uint64_t> final_;  // [label]: its final number; final_[0] = 0
};

/// The sums of a volume without labels (Results::sums).
class SumsWithoutLabels : public Labelling {
public:
    /// @param sums row k - 1 for label k
    /// @param memory given back by the destructor
    SumsWithoutLabels(std::uint32_t count, SumTable sums, const Seconds& seconds, std::unique_ptr<TakenMemory> memory)
        : memory_(std::move(memory)), count_(count), sums_(std::move(sums)), seconds_(seconds) {}

    std::uint64_t count() const override { return count_; }
    SumTable measure() override { return sums_; }
    std::vector<std::uint64_t> source_values() const override { return {}; }
    /// @throw Error internal
    void prepare_paint(ScalarType, std::span<const std::uint64_t>) override;
    void paint(RowRange, std::byte*, Stores) const override;
    const Seconds& seconds() const override { return seconds_; }

private:
    std::unique_ptr<TakenMemory> memory_;
    std::uint32_t count_;
    SumTable sums_;
    Seconds seconds_;
};

}  // namespace voxcc::algorithms
