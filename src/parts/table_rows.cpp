#include "src/parts/table_rows.h"

namespace voxcc::parts {
namespace {

/// The sums of rows as SumTable needs them.
struct RowSums {
    TableRows rows;
    std::size_t size() const { return rows.size(); }
    WideSums operator[](std::size_t row) const { return rows.at(row).sums; }
    std::uint64_t voxels(std::size_t row) const { return rows.at(row).sums.n; }
    AxisSet wraps(std::size_t row) const { return rows.at(row).wraps; }
};

}  // namespace

TableRows::TableRows(std::shared_ptr<const PaintedFiles> files) : files_(std::move(files)) { restart(); }

TableRow TableRows::at(std::size_t row) const {
    const std::lock_guard lock(state_->mutex);
    return go_to(row).row;
}

std::vector<ImageValues> TableRows::image_values(std::size_t row, std::span<const LinearScale> scales, const std::optional<World>& world,
                                                 const Wrapping& wrapping) const {
    const std::lock_guard lock(state_->mutex);
    const Cursor& at = go_to(row);
    std::vector<ImageValues> values;
    for (std::size_t image = 0; image < scales.size(); ++image)
        values.push_back({at.images[image].properties(at.row_of_block, scales[image], world, wrapping), {}});
    return values;
}

std::vector<std::uint64_t> TableRows::nan_voxels(std::size_t row) const {
    const std::lock_guard lock(state_->mutex);
    const Cursor& at = go_to(row);
    std::vector<std::uint64_t> nan;
    for (const IntensitySums& image : at.images) {
        const std::uint64_t measured = image.stored_range(at.row_of_block).voxels;
        if (measured > at.row.sums.n) fail("has more intensities than voxels");
        nan.push_back(at.row.sums.n - measured);
    }
    return nan;
}

SumTable TableRows::sums() const { return SumTable(RowSums{*this}); }

const TableRows::Cursor& TableRows::go_to(std::size_t row) const {
    if (row + 1 < state_->taken) restart();
    while (state_->taken < row + 1) take_next();
    return state_->cursors.at(state_->current);
}

void TableRows::restart() const {
    State& state = *state_;
    state.cursors.clear();
    state.parts = {};
    state.taken = 0, state.current = -1;
    for (std::int64_t part = 0; part < files_->plan().rules.grid.parts(); ++part)
        if (const auto file = files_->file(part); file->rows() > 0) state.parts.emplace(file->first_number(), part);
}

void TableRows::take_next() const {
    State& state = *state_;
    if (state.current >= 0) {
        Cursor& last = state.cursors.at(state.current);
        if (advance(state.current, last)) state.parts.emplace(last.row.number, state.current);
        else state.cursors.erase(state.current);
        state.current = -1;
    }
    if (state.parts.empty()) fail("has fewer rows of the table than components");
    const auto [number, part] = state.parts.top();
    state.parts.pop();
    Cursor& next = state.cursors[part];
    if (next.row.number == 0) advance(part, next);
    if (number != state.taken + 1 || next.row.number != number) fail("has a wrong number in its table");
    state.current = part;
    ++state.taken;
}

bool TableRows::advance(std::int64_t part, Cursor& cursor) const {
    if (!cursor.rows || cursor.rows->rows_left() == 0) {
        const auto file = files_->file(part);
        if (cursor.next_block == file->blocks()) return false;
        cursor.rows.emplace(file->block(cursor.next_block));
        if (!files_->plan().intensities.empty()) cursor.images = file->intensities(cursor.next_block);
        ++cursor.next_block;
        cursor.row_of_block = 0;
    }
    reading(FileKind::painted, part, [&] { cursor.row = cursor.rows->next(); });
    ++cursor.row_of_block;
    return true;
}

void TableRows::fail(const std::string& cause) const {
    throw Error(ErrorKind::corrupt_file, files_->folder(), cause + "; paint all parts again");
}

}  // namespace voxcc::parts
