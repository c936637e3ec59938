#include "src/parts/painted_file.h"

#include "io/label_chunk.h"

#include <algorithm>

namespace voxcc::parts {
namespace {

constexpr std::size_t description = 0, first_table_block = 1;
constexpr std::uint64_t painted_version = 3;  // of the content
enum DescriptionWord : std::size_t { version_word = 0, merge_word, type_word, rows_word, first_number_word, description_words };
constexpr int zstd_level = 1;  // the default of --compress

[[noreturn]] void refuse_painted(const io::SectionFile& file, const std::string& cause) {
    throw Error(ErrorKind::corrupt_file, file.path(), cause);
}

}  // namespace

void TablePacker::add(const TableRow& row, const std::array<std::int64_t, 3>& corner, const std::vector<IntensitySums>& intensities,
                      std::uint64_t component) {
    if (table_.rows == 0) table_.first_number = row.number;
    encoder_.add(row, corner);
    ++table_.rows;
    add_component(intensities_, encoder_.rows(), intensities, component);
    if (encoder_.rows() == rows_per_table_block) end_block();
}

PackedTable TablePacker::finish() {
    if (encoder_.rows() > 0) end_block();
    return std::move(table_);
}

void TablePacker::end_block() {
    const std::uint64_t rows = encoder_.rows();
    table_.blocks.push_back(io::pack_section(encoder_.take()));
    std::ranges::move(sections_of_intensities(plan_, intensities_, rows), std::back_inserter(table_.blocks));
    intensities_.clear();
}

void write_painted(const Plan& plan, const std::string& folder, std::int64_t part, PaintedPart painted) {
    const std::vector<std::uint64_t> words{painted_version, painted.merged_checksum, std::uint64_t(painted.type), painted.table.rows,
                                           painted.table.first_number};
    std::vector<io::PackedSection> sections{io::pack_section(words)};
    std::ranges::move(painted.table.blocks, std::back_inserter(sections));
    std::ranges::move(painted.chunks, std::back_inserter(sections));
    write_part_file(plan, FileKind::painted, folder, part, sections);
}

ScalarType painted_type(std::uint64_t components) {
    for (const ScalarType type : {ScalarType::u8, ScalarType::u16, ScalarType::u32})
        if (components < std::uint64_t{1} << 8 * size_of(type)) return type;
    return ScalarType::u64;
}

bool has_chunks_of_output(const Plan& plan) { return ends_with_chunks(plan.rules.grid, io::label_chunk(plan.rules.grid.volume())); }

io::ChunkForm painted_form(const Plan& plan, std::uint64_t components) {
    Extent chunk = io::label_chunk(plan.rules.grid.volume());
    const auto& part = plan.rules.grid.part_size();
    if (!has_chunks_of_output(plan)) chunk = {std::min(chunk.nx, part[0]), std::min(chunk.ny, part[1]), std::min(chunk.nz, part[2])};
    return {chunk, painted_type(components), zstd_level};
}

PaintedFile::PaintedFile(const Plan& plan, const std::string& folder, std::int64_t part, const MergedFile& merged)
    : plan_(plan),
      part_(part),
      form_(painted_form(plan, merged.components)),
      chunks_(std::size_t(chunks_of(plan.rules.grid, part, form_.chunk).parts())),
      file_(open_part_file(plan, FileKind::painted, folder, part)) {
    reading(FileKind::painted, part, [&] {
        const auto words = file_->elements<std::uint64_t>(description, description_words);
        if (words[version_word] != painted_version)
            throw Error(ErrorKind::unsupported_file, file_->path(), "was painted by another version of voxcc");
        if (words[merge_word] != merged.checksum) throw Error(ErrorKind::invalid_file, file_->path(), "was painted after another merge");
        if (words[type_word] != std::uint64_t(form_.type)) refuse_painted(*file_, "has labels of another type than the merge");
        rows_ = words[rows_word], first_number_ = words[first_number_word];
        if (rows_ > merged.components) refuse_painted(*file_, "has more rows of the table than there are components");
        if (file_->sections() != section_of_block(blocks()) + chunks_)
            refuse_painted(*file_, "has another number of sections than it must have");
    });
}

std::uint64_t PaintedFile::rows_in(std::uint64_t block) const {
    return std::min(rows_per_table_block, rows_ - block * rows_per_table_block);
}

std::size_t PaintedFile::section_of_block(std::uint64_t block) const {
    return first_table_block + std::size_t(block) * (1 + plan_.intensities.size());
}

RowDecoder PaintedFile::block(std::uint64_t block) const {
    return result_of_reading(FileKind::painted, part_, [&] {
        constexpr std::uint64_t most_bytes_per_row = 256;  // 19 numbers of up to 10 bytes, or 19 for second moments
        const std::uint64_t rows = rows_in(block);
        auto bytes = file_->elements<std::byte>(section_of_block(block), rows * most_bytes_per_row, io::SectionFile::Count::at_most);
        return RowDecoder(std::move(bytes), rows, wraps_of_rows(plan_), file_->path());
    });
}

std::vector<IntensitySums> PaintedFile::intensities(std::uint64_t block) const {
    return result_of_reading(FileKind::painted, part_,
                             [&] { return read_intensities(plan_, *file_, section_of_block(block) + 1, rows_in(block)); });
}

std::vector<std::byte> PaintedFile::chunk(std::int64_t chunk) const {
    return result_of_reading(FileKind::painted, part_, [&] { return read_chunk(*file_, section_of_chunk(chunk), form_); });
}

std::vector<std::byte> PaintedFile::packed_chunk(std::int64_t chunk) const {
    return result_of_reading(FileKind::painted, part_, [&] { return read_packed_chunk(*file_, section_of_chunk(chunk), form_); });
}

std::shared_ptr<const PaintedFile> PaintedFiles::file(std::int64_t part) const {
    return open_.file(part, [&] { return std::make_shared<const PaintedFile>(plan_, folder_, part, merged_); });
}

}  // namespace voxcc::parts
