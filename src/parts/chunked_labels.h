// Labels of a volume that files of parts hold in compressed chunks. The chunks have the form of the chunks of Zarr outputs
// (io/label_chunk.h), so that an output can be put together from them.
#pragma once
#include <voxcc/parts.h>
#include <voxcc/threads.h>
#include "io/decoded/section_file.h"
#include "io/joined_chunks.h"
#include "src/pipeline/volume_writing.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>

namespace voxcc::parts {

/// The division of a part into chunks. The chunks of a part begin at its first voxel.
Grid chunks_of(const Grid& parts, std::int64_t part, const Extent& chunk);

/// Whether the chunks of a volume do not cross the ends of parts.
// parts of {128, 128, 64} voxels, chunk {128, 128, 32} -> true; chunk {128, 128, 48} -> false
bool ends_with_chunks(const Grid& parts, const Extent& chunk);

/// Writes the labels of rows of a part, of the type of the chunks. Must be thread-safe.
using PaintRows = std::function<void(RowRange rows, std::byte* out)>;

/// Compresses the labels of a part: one section per chunk, which is empty if all labels of the chunk are 0.
/// @param paint called once per layer of chunks, with the rows of the layer, in any order @throw errors of `paint`
std::vector<io::PackedSection> pack_chunks(const Grid& chunks, const io::ChunkForm& form, ThreadPool& pool, const PaintRows& paint);

/// The labels of a section of pack_chunks(); empty if all are 0. @throw Error corrupt_file, io_error
std::vector<std::byte> read_chunk(const io::SectionFile& file, std::size_t section, const io::ChunkForm& form);
/// The same, compressed.
std::vector<std::byte> read_packed_chunk(const io::SectionFile& file, std::size_t section, const io::ChunkForm& form);

/// The chunks of all parts.
struct ChunkFiles {
    using Read = std::function<std::vector<std::byte>(std::int64_t part, std::int64_t chunk)>;  // thread-safe
    Grid parts;
    io::ChunkForm form;
    Read chunk, packed_chunk;  // see read_chunk(), read_packed_chunk()
};

/// The labels of a volume. Up to one layer of chunks stays in memory. Thread-safe.
class ChunkedLabels {
public:
    /// @param threads number of threads that call paint() at the same time
    ChunkedLabels(ChunkFiles files, int threads);
    /// Writes the labels of rows of the volume. @param type must hold all labels
    void paint(RowRange rows, ScalarType type, std::byte* out) const;
    /// The compressed chunks, which must be used while this object exists; empty unless ends_with_chunks().
    std::optional<StoredChunks> stored() const;

private:
    struct Chunk {
        std::int64_t part, index;  // index: in chunks_of(part)
        auto operator<=>(const Chunk&) const = default;
    };
    struct Painted {
        RowRange rows;
        ScalarType type;
        std::byte* out;
    };
    using Labels = std::shared_ptr<const std::vector<std::byte>>;
    Labels labels(const Chunk& chunk) const;
    void paint_part(std::int64_t part, const Painted& to) const;
    void append(const Extent& first, std::vector<std::byte>& to) const;

    ChunkFiles files_;
    std::size_t most_chunks_;
    mutable std::mutex mutex_;
    mutable std::map<Chunk, std::pair<Labels, std::uint64_t>> chunks_;  // with the time of the last use
    mutable std::uint64_t time_ = 0;
};

/// Supplies these labels, and needs no painted labels.
/// @param labels must outlive the result @param type of the output; must hold all labels
std::unique_ptr<LabelConversion> from_chunks(const ChunkedLabels& labels, ScalarType type);

}  // namespace voxcc::parts
