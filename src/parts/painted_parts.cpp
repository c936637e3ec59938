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

PaintedParts::PaintedParts(std::shared_ptr<const PaintedFiles> files, int threads)
    : files_(std::move(files)), form_(painted_form(files_->plan(), count())), type_(form_.type) {
    const Grid& grid = files_->plan().rules.grid;
    for (std::int64_t part = 0; part < grid.parts(); ++part) files_->file(part);
    // The chunks at the ends of parts are cut off: one layer has at most this number of chunks.
    const auto along = [&](std::size_t axis, std::int64_t chunk) {
        return grid.counts()[axis] * ((grid.part_size()[axis] - 1) / chunk + 1);
    };
    most_chunks_ = std::size_t(along(0, form_.chunk.nx) * along(1, form_.chunk.ny) + threads);
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

void PaintedParts::paint(RowRange rows, std::byte* out, Stores) const {
    const Grid& grid = files_->plan().rules.grid;
    const std::int64_t ny = grid.volume().ny, first_z = rows.first / ny, last_z = (rows.end() - 1) / ny;
    for (std::int64_t z = first_z / grid.part_size()[2]; z <= last_z / grid.part_size()[2]; ++z)
        for (std::int64_t i = 0; i < grid.counts()[0] * grid.counts()[1]; ++i)
            paint_part(z * grid.counts()[0] * grid.counts()[1] + i, rows, out);
}

/// Writes the labels of a part that lie in rows of the volume. @param out labels of these rows
void PaintedParts::paint_part(std::int64_t part, RowRange rows, std::byte* out) const {
    const Grid& grid = files_->plan().rules.grid;
    const Extent& volume = grid.volume();
    const Box box = grid.box(part);
    const Grid chunks = chunks_of(files_->plan(), part);
    const std::int64_t from_bytes = size_of(form_.type), to_bytes = size_of(type_), per_layer = chunks.counts()[0] * chunks.counts()[1];
    const auto layer_of = [&](std::int64_t row) {  // of chunks
        return std::clamp<std::int64_t>(row / volume.ny - box.first[2], 0, box.count[2] - 1) / chunks.part_size()[2];
    };
    for (std::int64_t index = layer_of(rows.first) * per_layer; index < (layer_of(rows.end() - 1) + 1) * per_layer; ++index) {
        const Box chunk = chunks.box(index);
        const std::int64_t x0 = box.first[0] + chunk.first[0], y0 = box.first[1] + chunk.first[1], z0 = box.first[2] + chunk.first[2];
        const auto in_rows = [&](std::int64_t y, std::int64_t z) { return z * volume.ny + y - rows.first; };
        if (in_rows(y0, z0) >= rows.count || in_rows(y0 + chunk.count[1] - 1, z0 + chunk.count[2] - 1) < 0) continue;
        Labels from;
        for (std::int64_t z = 0; z < chunk.count[2]; ++z)
            for (std::int64_t y = 0; y < chunk.count[1]; ++y) {
                const std::int64_t row = in_rows(y0 + y, z0 + z);
                if (row < 0 || row >= rows.count) continue;
                if (!from) from = labels({part, index});
                std::byte* const to = out + (row * volume.nx + x0) * to_bytes;
                if (from->empty()) std::memset(to, 0, std::size_t(chunk.count[0] * to_bytes));
                else convert(form_.type, from->data() + (z * form_.chunk.ny + y) * form_.chunk.nx * from_bytes, chunk.count[0], type_, to);
            }
    }
}

PaintedParts::Labels PaintedParts::labels(const Chunk& chunk) const {
    {
        const std::lock_guard lock(mutex_);
        if (const auto known = chunks_.find(chunk); known != chunks_.end()) {
            known->second.second = ++time_;
            return known->second.first;
        }
    }
    const auto read = std::make_shared<const std::vector<std::byte>>(files_->file(chunk.part)->chunk(chunk.index));
    const std::lock_guard lock(mutex_);
    if (chunks_.size() >= most_chunks_)
        chunks_.erase(std::ranges::min_element(chunks_, {}, [](const auto& held) { return held.second.second; }));
    chunks_[chunk] = {read, ++time_};
    return read;
}

std::optional<StoredChunks> PaintedParts::stored_chunks() const {
    if (!has_chunks_of_output(files_->plan())) return {};
    const std::array chunk{form_.chunk.nx, form_.chunk.ny, form_.chunk.nz};
    return StoredChunks{form_, [this, chunk](const Extent& first, std::vector<std::byte>& to) {
                            const Grid& parts = files_->plan().rules.grid;
                            const std::array at{first.nx, first.ny, first.nz};
                            std::array<std::int64_t, 3> place{}, in_part{};  // of the part, and of the chunk in it
                            for (std::size_t axis = 0; axis < 3; ++axis) {
                                place[axis] = at[axis] / parts.part_size()[axis];
                                in_part[axis] = at[axis] % parts.part_size()[axis] / chunk[axis];
                            }
                            const std::int64_t part = place[0] + parts.counts()[0] * (place[1] + parts.counts()[1] * place[2]);
                            const auto counts = chunks_of(files_->plan(), part).counts();
                            const auto frame =
                                files_->file(part)->packed_chunk(in_part[0] + counts[0] * (in_part[1] + counts[1] * in_part[2]));
                            to.insert(to.end(), frame.begin(), frame.end());
                        }};
}

}  // namespace voxcc::parts
