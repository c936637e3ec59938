// The files MERGED/K.painted: the labels of a part, and the rows of the table of the components that begin in it.
//
//   sections: about the file | per block of the table: its rows, and its intensities by image | labels, one section per chunk
// Chunks have the form of a Zarr output (io/label_chunk.h). A chunk whose labels are all 0 has an empty section.
#pragma once
#include "src/parts/chunked_labels.h"
#include "src/parts/open_files.h"
#include "src/parts/part_files.h"
#include "src/parts/table_blocks.h"

namespace voxcc::parts {

/// The rows of a table, packed.
struct PackedTable {
    std::uint64_t rows = 0, first_number = 0;    // first_number: of the first row
    std::vector<io::PackedSection> blocks = {};  // and the intensities of each
};

inline WrapsOfRows wraps_of_rows(const Plan& plan) { return plan.rules.periodic.any() ? WrapsOfRows::present : WrapsOfRows::absent; }

/// Packs the rows of the table of a part.
class TablePacker {
public:
    /// @param plan must outlive this object
    explicit TablePacker(const Plan& plan) : plan_(plan), encoder_(wraps_of_rows(plan)) {}
    /// @param row with the next larger number @param corner the voxel of the volume that is the origin of its sums
    /// @param intensities by image, may be empty @param component its number in the intensities
    void add(const TableRow& row, const std::array<std::int64_t, 3>& corner, const std::vector<IntensitySums>& intensities,
             std::uint64_t component);
    /// The rows so far. Must be called once, after the last row.
    PackedTable finish();

private:
    void end_block();
    const Plan& plan_;
    PackedTable table_;
    RowEncoder encoder_;
    std::vector<IntensitySums> intensities_;  // of the block
};

/// The content of MERGED/K.painted.
struct PaintedPart {
    std::uint32_t merged_checksum = 0;           // of MERGED/merged
    ScalarType type = ScalarType::u8;            // of the labels
    PackedTable table = {};                      // of components that begin in the part
    std::vector<io::PackedSection> chunks = {};  // labels, in the order of chunks_of()
};
void write_painted(const Plan& plan, const std::string& folder, std::int64_t part, PaintedPart painted);

/// The smallest unsigned type that holds the labels 0..components.
ScalarType painted_type(std::uint64_t components);

/// Whether the chunks of a Zarr output do not cross the ends of parts.
bool has_chunks_of_output(const Plan& plan);

/// The form of the chunks of painted parts: of a Zarr output if has_chunks_of_output(), else not larger than parts.
io::ChunkForm painted_form(const Plan& plan, std::uint64_t components);

/// An open file MERGED/K.painted. Thread-safe.
class PaintedFile {
public:
    /// @param plan must outlive this object
    /// @throw as open_part_file(); ProgramError invalid_file if it belongs to another merge
    PaintedFile(const Plan& plan, const std::string& folder, std::int64_t part, const MergedFile& merged);
    std::uint64_t rows() const { return rows_; }
    std::uint64_t first_number() const { return first_number_; }
    std::uint64_t blocks() const { return (rows_ + rows_per_table_block - 1) / rows_per_table_block; }
    /// @throw ProgramError corrupt_file, which names the step that writes the file
    RowDecoder block(std::uint64_t block) const;
    /// The intensities of the rows of a block: by image, component i + 1 is row i of the block.
    std::vector<IntensitySums> intensities(std::uint64_t block) const;
    /// The labels of a chunk, in the form of painted_form(). Empty: all are 0.
    std::vector<std::byte> chunk(std::int64_t chunk) const;
    std::vector<std::byte> packed_chunk(std::int64_t chunk) const;

private:
    std::uint64_t rows_in(std::uint64_t block) const;
    std::size_t section_of_block(std::uint64_t block) const;
    std::size_t section_of_chunk(std::int64_t chunk) const { return section_of_block(blocks()) + std::size_t(chunk); }
    const Plan& plan_;
    std::int64_t part_;
    io::ChunkForm form_;
    std::size_t chunks_;
    std::uint64_t rows_ = 0, first_number_ = 0;
    std::unique_ptr<io::SectionFile> file_;
};

/// The files of the painted parts of a plan. Thread-safe.
class PaintedFiles {
public:
    /// @param plan must outlive this object
    PaintedFiles(const Plan& plan, std::string folder, const MergedFile& merged)
        : plan_(plan), folder_(std::move(folder)), merged_(merged) {}
    const Plan& plan() const { return plan_; }
    const std::string& folder() const { return folder_; }
    const MergedFile& merged() const { return merged_; }
    /// @throw as PaintedFile()
    std::shared_ptr<const PaintedFile> file(std::int64_t part) const;

private:
    const Plan& plan_;
    std::string folder_;
    MergedFile merged_;
    mutable OpenFiles<PaintedFile> open_;
};

}  // namespace voxcc::parts
