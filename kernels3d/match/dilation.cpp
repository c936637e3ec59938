#include <voxcc/match.h>

#include <array>
#include <atomic>
#include <utility>

namespace voxcc {
namespace {

/// The rows around a row, and the row itself. Rows at the side are also dilated along x, and rows at a corner are not.
struct NearRows {
    std::array<const std::uint64_t*, 5> sides{};
    std::array<const std::uint64_t*, 4> corners{};
    int side_count = 0, corner_count = 0;

    std::uint64_t side_bits(std::int64_t word) const {
        std::uint64_t bits = 0;
        for (int i = 0; i < side_count; ++i) bits |= sides[std::size_t(i)][word];
        return bits;
    }
    std::uint64_t corner_bits(std::int64_t word) const {
        std::uint64_t bits = 0;
        for (int i = 0; i < corner_count; ++i) bits |= corners[std::size_t(i)][word];
        return bits;
    }
};

/// The rows of a mask at the distances -1, 0 and 1 along y and z.
NearRows near_rows(const VolumeBits& mask, std::int64_t row) {
    const std::int64_t ny = mask.extent.ny, y = row % ny, z = row / ny;
    NearRows near;
    for (const std::int64_t dz : {-1, 0, 1})
        for (const std::int64_t dy : {-1, 0, 1}) {
            if (z + dz < 0 || z + dz >= mask.extent.nz || y + dy < 0 || y + dy >= ny) continue;
            const std::uint64_t* const bits = mask.row(row + dz * ny + dy);
            if (dy == 0 || dz == 0) near.sides[std::size_t(near.side_count++)] = bits;
            else near.corners[std::size_t(near.corner_count++)] = bits;
        }
    return near;
}

}  // namespace

VolumeBits dilated(VolumeBits mask, std::int64_t steps, ThreadPool& pool) {
    const std::uint64_t last = ~std::uint64_t{0} >> (-mask.extent.nx & 63);  // the bits of the last word that belong to the row
    VolumeBits after = mask;
    std::atomic<bool> changes = true;
    for (std::int64_t step = 0; step < steps && changes; ++step) {
        changes = false;
        pool.for_each(mask.extent.nz, [&](std::int64_t z) {
            std::uint64_t difference = 0;
            for (std::int64_t row = z * mask.extent.ny; row < (z + 1) * mask.extent.ny; ++row) {
                const NearRows near = near_rows(mask, row);
                std::uint64_t before = 0, word = near.side_bits(0);
                for (std::int64_t w = 0; w < mask.words; ++w) {
                    const std::uint64_t next = w + 1 < mask.words ? near.side_bits(w + 1) : 0;
                    std::uint64_t bits = word | word << 1 | word >> 1 | before >> 63 | next << 63 | near.corner_bits(w);
                    if (w + 1 == mask.words) bits &= last;
                    difference |= bits ^ mask.row(row)[w];
                    after.row(row)[w] = bits;
                    before = word, word = next;
                }
            }
            if (difference != 0) changes = true;
        });
        std::swap(mask, after);
    }
    return mask;
}

}  // namespace voxcc
