#include <voxcc/source.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace voxcc {
namespace {

/// The bits of the f32 with the value of a half.
// 0x3c00 (1.0) -> 0x3f800000; 0x0001 (2^-24) -> 0x33800000
constexpr std::uint32_t widen_half(std::uint16_t half) {
    const std::uint32_t sign = std::uint32_t(half & 0x8000u) << 16, exponent = half >> 10 & 0x1fu, fraction = half & 0x3ffu;
    if (exponent == 0x1f) return sign | 0x7f800000u | fraction << 13;  // infinity and NaN
    if (exponent > 0) return sign | (exponent + 127 - 15) << 23 | fraction << 13;
    return sign | std::bit_cast<std::uint32_t>(float(fraction) * 0x1p-24f);  // zero and subnormal numbers
}
static_assert(widen_half(0x3c00) == 0x3f800000u && widen_half(0x0001) == 0x33800000u && widen_half(0x8000) == 0x80000000u);

template <class Stored>
Stored swap_bytes(Stored v) {
    if constexpr (sizeof(Stored) == 2) return __builtin_bswap16(v);
    else if constexpr (sizeof(Stored) == 4) return __builtin_bswap32(v);
    else if constexpr (sizeof(Stored) == 8) return __builtin_bswap64(v);
    else return v;
}

/// Copies the rows [first, end) of slice z. The inner loop follows the axis with the shorter stride, so that cache lines are used
/// completely.
/// @tparam Stored an unsigned integer of the size of a stored voxel
/// @param convert maps Stored to the unsigned integer that is written
template <class Stored, class Convert>
void copy_rows(const VolumeView& view, std::int64_t z, std::int64_t first, std::int64_t end, std::byte* to, const Convert& convert) {
    using Written = decltype(convert(Stored{}));
    const std::int64_t nx = view.extent.nx, rows = end - first, stride_x = view.strides[0], stride_y = view.strides[1];
    const std::byte* const from = view.voxels + z * view.strides[2] + first * stride_y;
    const auto copy = [&](std::int64_t x, std::int64_t y) {
        Stored stored;
        std::memcpy(&stored, from + y * stride_y + x * stride_x, sizeof stored);
        const Written written = convert(stored);
        std::memcpy(to + (y * nx + x) * std::int64_t(sizeof written), &written, sizeof written);
    };
    if (std::abs(stride_y) < std::abs(stride_x)) {
        for (std::int64_t x = 0; x < nx; ++x)
            for (std::int64_t y = 0; y < rows; ++y) copy(x, y);
    } else {
        for (std::int64_t y = 0; y < rows; ++y)
            for (std::int64_t x = 0; x < nx; ++x) copy(x, y);
    }
}

template <class Stored>
void copy_rows(const VolumeView& view, Storage storage, std::int64_t z, std::int64_t first, std::int64_t end, std::byte* to) {
    if (storage == Storage::swapped) copy_rows<Stored>(view, z, first, end, to, [](Stored v) { return swap_bytes(v); });
    else copy_rows<Stored>(view, z, first, end, to, [](Stored v) { return v; });
}

}  // namespace

StridedSource::StridedSource(const VolumeView& view, const ForegroundPacker& packer, Storage storage)
    : view_(view), packer_(packer), storage_(storage), row_bytes_(view.extent.nx * size_of(view.type)) {
    const std::int64_t bytes = size_of(view.type);
    const bool aligned = std::bit_cast<std::uintptr_t>(view.voxels) % std::uintptr_t(bytes) == 0 && view.strides[1] % bytes == 0 &&
                         view.strides[2] % bytes == 0;
    rows_follow_ = view.strides[2] == view.extent.ny * view.strides[1];
    in_place_ = storage == Storage::native && aligned && (view.strides[0] == bytes || view.extent.nx == 1);
}

std::int64_t StridedSource::rows_per_fetch() const {
    return std::max<std::int64_t>(1, (std::int64_t{1} << (in_place_ ? 17 : 16)) / row_bytes_);
}

const std::byte* StridedSource::fetch(RowRange rows, std::vector<std::byte>& buffer) {
    if (in_place_) return view_.voxels;
    buffer.resize(std::size_t(copied_bytes(rows)));
    copy(rows, buffer.data());
    return buffer.data();
}

void StridedSource::copy(RowRange rows, std::byte* to) const {
    const std::int64_t ny = view_.extent.ny;
    for (std::int64_t row = rows.first; row < rows.end();) {
        const std::int64_t z = row / ny, first = row % ny, end = std::min(ny, first + rows.end() - row);
        if (storage_ == Storage::half) {
            copy_rows<std::uint16_t>(view_, z, first, end, to, widen_half);
        } else if (storage_ == Storage::swapped_half) {
            copy_rows<std::uint16_t>(view_, z, first, end, to, [](std::uint16_t v) { return widen_half(swap_bytes(v)); });
        } else {
            switch (size_of(view_.type)) {
                case 1: copy_rows<std::uint8_t>(view_, storage_, z, first, end, to); break;
                case 2: copy_rows<std::uint16_t>(view_, storage_, z, first, end, to); break;
                case 4: copy_rows<std::uint32_t>(view_, storage_, z, first, end, to); break;
                default: copy_rows<std::uint64_t>(view_, storage_, z, first, end, to);
            }
        }
        row += end - first;
        to += (end - first) * row_bytes_;
    }
}

void StridedSource::pack_rows(const std::byte* fetched, RowRange rows, const PackedRows& to) const {
    const std::int64_t stride = in_place_ ? view_.strides[1] : row_bytes_;
    const std::int64_t nan = packer_.pack(isa_, {values(fetched, rows, to.index), stride, to.count}, view_.extent.nx, to.bits);
    if (nan > 0) nan_voxels_.fetch_add(nan, std::memory_order_relaxed);
}

const std::byte* StridedSource::values(const std::byte* fetched, RowRange rows, std::int64_t index) const {
    if (!in_place_) return fetched + index * row_bytes_;
    const std::int64_t row = rows.first + index, ny = view_.extent.ny;
    if (rows_follow_) return view_.voxels + row * view_.strides[1];
    return view_.voxels + row % ny * view_.strides[1] + row / ny * view_.strides[2];
}

std::int64_t MaskedSource::mask_offset(RowRange rows) const { return voxels_.in_place() ? 0 : (voxels_.copied_bytes(rows) + 63) / 64 * 64; }

const std::byte* MaskedSource::fetch(RowRange rows, std::vector<std::byte>& buffer) {
    const std::int64_t offset = mask_offset(rows);
    buffer.resize(std::size_t(offset + (mask_.in_place() ? 0 : mask_.copied_bytes(rows))));
    if (!voxels_.in_place()) voxels_.copy(rows, buffer.data());
    if (!mask_.in_place()) mask_.copy(rows, buffer.data() + offset);
    return buffer.data();
}

void MaskedSource::pack(const std::byte* fetched, RowRange rows, std::int64_t index, std::uint64_t* bits) const {
    constexpr std::size_t most_on_stack = 64;
    const auto words = std::size_t(words_of(voxels_.extent().nx));
    std::uint64_t few[most_on_stack];
    std::vector<std::uint64_t> many(words > most_on_stack ? words : 0);
    std::uint64_t* const in_mask = many.empty() ? few : many.data();
    voxels_.pack(fetched, rows, index, bits);
    mask_.pack(fetched + mask_offset(rows), rows, index, in_mask);
    for (std::size_t w = 0; w < words; ++w) bits[w] &= in_mask[w];
}

}  // namespace voxcc
