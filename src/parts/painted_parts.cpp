#include "src/parts/painted_parts.h"

#include "src/parts/table_rows.h"

#include <algorithm>
#include <cstring>

namespace voxcc::parts {
namespace {

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

PaintedParts::PaintedParts(const Plan& plan, std::string folder, const MergedFile& merged, int threads)
    : plan_(plan), folder_(std::move(folder)), merged_(merged), stored_type_(painted_type(merged.components)), type_(stored_type_) {
    const Grid& grid = plan.rules.grid;
    for (std::int64_t part = 0; part < grid.parts(); ++part) open_painted(plan_, folder_, part, merged_);
    most_slices_ = std::size_t(grid.counts()[0] * (grid.counts()[1] + threads) + threads);
}

SumTable PaintedParts::measure() { return SumTable(TableRows(plan_, folder_, merged_, TableRows::Content::sums)); }

std::vector<std::uint64_t> PaintedParts::source_values() const {
    if (plan_.rules.rule != Rule::equal_values) return {};
    const TableRows rows(plan_, folder_, merged_, TableRows::Content::sums);
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
    reading(FileKind::painted, slice.part, [&] { file->read(section_of_slice(plan_, slice.z), *read); });
    const std::lock_guard lock(mutex_);
    if (slices_.size() >= most_slices_)
        slices_.erase(std::ranges::min_element(slices_, {}, [](const auto& held) { return held.second.second; }));
    slices_[slice] = {read, ++time_};
    return read;
}

}  // namespace voxcc::parts
