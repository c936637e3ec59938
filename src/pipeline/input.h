// Inputs as the small commands read them: one volume, streamed once.
#pragma once
#include "io/file_identity.h"
#include "src/cli/options.h"

#include <algorithm>
#include <memory>

namespace voxcc {

struct VolumeJob;

/// Opens the volume of a job.
std::unique_ptr<io::VolumeReader> open_job(const VolumeJob& job, const InputOptions& input);

/// Opens a mask or an intensity image: the choice of a dataset or volume is for the labelled image only.
/// @return null if the path is empty
std::unique_ptr<io::VolumeReader> open_companion(const std::string& path, const InputOptions& input);

/// @return what io::open_volume takes; a volume of "all" leaves the choice to the caller
io::OpenOptions open_options(const InputOptions& input);

/// All files that a run reads: those of `volumes` and `others`. Empty paths are left out.
std::shared_ptr<const io::FileSet> files_read(const std::vector<std::string>& volumes, const std::vector<std::string>& others,
                                              const InputOptions& input);

/// Rows that make a few MiB and suit the reader.
inline std::int64_t rows_per_slab(const io::VolumeReader& reader) {
    constexpr std::int64_t slab_bytes = 4 << 20;
    const io::VolumeInfo& info = reader.info();
    const std::int64_t row_bytes = info.extent.nx * size_of(info.type), step = std::max<std::int64_t>(reader.rows_per_read(), 1);
    return std::min(std::max<std::int64_t>(slab_bytes / row_bytes / step, 1) * step, info.extent.rows());
}

/// Calls f(rows, bytes) for all rows of a rewound or new reader in order, a slab at a time; the bytes are only valid inside f.
template <class F>
void for_each_slab(io::VolumeReader& reader, F&& f) {
    const io::VolumeInfo& info = reader.info();
    const std::int64_t row_bytes = info.extent.nx * size_of(info.type), rows = rows_per_slab(reader);
    std::vector<std::byte> bytes(std::size_t(rows * row_bytes));
    for (std::int64_t first = 0; first < info.extent.rows(); first += rows) {
        const RowRange range{first, std::min(rows, info.extent.rows() - first)};
        reader.read_rows(range, bytes.data());
        f(range, std::span<const std::byte>(bytes.data(), std::size_t(range.count * row_bytes)));
    }
}

/// Calls f(bytes) for all voxels of a rewound or new reader, in pieces and in any order, each piece only valid inside f: where it has
/// layers of chunks, no more than a chunk is held.
template <class F>
void for_each_piece(io::VolumeReader& reader, F&& f) {
    if (!reader.layer_of(0)) return for_each_slab(reader, [&](RowRange, std::span<const std::byte> bytes) { f(bytes); });
    const std::int64_t rows = reader.info().extent.rows(), bytes = size_of(reader.info().type);
    for (RowRange layer; layer.end() < rows;) {
        layer = reader.layer_of(layer.end())->rows;
        reader.read_layer(layer, [&](const io::RowPart& part) { f(std::span(part.voxels, std::size_t(part.count * bytes))); });
    }
}

/// Hands out all rows of a rewound or new reader one by one, reading a slab at a time: for volumes that are walked together.
class RowStream {
public:
    explicit RowStream(io::VolumeReader& reader)
        : reader_(reader),
          row_bytes_(std::size_t(reader.info().extent.nx * size_of(reader.info().type))),
          slab_(std::size_t(rows_per_slab(reader)) * row_bytes_) {}
    /// @return the row's bytes, valid until the next call
    std::span<const std::byte> next() {
        if (at_ == read_.count) {
            read_ = {read_.end(), std::min(rows_per_slab(reader_), reader_.info().extent.rows() - read_.end())};
            reader_.read_rows(read_, slab_.data());
            at_ = 0;
        }
        return std::span(slab_).subspan(std::size_t(at_++) * row_bytes_, row_bytes_);
    }

private:
    io::VolumeReader& reader_;
    std::size_t row_bytes_;
    std::vector<std::byte> slab_;
    RowRange read_;        // in slab_
    std::int64_t at_ = 0;  // rows of them that were handed out
};

}  // namespace voxcc
