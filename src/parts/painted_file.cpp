#include "src/parts/painted_file.h"

#include <algorithm>

namespace voxcc::parts {
namespace {

// The sections of MERGED/K.painted; then one section per intensity image, and one per slice.
enum PaintedSection : std::size_t { about = 0, table, intensities };
constexpr std::uint64_t words_per_row = 2 + words_per_sums;  // number, value, sums

[[noreturn]] void fail(const io::SectionFile& file, const std::string& cause) { throw Error(ErrorKind::corrupt_file, file.path(), cause); }

}  // namespace

void write_painted(const Plan& plan, const std::string& folder, std::int64_t part, PaintedPart painted) {
    const std::size_t rows = painted.rows.size();
    std::vector<std::uint64_t> words;
    words.reserve(rows * words_per_row);
    for (const TableRow& row : painted.rows) {
        words.insert(words.end(), {row.number, row.value});
        append_sums(row.sums, words);
    }
    painted.rows = {};  // they need as much memory as the words
    const std::vector<std::uint64_t> description{painted.merged_checksum, std::uint64_t(painted.type)};
    std::vector<io::PackedSection> sections{io::pack_section(description), io::pack_section(words)};
    std::ranges::move(sections_of_intensities(plan, painted.intensities, rows), std::back_inserter(sections));
    std::ranges::move(painted.slices, std::back_inserter(sections));
    write_part_file(plan, FileKind::painted, folder, part, sections);
}

ScalarType painted_type(std::uint64_t components) {
    for (const ScalarType type : {ScalarType::u8, ScalarType::u16, ScalarType::u32})
        if (components < std::uint64_t{1} << 8 * size_of(type)) return type;
    return ScalarType::u64;
}

std::unique_ptr<io::SectionFile> open_painted(const Plan& plan, const std::string& folder, std::int64_t part, const MergedFile& merged) {
    auto file = open_part_file(plan, FileKind::painted, folder, part);
    reading(FileKind::painted, part, [&] {
        const auto description = file->elements<std::uint64_t>(about, 2);
        if (description[0] != merged.checksum) throw Error(ErrorKind::invalid_file, file->path(), "was painted after another merge");
        if (description[1] != std::uint64_t(painted_type(merged.components))) fail(*file, "has labels of another type than the merge");
    });
    return file;
}

std::vector<TableRow> read_rows(const Plan& plan, const io::SectionFile& file, std::int64_t part) {
    return result_of_reading(FileKind::painted, part, [&] {
        const std::uint64_t most = std::uint64_t(plan.rules.grid.box(part).extent().voxels()) * words_per_row;
        const auto words = file.elements<std::uint64_t>(table, most, io::SectionFile::Count::at_most);
        if (words.size() % words_per_row != 0) fail(file, "has a table with a row that is not complete");
        std::vector<TableRow> rows;
        rows.reserve(words.size() / words_per_row);
        for (std::size_t at = 0; at < words.size(); at += words_per_row)
            rows.push_back({words[at], words[at + 1], sums_of_words(std::span(words).subspan(at + 2, words_per_sums)).front()});
        return rows;
    });
}

std::vector<IntensitySums> read_row_intensities(const Plan& plan, const io::SectionFile& file, std::int64_t part, std::size_t rows) {
    return result_of_reading(FileKind::painted, part, [&] { return read_intensities(plan, file, intensities, rows); });
}

std::size_t section_of_slice(const Plan& plan, std::int64_t z) { return intensities + plan.intensities.size() + std::size_t(z); }

}  // namespace voxcc::parts
