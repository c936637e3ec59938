#include "io/formats/zarr/block_encoder.h"

#include "io/formats/zarr/codecs.h"
#include "io/label_chunk.h"
#include "io/samples.h"

#include <bit>
#include <optional>

namespace voxcc::io::zarr {
namespace {

using ByteVector = std::vector<std::byte>;

template <class Int>
void append_number(Int number, ByteVector& to) {
    for (std::size_t i = 0; i < sizeof number; ++i) to.push_back(std::byte(number >> 8 * i));
}

/// Encodes the chunks of a block of voxels.
class RawChunks {
public:
    RawChunks(const ArrayForm& form, const ArrayLayout& layout, std::int64_t block, std::span<const std::byte> raw)
        : form_(form), raw_(raw), first_row_(block * layout.rows_per_block()), cutter_(layout.extent, layout.chunk, form.type) {
        if (form.compress > 0) compressor_.emplace(form.compress);
    }
    void append(const Extent& first, ByteVector& to) {
        const std::span<std::byte> chunk = cutter_.cut(raw_, first_row_, first);
        if (chunk.empty()) return;
        if constexpr (std::endian::native == std::endian::big) swap_samples(chunk, size_of(form_.type));
        if (compressor_) return compressor_->append(chunk, to);
        to.insert(to.end(), chunk.begin(), chunk.end());
        if (form_.format == 3) append_number(crc32c(0, chunk), to);
    }

private:
    const ArrayForm& form_;
    std::span<const std::byte> raw_;
    std::int64_t first_row_;
    ChunkCutter cutter_;
    std::optional<ChunkCompressor> compressor_;
};

/// Appends a shard with the chunks of a unit. Appends nothing if it has no chunk.
void append_shard(const ArrayLayout& layout, const Extent& begin, const AppendChunk& chunks, ByteVector& to) {
    constexpr std::uint64_t absent = ~std::uint64_t{0};
    const std::size_t start = to.size();
    const Extent& e = layout.extent;
    ByteVector index;
    for (std::int64_t z = 0; z < layout.unit.nz; z += layout.chunk.nz)
        for (std::int64_t y = 0; y < layout.unit.ny; y += layout.chunk.ny)
            for (std::int64_t x = 0; x < layout.unit.nx; x += layout.chunk.nx) {
                const Extent first{begin.nx + x, begin.ny + y, begin.nz + z};
                const std::size_t at = to.size();
                if (first.nx < e.nx && first.ny < e.ny && first.nz < e.nz) chunks(first, to);
                const bool is_stored = to.size() > at;
                append_number(is_stored ? std::uint64_t(at - start) : absent, index);
                append_number(is_stored ? std::uint64_t(to.size() - at) : absent, index);
            }
    if (to.size() == start) return;
    to.insert(to.end(), index.begin(), index.end());
    append_number(crc32c(0, index), to);
}

}  // namespace

EncodedBlock join_block(const ArrayForm& form, const ArrayLayout& layout, std::int64_t block, const AppendChunk& chunks) {
    EncodedBlock encoded;
    for (const Extent& unit : layout.units_of(block)) {
        const Extent first{unit.nx * layout.unit.nx, unit.ny * layout.unit.ny, unit.nz * layout.unit.nz};
        if (form.format == 3) append_shard(layout, first, chunks, encoded.bytes);
        else chunks(first, encoded.bytes);
        encoded.piece_ends.push_back(encoded.bytes.size());
    }
    return encoded;
}

EncodedBlock encode_block(const ArrayForm& form, const ArrayLayout& layout, std::int64_t block, std::span<const std::byte> raw) {
    RawChunks chunks(form, layout, block, raw);
    return join_block(form, layout, block, [&](const Extent& first, ByteVector& to) { chunks.append(first, to); });
}

}  // namespace voxcc::io::zarr
