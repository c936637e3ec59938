#include "src/parts/painted_parts.h"

#include "src/messages/program_error.h"

#include <algorithm>
#include <cstring>

namespace voxcc::parts {
namespace {

// The sections of MERGED/K.painted; then one section per slice.
enum PaintedSection : std::size_t { about = 0, table, first_slice };
constexpr std::uint64_t words_per_row = 2 + words_per_sums;  // number, value, sums

[[noreturn]] void fail(const io::SectionFile& file, const std::string& cause) { throw Error(ErrorKind::corrupt_file, file.path(), cause); }

std::vector<TableRow> rows_of(const Plan& plan, const io::SectionFile& file, std::int64_t part) {
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

/// The rows of all parts in the order of their numbers, layer by layer.
class TableRows {
public:
    TableRows(const Plan& plan, std::string folder, const MergedFile& merged) : plan_(plan), folder_(std::move(folder)), merged_(merged) {}
    std::size_t size() const { return std::size_t(merged_.components); }
    WideSums operator[](std::size_t row) const { return at(row).sums; }
    std::uint64_t voxels(std::size_t row) const { return at(row).sums.n; }
    TableRow at(std::size_t row) const {
        const std::lock_guard lock(*mutex_);
        if (row < first_) next_part_ = 0, rows_.clear(), first_ = 0;
        while (row >= first_ + rows_.size()) load_layer();
        return rows_[row - first_];
    }

private:
    /// Replaces the rows by the rows of the next parts.
    void load_layer() const {
        const auto counts = plan_.rules.grid.counts();
        const bool by_size = plan_.rules.criteria.numbering == Numbering::by_size;
        const std::int64_t end = by_size ? plan_.rules.grid.parts() : next_part_ + counts[0] * counts[1];
        if (next_part_ == plan_.rules.grid.parts())
            throw Error(ErrorKind::corrupt_file, folder_, "has fewer rows of the table than components; paint all parts again");
        first_ += rows_.size();
        rows_.clear();
        for (; next_part_ < end; ++next_part_) {
            const std::vector<TableRow> more = rows_of(plan_, *open_painted(plan_, folder_, next_part_, merged_), next_part_);
            rows_.insert(rows_.end(), more.begin(), more.end());
        }
        std::ranges::sort(rows_, {}, &TableRow::number);
        for (std::size_t i = 0; i < rows_.size(); ++i)
            if (rows_[i].number != first_ + i + 1 || rows_[i].sums.n == 0)
                throw Error(ErrorKind::corrupt_file, folder_, "has a wrong number in its table; paint all parts again");
    }
    const Plan& plan_;
    std::string folder_;
    MergedFile merged_;
    std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
    mutable std::int64_t next_part_ = 0;
    mutable std::size_t first_ = 0;  // number - 1 of the first row
    mutable std::vector<TableRow> rows_;
};

/// Copies labels from one unsigned type to the type of the output.
void convert(ScalarType from, const std::byte* labels, std::int64_t count, ScalarType to, std::byte* out) {
    if (from == to) {
        std::memcpy(out, labels, std::size_t(count * size_of(to)));
        return;
    }
    visit_scalar(from, [&]<class From>(std::type_identity<From>) {
        visit_scalar(to, [&]<class To>(std::type_identity<To>) {
            std::transform(reinterpret_cast<const From*>(labels), reinterpret_cast<const From*>(labels) + count, reinterpret_cast<To*>(out),
                           [](From label) { return To(label); });
        });
    });
}

}  // namespace

void write_painted(const Plan& plan, const std::string& folder, std::int64_t part, const PaintedPart& painted) {
    std::vector<std::uint64_t> words;
    for (const TableRow& row : painted.rows) {
        const std::vector<std::uint64_t> sums = words_of_sums(std::span(&row.sums, 1));
        words.insert(words.end(), {row.number, row.value});
        words.insert(words.end(), sums.begin(), sums.end());
    }
    const std::vector<std::uint64_t> description{painted.merged_checksum, std::uint64_t(painted.type)};
    std::vector<io::PackedSection> sections{io::pack_section(description), io::pack_section(words)};
    sections.insert(sections.end(), painted.slices.begin(), painted.slices.end());
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

PaintedParts::PaintedParts(const Plan& plan, std::string folder, const MergedFile& merged, int threads)
    : plan_(plan), folder_(std::move(folder)), merged_(merged), stored_type_(painted_type(merged.components)), type_(stored_type_) {
    const Grid& grid = plan.rules.grid;
    for (std::int64_t part = 0; part < grid.parts(); ++part) open_painted(plan_, folder_, part, merged_);
    most_slices_ = std::size_t(grid.counts()[0] * (grid.counts()[1] + threads) + threads);
}

SumTable PaintedParts::measure() { return SumTable(TableRows(plan_, folder_, merged_)); }

std::vector<std::uint64_t> PaintedParts::source_values() const {
    if (plan_.rules.rule != Rule::equal_values) return {};
    const TableRows rows(plan_, folder_, merged_);
    std::vector<std::uint64_t> values(rows.size());
    for (std::size_t row = 0; row < values.size(); ++row) values[row] = rows.at(row).value;
    return values;
}

void PaintedParts::prepare_paint(ScalarType type, std::span<const std::uint64_t> final_numbers) {
    if (!final_numbers.empty()) throw Error(ErrorKind::internal, "parts", "painted labels are final");
    type_ = type;
}

void PaintedParts::paint(RowRange rows, std::byte* out, block_runs::Stores) const {
    const Grid& grid = plan_.rules.grid;
    const std::int64_t ny = grid.volume().ny, columns = grid.counts()[0];
    while (rows.count > 0) {
        const std::int64_t z = rows.first / ny, y = rows.first % ny;
        const std::int64_t first = columns * (y / grid.part_size()[1] + grid.counts()[1] * (z / grid.part_size()[2]));
        const Box box = grid.box(first);
        const std::int64_t count = std::min(rows.count, box.first[1] + box.count[1] - y);
        for (std::int64_t column = 0; column < columns; ++column) {
            const Box part = grid.box(first + column);
            const Labels from = labels({first + column, z - part.first[2]});
            for (std::int64_t i = 0; i < count; ++i)
                convert(stored_type_, from->data() + (y + i - part.first[1]) * part.count[0] * size_of(stored_type_), part.count[0], type_,
                        out + (i * grid.volume().nx + part.first[0]) * size_of(type_));
        }
        out += count * grid.volume().nx * size_of(type_);
        rows = {rows.first + count, rows.count - count};
    }
}

PaintedParts::Labels PaintedParts::labels(const Slice& slice) const {
    {
        const std::lock_guard lock(mutex_);
        if (const auto known = slices_.find(slice); known != slices_.end()) {
            known->second.second = ++time_;
            return known->second.first;
        }
    }
    const Box box = plan_.rules.grid.box(slice.part);
    auto read = std::make_shared<std::vector<std::byte>>(std::size_t(box.count[0] * box.count[1] * size_of(stored_type_)));
    const auto file = open_painted(plan_, folder_, slice.part, merged_);
    reading(FileKind::painted, slice.part, [&] { file->read(first_slice + std::size_t(slice.z), *read); });
    const std::lock_guard lock(mutex_);
    if (slices_.size() >= most_slices_)
        slices_.erase(std::ranges::min_element(slices_, {}, [](const auto& held) { return held.second.second; }));
    slices_[slice] = {read, ++time_};
    return read;
}

}  // namespace voxcc::parts
