// The files MERGED/K.measures: what a part counts of the shape and of the contacts of components. They exist only if the plan has shape or
// contacts.
//
//   about      version, checksum of MERGED/merged, and numbers of blocks
//   open       components that are in several parts: number, last z, number of corners, counts
//   corners    x, y, z of the corners of these components, one component after the other
//   keys       the keys of the first rows of all blocks
//   blocks     rows of complete components, then rows of contacts. Each block has up to rows_per_block rows
#pragma once
#include <voxcc/parts.h>
#include "src/parts/part_files.h"

#include <memory>

namespace voxcc::parts {

/// Whether the plan has shape or contacts, so that painting writes measures.
bool has_measures(const Plan& plan);

/// The rows of all blocks of one kind are in ascending order of their keys.
enum class MeasureRows : std::uint8_t { shapes, contacts };

/// The first words of a row.
using RowKey = std::array<std::uint64_t, 2>;

constexpr std::uint64_t rows_per_block = 2048;

/// The number of words of a row.
constexpr std::size_t words_per_row(MeasureRows kind) { return kind == MeasureRows::shapes ? 16 : 7; }

CompleteShape shape_of_words(std::span<const std::uint64_t> words);
LabelContact contact_of_words(std::span<const std::uint64_t> words);

void write_measures(const Plan& plan, const std::string& folder, std::int64_t part, const MergedFile& merged, const PartShapes& shapes,
                    const std::vector<LabelContact>& contacts);

/// A file MERGED/K.measures that is read.
class MeasuresFile {
public:
    /// @throw as open_part_file(); ProgramError invalid_file if it belongs to another merge
    MeasuresFile(const Plan& plan, const std::string& folder, std::int64_t part, const MergedFile& merged);
    std::vector<OpenShape> open_shapes() const;
    /// The keys of the first rows of all blocks.
    std::vector<RowKey> keys(MeasureRows kind) const;
    /// The words of the rows of a block.
    std::vector<std::uint64_t> rows(MeasureRows kind, std::size_t block) const;

private:
    const Plan& plan_;
    std::int64_t part_;
    std::unique_ptr<io::SectionFile> file_;
    std::uint64_t components_;               // of the merge
    std::array<std::uint64_t, 2> blocks_{};  // by MeasureRows
};

}  // namespace voxcc::parts
