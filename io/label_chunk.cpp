#include "io/label_chunk.h"

#include <voxcc/error.h>

#include <zstd.h>
#include <algorithm>
#include <cstring>

namespace voxcc::io {
namespace {

bool is_zero(std::span<const std::byte> bytes) {
    return bytes[0] == std::byte{0} && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

}  // namespace

Extent label_chunk(const Extent& e) {
    std::int64_t depth = std::min<std::int64_t>(64, e.nz);
    while (depth > 1 && depth * e.ny * e.nx > voxels_per_label_block) depth = (depth + 1) / 2;
    const std::int64_t edge = depth >= 8 ? 128 : depth >= 2 ? 256 : 512;
    return {std::min(edge, e.nx), std::min(edge, e.ny), depth};
}

void ChunkCompressor::FreeContext::operator()(ZSTD_CCtx_s* context) const { ZSTD_freeCCtx(context); }

ChunkCompressor::ChunkCompressor(int level) : context_(ZSTD_createCCtx()) {
    if (!context_) throw Error(ErrorKind::out_of_memory, "zstd", "cannot compress: no memory");
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
}

void ChunkCompressor::append(std::span<const std::byte> raw, std::vector<std::byte>& to) {
    if (const std::size_t most = ZSTD_compressBound(raw.size()); most > room_bytes_) {
        room_ = std::make_unique_for_overwrite<std::byte[]>(most);
        room_bytes_ = most;
    }
    const std::size_t bytes = ZSTD_compress2(context_.get(), room_.get(), room_bytes_, raw.data(), raw.size());
    if (ZSTD_isError(bytes)) throw Error(ErrorKind::out_of_memory, "zstd", std::string("cannot compress: ") + ZSTD_getErrorName(bytes));
    to.insert(to.end(), room_.get(), room_.get() + bytes);
}

ChunkCutter::ChunkCutter(const Extent& volume, const Extent& chunk, ScalarType type)
    : volume_(volume), chunk_(chunk), voxel_(size_of(type)), cut_(std::size_t(chunk.voxels() * voxel_)) {}

std::span<std::byte> ChunkCutter::cut(std::span<const std::byte> rows, std::int64_t first_row, const Extent& first) {
    const Extent &e = volume_,
                 share{std::min(chunk_.nx, e.nx - first.nx), std::min(chunk_.ny, e.ny - first.ny), std::min(chunk_.nz, e.nz - first.nz)};
    if (share != chunk_) std::ranges::fill(cut_, std::byte{0});
    for (std::int64_t z = 0; z < share.nz; ++z)
        for (std::int64_t y = 0; y < share.ny; ++y) {
            const std::int64_t row = (first.nz + z) * e.ny + first.ny + y - first_row;
            std::memcpy(cut_.data() + (z * chunk_.ny + y) * chunk_.nx * voxel_, rows.data() + (row * e.nx + first.nx) * voxel_,
                        std::size_t(share.nx * voxel_));
        }
    if (is_zero(cut_)) return {};
    return cut_;
}

}  // namespace voxcc::io
