// Opens inputs, and reads a volume once from the first row to the last.
#pragma once
#include "io/files/file_identity.h"
#include "src/pipeline/chosen_volume.h"

#include <algorithm>
#include <memory>

namespace voxcc {

/// Opens a mask or an intensity image: see choose_companion(). @return null if the text is empty
std::unique_ptr<io::VolumeReader> open_companion(const std::string& input, const InputOptions& options, const ChosenVolume& image);

/// Converts the options to the options of io::open_volume(). For the volume "all" the result has no volume; the caller must set it.
io::OpenOptions open_options(const InputOptions& input);

/// @throw ProgramError invalid_argument if two of the inputs are the same pipe, such as stdin
void refuse_shared_pipes(const std::vector<std::string>& inputs);

/// All files that a run reads. Empty paths are left out. @throw ProgramError as refuse_shared_pipes(volumes)
/// @param volumes inputs, which may have selectors and consist of several files
/// @param others paths of other files
std::shared_ptr<const io::FileSet> files_read(const std::vector<std::string>& volumes, const std::vector<std::string>& others,
                                              const InputOptions& input);

/// The number of rows to read at once: about 4 MiB, a multiple of reader.rows_per_read(), at most all rows.
inline std::int64_t rows_per_buffer(const io::VolumeReader& reader) {
    constexpr std::int64_t buffer_bytes = 4 << 20;
    const io::VolumeInfo& info = reader.info();
    const std::int64_t row_bytes = info.extent.nx * size_of(info.type), step = std::max<std::int64_t>(reader.rows_per_read(), 1);
    return std::min(std::max<std::int64_t>(buffer_bytes / row_bytes / step, 1) * step, info.extent.rows());
}

/// Calls f(rows, bytes) for all rows in order, rows_per_buffer() rows at a time.
/// @param reader must be at row 0
/// @param f `bytes` is valid until f returns
template <class F>
void for_each_row_buffer(io::VolumeReader& reader, F&& f) {
    const io::VolumeInfo& info = reader.info();
    const std::int64_t row_bytes = info.extent.nx * size_of(info.type), rows = rows_per_buffer(reader);
    std::vector<std::byte> bytes(std::size_t(rows * row_bytes));
    for (std::int64_t first = 0; first < info.extent.rows(); first += rows) {
        const RowRange range{first, std::min(rows, info.extent.rows() - first)};
        reader.read_rows(range, bytes.data());
        f(range, std::span<const std::byte>(bytes.data(), std::size_t(range.count * row_bytes)));
    }
}

/// The memory that for_each_row_buffer() and RowStream need, in bytes.
inline std::int64_t bytes_per_row_buffer(const io::VolumeReader& reader) {
    return (rows_per_buffer(reader) + reader.rows_per_read()) * reader.info().extent.nx * size_of(reader.info().type);
}

/// Calls f(part) for parts of rows until all voxels are read, in any order. If the reader has layers of chunks, only one chunk at a time is
/// in memory.
/// @param reader must be at row 0
/// @param f `part` is valid until f returns
template <class F>
void for_each_row_part(io::VolumeReader& reader, F&& f) {
    const std::int64_t rows = reader.info().extent.rows(), nx = reader.info().extent.nx, row_bytes = nx * size_of(reader.info().type);
    if (!reader.layer_of(0))
        return for_each_row_buffer(reader, [&](RowRange range, std::span<const std::byte> bytes) {
            for (std::int64_t i = 0; i < range.count; ++i) f(io::RowPart{range.first + i, 0, nx, bytes.data() + i * row_bytes});
        });
    for (RowRange layer; layer.end() < rows;) {
        layer = reader.layer_of(layer.end())->rows;
        reader.read_layer(layer, f, io::Visits::in_turn);
    }
}

/// The memory that for_each_row_part() needs, in bytes.
inline std::int64_t bytes_per_row_part(const io::VolumeReader& reader) {
    const auto layer = reader.layer_of(0);
    return layer ? layer->bytes : bytes_per_row_buffer(reader);
}

/// Calls f(bytes) for consecutive voxels until all voxels are read, in any order. If the reader has layers of chunks, only one chunk at a
/// time is in memory.
/// @param reader must be at row 0
/// @param f `bytes` is valid until f returns
template <class F>
void for_each_piece(io::VolumeReader& reader, F&& f) {
    if (!reader.layer_of(0)) return for_each_row_buffer(reader, [&](RowRange, std::span<const std::byte> bytes) { f(bytes); });
    const std::int64_t bytes = size_of(reader.info().type);
    for_each_row_part(reader, [&](const io::RowPart& part) { f(std::span(part.voxels, std::size_t(part.count * bytes))); });
}

/// Returns the rows of a volume one by one, in order, for loops over several volumes. Reads rows_per_buffer() rows at a time. The reader
/// must be at row 0 and must outlive this object.
class RowStream {
public:
    explicit RowStream(io::VolumeReader& reader)
        : reader_(reader),
          row_bytes_(std::size_t(reader.info().extent.nx * size_of(reader.info().type))),
          row_buffer_(std::size_t(rows_per_buffer(reader)) * row_bytes_) {}
    /// @return the bytes of the next row, valid until the next call
    std::span<const std::byte> next() {
        if (at_ == read_.count) {
            read_ = {read_.end(), std::min(rows_per_buffer(reader_), reader_.info().extent.rows() - read_.end())};
            reader_.read_rows(read_, row_buffer_.data());
            at_ = 0;
        }
        return std::span(row_buffer_).subspan(std::size_t(at_++) * row_bytes_, row_bytes_);
    }

private:
    io::VolumeReader& reader_;
    std::size_t row_bytes_;
    std::vector<std::byte> row_buffer_;
    RowRange read_;        // the rows in row_buffer_
    std::int64_t at_ = 0;  // number of rows in row_buffer_ that next() has returned
};

}  // namespace voxcc
