// The labels of a volume whose parts are painted, and the sums of its components.
#pragma once
#include "src/parts/painted_file.h"

namespace voxcc::parts {

/// The painted parts as a labelling. Reads the chunks and the rows of the table that it needs.
class PaintedParts : public Labelling {
public:
    /// Checks that all parts are painted. @throw as PaintedFile()
    /// @param files must not be null
    /// @param threads number of threads that call paint() at the same time
    PaintedParts(std::shared_ptr<const PaintedFiles> files, int threads);
    std::uint64_t count() const override { return files_->merged().components; }
    SumTable measure() override;
    std::vector<std::uint64_t> source_values() const override;
    /// @param final_numbers must be empty
    void prepare_paint(ScalarType type, std::span<const std::uint64_t> final_numbers) override;
    void paint(RowRange rows, std::byte* out, Stores stores) const override;
    const Seconds& seconds() const override { return seconds_; }
    /// See ChunkedLabels::stored().
    std::optional<StoredChunks> stored_chunks() const { return labels_.stored(); }

private:
    std::shared_ptr<const PaintedFiles> files_;
    ScalarType type_;
    ChunkedLabels labels_;
    Seconds seconds_;
};

}  // namespace voxcc::parts
