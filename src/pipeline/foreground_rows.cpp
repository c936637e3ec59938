#include "src/pipeline/foreground_rows.h"

#include <voxcc/source.h>
#include "src/pipeline/bit_columns.h"

#include <cstring>

namespace voxcc {
namespace {

std::optional<io::Layer> first_layer(const io::VolumeReader& reader, Keep keep) {
    return keep == Keep::bits ? reader.layer_of(0) : std::nullopt;
}

}  // namespace

ForegroundRows::ForegroundRows(io::VolumeReader& reader, const ForegroundPacker& packer, Isa isa, Keep keep)
    : reader_(reader),
      packer_(packer),
      isa_(isa),
      costs_(costs(reader, keep)),
      nx_(reader.info().extent.nx),
      words_(words_of(nx_)),
      by_layers_(first_layer(reader, keep).has_value()) {}

ForegroundRows::Costs ForegroundRows::costs(const io::VolumeReader& reader, Keep keep) {
    const std::int64_t nx = reader.info().extent.nx;
    if (const auto layer = first_layer(reader, keep)) {
        const std::int64_t row_bytes = words_of(nx) * 8;
        return {row_bytes, 1, layer->rows.count * row_bytes + layer->bytes};
    }
    const std::int64_t row_bytes = nx * size_of(reader.info().type), rows = std::max<std::int64_t>(reader.rows_per_read(), 1);
    return {row_bytes, rows, rows * row_bytes};  // the reader holds the rows that it has decompressed
}

void ForegroundRows::fetch(RowRange rows, std::byte* to) {
    if (!by_layers_) return reader_.read_rows(rows, to);
    while (rows.count > 0) {
        if (rows.first >= layer_.end()) read_layer(reader_.layer_of(rows.first)->rows);
        const std::int64_t count = std::min(rows.count, layer_.end() - rows.first);
        std::memcpy(to, layer_bits_.data() + (rows.first - layer_.first) * words_, std::size_t(count * row_bytes()));
        to += count * row_bytes();
        rows = {rows.first + count, rows.count - count};
    }
}

void ForegroundRows::read_layer(RowRange layer) {
    layer_ = {layer.first, 0};  // empty if reading throws
    layer_bits_.assign(std::size_t(layer.count * words_), 0);
    reader_.read_layer(
        layer, [this](const io::RowPart& part) { add(part); }, io::Visits::at_the_same_time);
    layer_ = layer;
}

void ForegroundRows::add(const io::RowPart& part) {
    set_columns(layer_bits_.data() + (part.row - layer_.first) * words_, nx_, part.x, part.count,
                [&](std::uint64_t* bits) { pack_voxels(part.row, part.voxels, part.count, bits); });
}

void ForegroundRows::pack(const std::byte* row, std::int64_t index, std::uint64_t* bits) const {
    if (by_layers_) std::memcpy(bits, row, std::size_t(row_bytes()));
    else pack_voxels(index, row, nx_, bits);
}

void ForegroundRows::pack_again(const std::byte* row, std::uint64_t* bits) const {
    if (by_layers_) std::memcpy(bits, row, std::size_t(row_bytes()));
    else packer_.pack(isa_, row, nx_, bits);
}

void ForegroundRows::pack_voxels(std::int64_t row, const std::byte* voxels, std::int64_t count, std::uint64_t* bits) const {
    const std::int64_t nan = packer_.pack(isa_, voxels, count, bits);
    if (!first_pass_) return;
    if (nan > 0) nan_voxels_ += nan;
    if (samples_) samples_->add(isa_, row, voxels, count);
}

void ForegroundRows::rewind() {
    reader_.rewind();
    first_pass_ = false;
    layer_ = {};  // the file may have changed since the first pass
}

}  // namespace voxcc
