#include "io/formats/hdf5/hdf5_layout.h"

#include <algorithm>

namespace voxcc::io::hdf5 {
namespace {

constexpr std::size_t most_axes = 32;

/// @return the product of `bytes` and the factors; empty if a factor is not positive or the product exceeds 2^63 - 1
std::optional<std::int64_t> product(const std::vector<std::int64_t>& factors, std::int64_t bytes) {
    for (const std::int64_t n : factors)
        if (n < 1 || __builtin_mul_overflow(bytes, n, &bytes)) return {};
    return bytes;
}

bool has_valid_axes(const Layout& l) {
    const std::size_t rank = l.shape.size();
    if (rank < 2 || rank > most_axes || l.chunk.size() != rank || l.start.size() != rank) return false;
    if (l.x >= rank || l.y >= rank || l.x == l.y || (l.z && (*l.z >= rank || *l.z == l.x || *l.z == l.y))) return false;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        const bool is_space = axis == l.x || axis == l.y || axis == l.z;
        if (l.start[axis] < 0 || l.start[axis] >= l.shape[axis] || (is_space && l.start[axis] != 0)) return false;
    }
    return true;
}

bool has_valid_element(const Layout& l) {
    const std::int64_t bytes = l.element.bytes;
    if (std::int64_t(l.fill.size()) != bytes) return false;
    switch (l.element.conversion) {
        case Conversion::none:
        case Conversion::swap_bytes: return bytes == size_of(l.element.voxel);
        case Conversion::half:
        case Conversion::swapped_half: return bytes == 2 && l.element.voxel == ScalarType::f32;
    }
    return false;
}

}  // namespace

std::int64_t Layout::chunk_bytes() const { return product(chunk, element.bytes).value_or(0); }

Extent Layout::chunk_counts() const {
    const Extent voxels = extent(), one = chunk_extent();
    return {(voxels.nx - 1) / one.nx + 1, (voxels.ny - 1) / one.ny + 1, (voxels.nz - 1) / one.nz + 1};
}

bool is_consistent(const Layout& l, const Extent& extent, std::int64_t file_size) {
    const auto bytes = product(l.shape, l.element.bytes), chunk = product(l.chunk, l.element.bytes);
    if (!bytes || !chunk || !has_valid_axes(l) || l.extent() != extent) return false;
    if (l.storage == Storage::library) return true;
    if (!has_valid_element(l)) return false;
    if (l.storage == Storage::chunked) return *chunk <= largest_chunk;
    return l.chunk == l.shape && l.filters.empty() && (l.offset < 0 || (l.offset <= file_size && *bytes <= file_size - l.offset));
}

}  // namespace voxcc::io::hdf5
