#include "io/zarr/block_encoder.h"

#include "io/samples.h"
#include "io/zarr/codecs.h"

#include <zstd.h>
#include <algorithm>
#include <cstring>

namespace voxcc::io::zarr {
namespace {

using Bytes = std::vector<std::byte>;

struct FreeContext {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

/// A compressor with the level of an output.
class Compressor {
public:
    explicit Compressor(int level) : context_(ZSTD_createCCtx()) {
        if (!context_) throw Error(ErrorKind::out_of_memory, "zstd", "cannot compress: no memory");
        ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level);
        ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
    }
    void append(std::span<const std::byte> raw, Bytes& to) {
        const std::size_t before = to.size();
        to.resize(before + ZSTD_compressBound(raw.size()));
        const std::size_t bytes = ZSTD_compress2(context_.get(), to.data() + before, to.size() - before, raw.data(), raw.size());
        if (ZSTD_isError(bytes)) throw Error(ErrorKind::out_of_memory, "zstd", std::string("cannot compress: ") + ZSTD_getErrorName(bytes));
        to.resize(before + bytes);
    }

private:
    std::unique_ptr<ZSTD_CCtx, FreeContext> context_;
};

template <class Int>
void append_number(Int number, Bytes& to) {
    for (std::size_t i = 0; i < sizeof number; ++i) to.push_back(std::byte(number >> 8 * i));
}

bool is_zero(const Bytes& bytes) { return bytes[0] == std::byte{0} && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0; }

class Encoder {
public:
    Encoder(const ArrayForm& form, const ArrayLayout& layout, std::int64_t block, std::span<const std::byte> raw)
        : form_(form),
          layout_(layout),
          raw_(raw),
          voxel_(size_of(form.type)),
          first_row_(block * layout.rows_per_block()),
          chunk_(std::size_t(layout.chunk.voxels() * voxel_)) {
        if (form.compress > 0) compressor_.emplace(form.compress);
    }

    /// @param unit the indices of a file. Appends nothing if all of its voxels are 0.
    void append_unit(const Extent& unit, Bytes& to) {
        const Extent first{unit.nx * layout_.unit.nx, unit.ny * layout_.unit.ny, unit.nz * layout_.unit.nz};
        if (form_.format == 3) append_shard(first, to);
        else if (take_chunk(first)) append_chunk(to);
    }

private:
    /// @param first the first voxel of the shard
    void append_shard(const Extent& first, Bytes& to) {
        constexpr std::uint64_t absent = ~std::uint64_t{0};
        const std::size_t begin = to.size();
        Bytes index;
        for (std::int64_t z = 0; z < layout_.unit.nz; z += layout_.chunk.nz)
            for (std::int64_t y = 0; y < layout_.unit.ny; y += layout_.chunk.ny)
                for (std::int64_t x = 0; x < layout_.unit.nx; x += layout_.chunk.nx) {
                    const std::size_t at = to.size();
                    const bool is_stored = take_chunk({first.nx + x, first.ny + y, first.nz + z});
                    if (is_stored) append_chunk(to);
                    append_number(is_stored ? std::uint64_t(at - begin) : absent, index);
                    append_number(is_stored ? std::uint64_t(to.size() - at) : absent, index);
                }
        if (to.size() == begin) return;
        to.insert(to.end(), index.begin(), index.end());
        append_number(crc32c(0, index), to);
    }

    /// Copies a chunk out of the block. Voxels outside of the array are 0. @return whether a byte is not 0
    bool take_chunk(const Extent& first) {
        const Extent& e = layout_.extent;
        const Extent share{std::min(layout_.chunk.nx, e.nx - first.nx), std::min(layout_.chunk.ny, e.ny - first.ny),
                           std::min(layout_.chunk.nz, e.nz - first.nz)};
        if (share.nx <= 0 || share.ny <= 0 || share.nz <= 0) return false;
        if (share != layout_.chunk) std::ranges::fill(chunk_, std::byte{0});
        for (std::int64_t z = 0; z < share.nz; ++z)
            for (std::int64_t y = 0; y < share.ny; ++y) {
                const std::int64_t row = (first.nz + z) * e.ny + first.ny + y - first_row_;
                std::memcpy(chunk_.data() + (z * layout_.chunk.ny + y) * layout_.chunk.nx * voxel_,
                            raw_.data() + (row * e.nx + first.nx) * voxel_, std::size_t(share.nx * voxel_));
            }
        return !is_zero(chunk_);
    }

    void append_chunk(Bytes& to) {
        if constexpr (std::endian::native == std::endian::big) swap_samples(chunk_, voxel_);
        if (compressor_) return compressor_->append(chunk_, to);
        to.insert(to.end(), chunk_.begin(), chunk_.end());
        if (form_.format == 3) append_number(crc32c(0, chunk_), to);
    }

    const ArrayForm& form_;
    const ArrayLayout& layout_;
    std::span<const std::byte> raw_;
    std::int64_t voxel_, first_row_;
    Bytes chunk_;  // the last chunk that was taken
    std::optional<Compressor> compressor_;
};

}  // namespace

EncodedBlock encode_block(const ArrayForm& form, const ArrayLayout& layout, std::int64_t block, std::span<const std::byte> raw) {
    Encoder encoder(form, layout, block, raw);
    EncodedBlock encoded;
    encoded.raw_bytes = std::int64_t(raw.size());
    for (const Extent& unit : layout.units_of(block)) {
        encoder.append_unit(unit, encoded.bytes);
        encoded.piece_ends.push_back(encoded.bytes.size());
    }
    return encoded;
}

}  // namespace voxcc::io::zarr
