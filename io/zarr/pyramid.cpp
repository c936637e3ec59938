#include "io/zarr/pyramid.h"

#include <algorithm>
#include <cstring>

namespace voxcc::io::zarr {
namespace {

template <class T>
T mode_of(std::vector<T>& values) {
    if (std::ranges::all_of(values, [&](T value) { return value == values.front(); })) return values.front();
    std::ranges::sort(values);
    T best{};
    std::size_t most = 0;
    for (std::size_t begin = 0, end; begin < values.size(); begin = end) {
        end = begin;
        while (end < values.size() && values[end] == values[begin]) ++end;
        const bool wins_tie = end - begin == most && best == T{} && values[begin] != T{};
        if (end - begin <= most && !wins_tie) continue;
        best = values[begin];
        most = end - begin;
    }
    return best;
}

template <class T>
T voxel_at(const Slices& from, std::int64_t x, std::int64_t y, std::int64_t z) {
    T value;
    const std::int64_t row = (z - from.first_slice) * from.rows + y - from.first_row;
    std::memcpy(&value, from.voxels.data() + (row * from.extent.nx + x) * std::int64_t(sizeof value), sizeof value);
    return value;
}

template <class T>
void reduce(const Slices& from, const Extent& next, std::int64_t y, std::int64_t z, Reduction reduction, std::byte* to) {
    const Share rows = share_of(y, from.extent.ny, next.ny), slices = share_of(z, from.extent.nz, next.nz);
    std::vector<T> values;
    for (std::int64_t x = 0; x < next.nx; ++x) {
        const Share columns = share_of(x, from.extent.nx, next.nx);
        T value = voxel_at<T>(from, columns.begin, rows.begin, slices.begin);
        if (reduction == Reduction::mode) {
            values.clear();
            for (std::int64_t k = slices.begin; k < slices.end; ++k)
                for (std::int64_t j = rows.begin; j < rows.end; ++j)
                    for (std::int64_t i = columns.begin; i < columns.end; ++i) values.push_back(voxel_at<T>(from, i, j, k));
            value = mode_of(values);
        }
        std::memcpy(to + x * std::int64_t(sizeof value), &value, sizeof value);
    }
}

}  // namespace

Share share_of(std::int64_t index, std::int64_t extent, std::int64_t next) {
    const std::int64_t factor = std::max<std::int64_t>((2 * extent + next) / (2 * next), 1);  // rounded
    const bool is_rounded = factor * (next - 1) < extent && extent < factor * (next + 1);
    if (is_rounded) return {factor * index, index + 1 == next ? extent : factor * (index + 1)};
    const auto at = [&](std::int64_t i) { return std::int64_t(__int128(i) * extent / next); };
    return {at(index), std::max(at(index + 1), at(index) + 1)};
}

void reduce_row(const Slices& from, ScalarType type, const Extent& next, std::int64_t y, std::int64_t z, Reduction reduction,
                std::byte* to) {
    visit_scalar(type, [&]<class T>(std::type_identity<T>) { reduce<T>(from, next, y, z, reduction, to); });
}

}  // namespace voxcc::io::zarr
