// The labels of a volume whose parts are painted, and the sums of its components.
#pragma once
#include "src/parts/painted_file.h"

#include <map>
#include <mutex>

namespace voxcc::parts {

/// The painted parts as a labelling. Reads the parts that it needs; the table is read one layer of parts along z at a time, or completely
/// if components are numbered by size.
class PaintedParts : public block_runs::Labelling {
public:
    /// Checks that all parts are painted. @throw as open_painted()
    /// @param plan must outlive this object. @param threads number of threads that call paint() at the same time
    PaintedParts(const Plan& plan, std::string folder, const MergedFile& merged, int threads);
    std::uint64_t count() const override { return merged_.components; }
    SumTable measure() override;
    std::vector<std::uint64_t> source_values() const override;
    /// @param final_numbers must be empty
    void prepare_paint(ScalarType type, std::span<const std::uint64_t> final_numbers) override;
    void paint(RowRange rows, std::byte* out, block_runs::Stores stores) const override;
    const block_runs::Seconds& seconds() const override { return seconds_; }

private:
    struct Slice {
        std::int64_t part, z;  // z in the part
        auto operator<=>(const Slice&) const = default;
    };
    using Labels = std::shared_ptr<const std::vector<std::byte>>;
    Labels labels(const Slice& slice) const;

    const Plan& plan_;
    std::string folder_;
    MergedFile merged_;
    ScalarType stored_type_, type_;
    std::size_t most_slices_;
    block_runs::Seconds seconds_;
    mutable std::mutex mutex_;
    mutable std::map<Slice, std::pair<Labels, std::uint64_t>> slices_;  // with the time of the last use
    mutable std::uint64_t time_ = 0;
};

}  // namespace voxcc::parts
