#include "src/pipeline/sources.h"

#include <voxcc/source.h>

#include <algorithm>
#include <cstring>

namespace voxcc {

ReaderSource::ReaderSource(io::VolumeReader& image, const ForegroundPacker& packer, io::VolumeReader* mask, Isa isa, Keep keep,
                           std::function<void(std::int64_t)> on_rows)
    : image_(image, packer, isa, keep),
      value_type_(packer.type()),
      keep_(keep),
      on_rows_(std::move(on_rows)),
      words_(words_of(image.info().extent.nx)),
      rows_per_fetch_(costs(image, mask, keep).rows_per_fetch) {
    if (!mask) return;
    mask_packer_ = std::make_unique<ForegroundPacker>(mask->info().type, rule_of_mask(mask->info()));
    mask_.emplace(*mask, *mask_packer_, isa, Keep::bits);
}

ForegroundRows::Costs ReaderSource::costs(const io::VolumeReader& image, const io::VolumeReader* mask, Keep keep) {
    constexpr std::int64_t fetch_bytes = 1 << 20;
    ForegroundRows::Costs costs = ForegroundRows::costs(image, keep);
    if (mask) {
        const ForegroundRows::Costs of_mask = ForegroundRows::costs(*mask, Keep::bits);
        costs.row_bytes += of_mask.row_bytes;
        costs.held_bytes += of_mask.held_bytes;
    }
    costs.rows_per_fetch *= std::max<std::int64_t>(fetch_bytes / costs.row_bytes / costs.rows_per_fetch, 1);
    return costs;
}

void ReaderSource::allow_concurrent_access() {
    if (image_.reads_anywhere() && (!mask_ || mask_->reads_anywhere())) access_ = Access::concurrent;
}

void ReaderSource::rewind() {
    image_.rewind();
    if (mask_) mask_->rewind();
    on_rows_ = [](std::int64_t) {};
}

const std::byte* ReaderSource::fetch(RowRange rows, std::vector<std::byte>& buffer) {
    const std::int64_t image_bytes = rows.count * image_.row_bytes();
    const std::size_t bytes = std::size_t(image_bytes + (mask_ ? rows.count * mask_->row_bytes() : 0));
    if (buffer.size() < bytes) buffer.resize(bytes);
    image_.fetch(rows, buffer.data());
    if (mask_) mask_->fetch(rows, buffer.data() + image_bytes);
    on_rows_(rows_read_ += rows.count);
    return buffer.data();
}

void ReaderSource::pack(const std::byte* fetched, RowRange rows, std::int64_t index, std::uint64_t* bits) const {
    image_.pack(fetched + index * image_.row_bytes(), rows.first + index, bits);
    if (!mask_) return;
    thread_local std::vector<std::uint64_t> mask;
    mask.resize(std::size_t(words_));
    mask_->pack(fetched + rows.count * image_.row_bytes() + index * mask_->row_bytes(), rows.first + index, mask.data());
    for (std::size_t w = 0; w < mask.size(); ++w) bits[w] &= mask[w];
}

void ReaderSource::pack_mask(const std::byte* fetched, RowRange rows, std::int64_t index, std::uint64_t* bits) const {
    mask_->pack_again(fetched + rows.count * image_.row_bytes() + index * mask_->row_bytes(), bits);
}

PackMask ReaderSource::mask_packer() const {
    if (!mask_) return {};
    return
        [this](const std::byte* fetched, RowRange rows, std::int64_t index, std::uint64_t* bits) { pack_mask(fetched, rows, index, bits); };
}

}  // namespace voxcc
