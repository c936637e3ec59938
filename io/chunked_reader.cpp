#include "io/chunked_reader.h"

#include <algorithm>
#include <cstring>

namespace voxcc::io {
namespace {

// Limit of the bytes (or, for read_layer(), voxels) that are read together. A larger layer of chunks is split, and its chunks are decoded
// more than once.
constexpr std::int64_t most_together = std::int64_t{1} << 30;

}  // namespace

void ChunkedReader::read_by_chunks(const Step& read, const Step& layer) {
    has_chunks_ = true;
    rows_per_read_ = rows_together(read, most_together / (info_.extent.nx * size_of(info_.type)));
    rows_per_layer_ = rows_together(layer, most_together / info_.extent.nx);
}

void ChunkedReader::read_rows(RowRange rows, std::byte* to) {
    const std::int64_t row_bytes = info_.extent.nx * size_of(info_.type);
    while (rows.count > 0) {
        const RowRange layer = read_together(rows);
        const std::int64_t count = std::min(rows.count, layer.end() - rows.first);
        if (count == layer.count) {
            read_box(box_of(layer), to);
        } else {
            if (kept_ != layer) {
                kept_ = {};
                chunk_layer_.resize(std::size_t(layer.count * row_bytes));
                read_box(box_of(layer), chunk_layer_.data());
                kept_ = layer;
            }
            std::memcpy(to, chunk_layer_.data() + (rows.first - layer.first) * row_bytes, std::size_t(count * row_bytes));
        }
        to += count * row_bytes;
        rows = {rows.first + count, rows.count - count};
    }
}

void ChunkedReader::rewind() {
    chunk_layer_ = {};
    kept_ = {};
}

std::optional<Layer> ChunkedReader::layer_of(std::int64_t row) const {
    const auto bytes = bytes_of_parts();
    if (!bytes) return {};
    return Layer{rows_around(row, rows_per_layer_), *bytes};
}

void ChunkedReader::read_layer(RowRange layer, const PartVisitor& visit, Visits visits) {
    if (!bytes_of_parts()) return VolumeReader::read_layer(layer, visit, visits);
    visit_box(box_of(layer), visit, visits);
}

bool ChunkedReader::read_chunks_of(const Box& box, const PartVisitor& visit, Visits visits) {
    if (!bytes_of_parts()) return false;
    Box wider = box;
    wider.x = first_column(box.x);
    wider.nx += box.x - wider.x;
    visit_box(wider, visit, visits);
    return true;
}

bool read_chunks_of(VolumeReader& reader, const Box& box, const PartVisitor& visit, Visits visits) {
    auto* const chunked = dynamic_cast<ChunkedReader*>(&reader);
    return chunked && chunked->read_chunks_of(box, visit, visits);
}

// @return rows that are a step; fewer slices, or rows of one slice, if a step exceeds `most` rows
std::int64_t ChunkedReader::rows_together(const Step& step, std::int64_t most) const {
    const Extent& e = info_.extent;
    const std::int64_t slices = std::min({step.depth, e.nz, most / e.ny});
    return slices > 0 ? slices * e.ny : std::clamp(most / step.height * step.height, std::int64_t{1}, e.ny);
}

// @return the rows that are read together with the first of `rows`: complete slices, or rows of one slice
RowRange ChunkedReader::read_together(RowRange rows) const {
    const Extent& e = info_.extent;
    if (has_chunks_) return rows_around(rows.first, rows_per_read_);
    const std::int64_t y = rows.first % e.ny;
    if (y == 0 && rows.count >= e.ny) return {rows.first, rows.count / e.ny * e.ny};
    return {rows.first, std::min(rows.count, e.ny - y)};
}

// @return the piece of `height` rows that contains `row`; pieces lower than a slice start again in each slice
RowRange ChunkedReader::rows_around(std::int64_t row, std::int64_t height) const {
    const Extent& e = info_.extent;
    const std::int64_t from = height >= e.ny ? 0 : row - row % e.ny, end = height >= e.ny ? e.rows() : from + e.ny;
    const std::int64_t first = row - (row - from) % height;
    return {first, std::min(height, end - first)};
}

Box ChunkedReader::box_of(RowRange rows) const {
    const Extent& e = info_.extent;
    if (rows.count >= e.ny) return {rows.first / e.ny, rows.count / e.ny, 0, e.ny, 0, e.nx};
    return {rows.first / e.ny, 1, rows.first % e.ny, rows.count, 0, e.nx};
}

}  // namespace voxcc::io
