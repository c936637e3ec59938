#include "src/pipeline/file_labels.h"

#include "src/pipeline/label_bits.h"

#include <cstring>

namespace voxcc {
FileLabels::FileLabels(io::VolumeReader& reader, std::function<void(std::int64_t)> on_rows)
    : LabelSource(label_type(reader.info()), reader.info().extent.nx, Access::in_order),
      reader_(reader),
      is_stored_(reader.info().scaling.is_identity() && label_type(reader.info()) == reader.info().type),
      rows_(std::in_place, reader),
      on_rows_(std::move(on_rows)) {}

void FileLabels::rewind() {
    reader_.rewind();
    rows_.emplace(reader_);
}

const std::byte* FileLabels::fetch(RowRange rows, std::vector<std::byte>& buffer) {
    buffer.resize(std::size_t(rows.count * row_bytes()));
    for (std::int64_t row = 0; row < rows.count; ++row) {
        std::byte* const to = buffer.data() + row * row_bytes();
        const std::span<const std::byte> stored = rows_->next();
        if (is_stored_) std::memcpy(to, stored.data(), stored.size());
        else to_label_bits(stored, reader_.info(), {reinterpret_cast<LabelBits*>(to), std::size_t(reader_.info().extent.nx)});
    }
    on_rows_(rows.end());
    return buffer.data();
}

}  // namespace voxcc
