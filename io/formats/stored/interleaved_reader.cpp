#include "io/formats/stored/interleaved_reader.h"

#include "io/formats/stored/stored_bytes.h"
#include "io/samples.h"
#include "io/shared_by_formats.h"

#include <algorithm>
#include <cstring>

namespace voxcc::io {
namespace {

class InterleavedReader final : public VolumeReader {
public:
    InterleavedReader(StoredVolume volume, std::int64_t index)
        : steps_(*volume.interleaving),
          order_(volume.byte_order),
          first_(index * steps_.volume),
          total_(total_bytes(volume)),
          lead_(volume.lead),
          source_(stored_bytes(volume)) {
        info_ = std::move(volume.info);
        bytes_ = size_of(info_.type);
        constexpr std::int64_t samples_per_piece = std::int64_t{1} << 17;
        voxels_per_piece_ = std::clamp<std::int64_t>(samples_per_piece / steps_.voxel[0], 1, info_.extent.nx);
        piece_.resize(std::size_t(samples_of(voxels_per_piece_) * bytes_));
    }
    void read_rows(RowRange rows, std::byte* to) override {
        if (rows.first != next_row_) throw Error(ErrorKind::internal, info_.path, "rows were not asked for in order");
        for (; next_row_ < rows.end(); ++next_row_, to += info_.extent.nx * bytes_) read_row(next_row_, to);
        if (next_row_ == info_.extent.rows()) check_end();
    }
    void read_once() override { source_->pass_once(); }
    void rewind() override {
        source_->rewind();
        next_row_ = 0;
    }

private:
    /// The samples from the first to the last of `voxels` along i.
    std::int64_t samples_of(std::int64_t voxels) const { return (voxels - 1) * steps_.voxel[0] + 1; }
    void read_row(std::int64_t row, std::byte* to) {
        const std::int64_t y = row % info_.extent.ny, z = row / info_.extent.ny;
        const std::int64_t first = first_ + y * steps_.voxel[1] + z * steps_.voxel[2];
        for (std::int64_t x = 0; x < info_.extent.nx; x += voxels_per_piece_) {
            skip_to(lead_ + (first + x * steps_.voxel[0]) * bytes_);
            read_piece(std::min(voxels_per_piece_, info_.extent.nx - x), to + x * bytes_);
        }
        if (order_ != std::endian::native) swap_samples({to, std::size_t(info_.extent.nx * bytes_)}, bytes_);
    }
    void read_piece(std::int64_t voxels, std::byte* to) {
        source_->read(std::span(piece_).first(std::size_t(samples_of(voxels) * bytes_)));
        const std::byte* from = piece_.data();
        for (std::int64_t x = 0; x < voxels; ++x, from += steps_.voxel[0] * bytes_, to += bytes_)
            std::memcpy(to, from, std::size_t(bytes_));
    }
    void skip_to(std::int64_t position) { source_->skip(position - source_->position()); }
    void check_end() {
        skip_to(lead_ + total_);
        const std::int64_t left = source_->finish();
        if (left > 0 && !end_checked_) info_.warnings.push_back(ignored_bytes(left, "the voxels"));
        end_checked_ = true;
    }

    Interleaving steps_;
    std::endian order_;
    std::int64_t first_;  // sample of the volume
    std::int64_t total_;  // bytes of all volumes
    std::int64_t lead_, bytes_ = 1;
    std::unique_ptr<StoredBytes> source_;
    std::int64_t voxels_per_piece_ = 1;
    std::vector<std::byte> piece_;
    std::int64_t next_row_ = 0;
    bool end_checked_ = false;
};

}  // namespace

std::unique_ptr<VolumeReader> open_interleaved(StoredVolume volume, std::int64_t index) {
    return std::make_unique<InterleavedReader>(std::move(volume), index);
}

}  // namespace voxcc::io
