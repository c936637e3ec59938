#include "src/pipeline/signed_source.h"

#include <voxcc/source.h>

#include <cstring>

namespace voxcc {
namespace {

ForegroundPacker packer_of(const io::VolumeInfo& info, ForegroundRule::Kind kind) {
    return {info.type, {.kind = kind, .slope = info.scaling.slope, .intercept = info.scaling.intercept}};
}

}  // namespace

SignedSource::SignedSource(io::VolumeReader& image, const ForegroundPacker& packer, io::VolumeReader* mask, Isa isa,
                           std::function<void(std::int64_t)> on_rows)
    : ReaderSource(image, packer, mask, isa, Keep::bits_and_values, std::move(on_rows)),
      positive_(packer_of(image.info(), ForegroundRule::Kind::above)),
      negative_(packer_of(image.info(), ForegroundRule::Kind::below)),
      isa_(isa),
      nx_(image.info().extent.nx) {}

ForegroundRows::Costs SignedSource::costs(const io::VolumeReader& image, const io::VolumeReader* mask) {
    ForegroundRows::Costs costs = ReaderSource::costs(image, mask, Keep::bits_and_values);
    const std::int64_t nx = image.info().extent.nx;
    costs.row_bytes += words_of(nx) * 8 + nx;
    return costs;
}

std::int64_t SignedSource::row_bytes() const { return words_of(nx_) * 8; }

const std::byte* SignedSource::fetch(RowRange rows, std::vector<std::byte>& buffer) {
    thread_local std::vector<std::byte> stored;
    thread_local std::vector<std::uint64_t> bits, positive, negative;
    for (auto* words : {&bits, &positive, &negative}) words->resize(std::size_t(words_of(nx_)));
    const std::byte* const fetched = ReaderSource::fetch(rows, stored);
    const std::size_t bytes = std::size_t(rows.count * (row_bytes() + nx_));
    if (buffer.size() < bytes) buffer.resize(bytes);
    for (std::int64_t i = 0; i < rows.count; ++i) {
        const std::byte* const row = ReaderSource::values(fetched, rows, i);
        positive_.pack(isa_, row, nx_, positive.data());
        negative_.pack(isa_, row, nx_, negative.data());
        ReaderSource::pack(fetched, rows, i, bits.data());
        for (std::size_t w = 0; w < bits.size(); ++w) bits[w] &= positive[w] | negative[w];
        std::memcpy(buffer.data() + i * row_bytes(), bits.data(), std::size_t(row_bytes()));
        std::byte* const signs = buffer.data() + rows.count * row_bytes() + i * nx_;
        for (std::int64_t x = 0; x < nx_; ++x) signs[x] = positive[std::size_t(x / 64)] >> x % 64 & 1 ? std::byte{1} : std::byte{0xff};
    }
    return buffer.data();
}

void SignedSource::pack(const std::byte* fetched, RowRange, std::int64_t index, std::uint64_t* bits) const {
    std::memcpy(bits, fetched + index * row_bytes(), std::size_t(row_bytes()));
}

const std::byte* SignedSource::values(const std::byte* fetched, RowRange rows, std::int64_t index) const {
    return fetched + rows.count * row_bytes() + index * nx_;
}

}  // namespace voxcc
