#include "io/formats/zarr/pyramid.h"

#include <algorithm>
#include <cstring>

namespace voxcc::io::zarr {
namespace {

template <class T>
T mode_of(std::vector<T>& values) {
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

/// The shares of all voxels of an axis.
class Shares {
public:
    Shares(std::int64_t extent, std::int64_t next)
        : extent_(extent),
          next_(next),
          factor_(std::max<std::int64_t>((2 * extent + next) / (2 * next), 1)),  // rounded
          is_rounded_(factor_ * (next - 1) < extent && extent < factor_ * (next + 1)) {}
    Share operator()(std::int64_t index) const {
        if (is_rounded_) return {factor_ * index, index + 1 == next_ ? extent_ : factor_ * (index + 1)};
        return {at(index), std::max(at(index + 1), at(index) + 1)};
    }

private:
    std::int64_t at(std::int64_t index) const { return std::int64_t(__int128(index) * extent_ / next_); }
    std::int64_t extent_, next_, factor_;
    bool is_rounded_;
};

/// The rows of a level that become one row of the next level.
template <class T>
std::vector<const T*> rows_of(const Slices& from, Share rows, Share slices) {
    std::vector<const T*> pointers;
    for (std::int64_t z = slices.begin; z < slices.end; ++z)
        for (std::int64_t y = rows.begin; y < rows.end; ++y) {
            const std::int64_t row = (z - from.first_slice) * from.rows + y - from.first_row;
            pointers.push_back(reinterpret_cast<const T*>(from.voxels.data()) + row * from.extent.nx);
        }
    return pointers;
}

/// Whether all voxels of some columns have the same bytes.
template <class T>
bool is_constant(const std::vector<const T*>& rows, Share columns) {
    const T* const first = rows.front() + columns.begin;
    const std::size_t bytes = std::size_t(columns.end - columns.begin) * sizeof(T);
    return std::memcmp(first, first + 1, bytes - sizeof(T)) == 0 &&
           std::ranges::all_of(rows, [&](const T* row) { return std::memcmp(first, row + columns.begin, bytes) == 0; });
}

template <class T>
bool has_one_value(const std::vector<const T*>& rows, Share columns) {
    const T value = rows.front()[columns.begin];
    for (const T* row : rows)
        for (std::int64_t x = columns.begin; x < columns.end; ++x)
            if (row[x] != value) return false;
    return true;
}

template <class T>
void reduce(const Slices& from, const Extent& next, std::int64_t y, std::int64_t z, Reduction reduction, std::byte* to) {
    constexpr std::int64_t step = 16;  // most groups of 16 voxels of labels are constant
    const Shares columns(from.extent.nx, next.nx);
    const std::vector<const T*> rows = rows_of<T>(from, share_of(y, from.extent.ny, next.ny), share_of(z, from.extent.nz, next.nz));
    T* const out = reinterpret_cast<T*>(to);
    if (reduction == Reduction::nearest) {
        for (std::int64_t x = 0; x < next.nx; ++x) out[x] = rows.front()[columns(x).begin];
        return;
    }
    std::vector<T> values;
    for (std::int64_t begin = 0; begin < next.nx; begin += step) {
        const std::int64_t end = std::min(begin + step, next.nx);
        const Share group{columns(begin).begin, columns(end - 1).end};
        if (is_constant(rows, group)) {
            std::fill(out + begin, out + end, rows.front()[group.begin]);
            continue;
        }
        for (std::int64_t x = begin; x < end; ++x) {
            const Share share = columns(x);
            out[x] = rows.front()[share.begin];
            if (has_one_value(rows, share)) continue;
            values.clear();
            for (const T* row : rows) values.insert(values.end(), row + share.begin, row + share.end);
            out[x] = mode_of(values);
        }
    }
}

}  // namespace

Share share_of(std::int64_t index, std::int64_t extent, std::int64_t next) { return Shares(extent, next)(index); }

void reduce_row(const Slices& from, ScalarType type, const Extent& next, std::int64_t y, std::int64_t z, Reduction reduction,
                std::byte* to) {
    visit_scalar(type, [&]<class T>(std::type_identity<T>) { reduce<T>(from, next, y, z, reduction, to); });
}

}  // namespace voxcc::io::zarr
