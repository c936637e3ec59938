#include <voxcc/match.h>

#include <algorithm>
#include <cstdlib>

namespace voxcc {
namespace {

/// Sets the neighbours of all set bits of a row. @param bits the last word may get bits after the end of the row
// 0b00100 -> 0b01110
void grow(std::uint64_t* bits, std::int64_t words) {
    std::uint64_t before = 0;  // the word before, as it was
    for (std::int64_t w = 0; w < words; ++w) {
        const std::uint64_t word = bits[w], after = w + 1 < words ? bits[w + 1] : 0;
        bits[w] = word | word << 1 | word >> 1 | before >> 63 | after << 63;
        before = word;
    }
}

}  // namespace

void DilatedSource::pack(const std::byte*, RowRange rows, std::int64_t index, std::uint64_t* bits) const {
    const Extent& extent = mask_.extent;
    const std::int64_t words = mask_.words, row = rows.first + index, y = row % extent.ny, z = row / extent.ny;
    const auto clear_rest = [&] {
        if (extent.nx % 64 != 0) bits[words - 1] &= ~std::uint64_t{0} >> (64 - extent.nx % 64);
    };
    std::fill_n(bits, words, std::uint64_t{0});
    // A row at the distance (dy, dz) is dilated along x by min(steps, 2 steps - |dy| - |dz|). Rows with a large reach are added first.
    for (std::int64_t reach = steps_; reach >= 0; --reach) {
        if (reach < steps_) grow(bits, words), clear_rest();
        for (std::int64_t dz = -std::min(steps_, z); dz <= std::min(steps_, extent.nz - 1 - z); ++dz)
            for (std::int64_t dy = -std::min(steps_, y); dy <= std::min(steps_, extent.ny - 1 - y); ++dy) {
                if (std::min(steps_, 2 * steps_ - std::abs(dy) - std::abs(dz)) != reach) continue;
                const std::uint64_t* const from = mask_.row(row + dz * extent.ny + dy);
                for (std::int64_t w = 0; w < words; ++w) bits[w] |= from[w];
            }
    }
}

}  // namespace voxcc
