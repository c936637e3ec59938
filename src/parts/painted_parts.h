// The labels of a volume whose parts are painted, and the sums of its components.
#pragma once
#include "src/parts/painted_file.h"
#include "src/pipeline/volume_writing.h"

namespace voxcc::parts {

/// The painted parts as a labelling. Reads the chunks and the rows of the table that it needs. Up to one layer of chunks stays in memory.
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
    /// The compressed chunks, if has_chunks_of_output().
    std::optional<StoredChunks> stored_chunks() const;

private:
    struct Chunk {
        std::int64_t part, index;  // index: in chunks_of(part)
        auto operator<=>(const Chunk&) const = default;
    };
    using Labels = std::shared_ptr<const std::vector<std::byte>>;
    Labels labels(const Chunk& chunk) const;
    void paint_part(std::int64_t part, RowRange rows, std::byte* out) const;

    std::shared_ptr<const PaintedFiles> files_;
    io::ChunkForm form_;
    ScalarType type_;
    std::size_t most_chunks_;
    Seconds seconds_;
    mutable std::mutex mutex_;
    mutable std::map<Chunk, std::pair<Labels, std::uint64_t>> chunks_;  // with the time of the last use
    mutable std::uint64_t time_ = 0;
};

}  // namespace voxcc::parts
