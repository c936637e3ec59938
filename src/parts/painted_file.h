// The files MERGED/K.painted: the labels of a part, and the rows of the table of the components that begin in it.
#pragma once
#include "src/parts/part_files.h"

namespace voxcc::parts {

/// The row of the table of one component.
struct TableRow {
    std::uint64_t number = 0;  // final
    std::uint64_t value = 0;   // see Labelling::source_values(); 0 unless the rule is equal_values
    WideSums sums;             // in the coordinates of the volume
};

/// The content of MERGED/K.painted.
struct PaintedPart {
    std::uint32_t merged_checksum = 0;           // of MERGED/merged
    ScalarType type = ScalarType::u8;            // of the labels
    std::vector<TableRow> rows;                  // of components that begin in the part, ascending
    std::vector<IntensitySums> intensities;      // by image: component i + 1 is rows[i]; may be empty without rows
    std::vector<io::PackedSection> slices = {};  // labels of each slice of the part
};
void write_painted(const Plan& plan, const std::string& folder, std::int64_t part, PaintedPart painted);

/// The smallest unsigned type that holds the labels 0..components.
ScalarType painted_type(std::uint64_t components);

/// Opens MERGED/K.painted. @throw as open_part_file(); ProgramError invalid_file if it belongs to another merge
std::unique_ptr<io::SectionFile> open_painted(const Plan& plan, const std::string& folder, std::int64_t part, const MergedFile& merged);

/// Reads the rows of the table of a part. @param file from open_painted()
std::vector<TableRow> read_rows(const Plan& plan, const io::SectionFile& file, std::int64_t part);
/// Reads the intensities of these rows: by image, component i + 1 is row i.
std::vector<IntensitySums> read_row_intensities(const Plan& plan, const io::SectionFile& file, std::int64_t part, std::size_t rows);

/// The section with the labels of slice z of a part.
std::size_t section_of_slice(const Plan& plan, std::int64_t z);

}  // namespace voxcc::parts
