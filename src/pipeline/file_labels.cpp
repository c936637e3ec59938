#include "src/pipeline/file_labels.h"

#include "src/pipeline/label_bits.h"

#include <algorithm>
#include <cstring>

namespace voxcc {
namespace {

bool is_stored_as_integer(const io::VolumeInfo& info) { return info.scaling.is_identity() && label_type(info) == info.type; }

}  // namespace

FileLabels::FileLabels(io::VolumeReader& reader, std::function<void(std::int64_t)> on_rows)
    : LabelSource(label_type(reader.info()), reader.info().extent.nx,
                  is_stored_as_integer(reader.info()) && reader.reads_anywhere() ? Access::concurrent : Access::in_order),
      reader_(reader),
      is_stored_(is_stored_as_integer(reader.info())),
      on_rows_(std::move(on_rows)) {
    if (access() == Access::in_order) rows_.emplace(reader);
}

std::int64_t FileLabels::rows_per_fetch() const {
    constexpr std::int64_t bytes = 256 << 10;  // stay in the cache of a processor
    return std::clamp<std::int64_t>(bytes / row_bytes(), 1, 64 * 64);
}

void FileLabels::rewind() {
    if (!rows_) return;
    reader_.rewind();
    rows_.emplace(reader_);
}

const std::byte* FileLabels::fetch(RowRange rows, std::vector<std::byte>& buffer) {
    buffer.resize(std::size_t(rows.count * row_bytes()));
    if (!rows_) reader_.read_rows(rows, buffer.data());
    for (std::int64_t row = 0; rows_ && row < rows.count; ++row) {
        std::byte* const to = buffer.data() + row * row_bytes();
        const std::span<const std::byte> stored = rows_->next();
        if (is_stored_) std::memcpy(to, stored.data(), stored.size());
        else to_label_bits(stored, reader_.info(), {reinterpret_cast<LabelBits*>(to), std::size_t(reader_.info().extent.nx)});
    }
    on_rows_(rows.end());
    return buffer.data();
}

}  // namespace voxcc
