#include "src/parts/painted_parts.h"

#include "src/parts/table_rows.h"

namespace voxcc::parts {
namespace {

ChunkFiles painted_chunks(const std::shared_ptr<const PaintedFiles>& files) {
    return {files->plan().rules.grid, painted_form(files->plan(), files->merged().components),
            [files](std::int64_t part, std::int64_t chunk) { return files->file(part)->chunk(chunk); },
            [files](std::int64_t part, std::int64_t chunk) { return files->file(part)->packed_chunk(chunk); }};
}

}  // namespace

PaintedParts::PaintedParts(std::shared_ptr<const PaintedFiles> files, int threads)
    : files_(std::move(files)), type_(painted_type(count())), labels_(painted_chunks(files_), threads) {
    for (std::int64_t part = 0; part < files_->plan().rules.grid.parts(); ++part) files_->file(part);
}

SumTable PaintedParts::measure() { return TableRows(files_).sums(); }

std::vector<std::uint64_t> PaintedParts::source_values() const {
    if (files_->plan().rules.rule != Rule::equal_values) return {};
    const TableRows rows(files_);
    std::vector<std::uint64_t> values(static_cast<std::size_t>(count()));
    for (std::size_t row = 0; row < values.size(); ++row) values[row] = rows.at(row).value;
    return values;
}

void PaintedParts::prepare_paint(ScalarType type, std::span<const std::uint64_t> final_numbers) {
    if (!final_numbers.empty()) throw Error(ErrorKind::internal, "parts", "painted labels are final");
    type_ = type;
}

void PaintedParts::paint(RowRange rows, std::byte* out, Stores) const { labels_.paint(rows, type_, out); }

}  // namespace voxcc::parts
