// Phase "paint": writes the label of every voxel once, in its final type.
#pragma once
#include "kernels3d/base/host_device.h"
#include "kernels3d/engine/tiles/bits.h"
#include "kernels3d/engine/tiles/bus_labels.h"
#include "kernels3d/engine/tiles/contacts.h"
#include "kernels3d/engine/tiles/source.h"

namespace voxcc::block_runs::tiles {

/// The rows [first, end) of a volume in raster order, and the tiles [first_tile, first_tile + tiles) that contain them. These tiles may
/// contain other rows, too.
struct Window {
    int64_t first, end;
    int64_t first_tile, tiles;
};
/// The tiles that hold rows [first, end).
template <class Shape>
Window window_of(const exec::Grid& size, int64_t first, int64_t end) {
    const exec::Grid tiles = Shape::tiles_of(size);
    const int64_t last = end - 1, z0 = first / size.y, z1 = last / size.y;
    int64_t row0 = z0 / Shape::size_z * tiles.y, row1 = z1 / Shape::size_z * tiles.y + tiles.y - 1;  // first and last row of tiles
    if (z0 == z1 || Shape::size_z == 1) {
        row0 += first % size.y / Shape::size_y;
        row1 += last % size.y / Shape::size_y - (tiles.y - 1);
    }
    return {first, end, row0 * tiles.x, (row1 - row0 + 1) * tiles.x};
}

/// Whether labels are stored 16 bytes at a time. `vector` needs rows whose length is a multiple of 16 bytes and an address that is a
/// multiple of 16.
enum class LabelStores : std::uint8_t { vector, element };

/// Phase functor.
/// @tparam Label uint8_t, uint16_t, Label24, uint32_t or uint64_t
template <class Shape, class Label, LabelStores Stores>
struct Paint {
    static constexpr int depth = Shape::depth, bytes = int(sizeof(Label));  // rows per block-row; bytes per label
    static constexpr bool is_narrow = bytes <= 2;
    /// Lanes per tile, and tiles per GPU processor. Narrow labels take less time with fewer lanes if a lane paints few rows, and with more
    /// registers if it paints many.
    static constexpr int lanes = is_narrow && depth == 1 && !Shape::by_value ? 64 : 128,
                         resident_lanes = is_narrow && depth == 4 ? 1280 : 2048;
    static constexpr int resident = resident_lanes / lanes / (Shape::by_value ? 2 : 1);
    static constexpr int quads = bytes == 3 ? 3 : 1;                          // adjacent stores of 16 bytes per group
    static constexpr int wide = 16 * quads / bytes, groups = columns / wide;  // labels per group; groups per row
    static constexpr int together = Shape::by_value ? 1 : 2;                  // number of adjacent columns that belong to one run at most
    using Held = std::conditional_t<bytes == 3 || bytes == 8, uint32_t, Label>;

    struct Shared {
        uint64_t row[Shape::words];
        uint16_t first_run[block_rows];
        Held label[Shape::most_runs + 1];  // label of run i at index i + 1; 0 at index 0
    };

    TileArrays arrays;
    Window window;
    const uint32_t* final_numbers;  // by number, entry 0 is 0; null: numbers stay as they are
    Label* out;                     // labels of the window

    VOXCC_HD Label* row_of(int64_t row) const { return out + (row - window.first) * arrays.size.x; }

    /// Paints a group of `wide` columns in all rows of a block-row.
    /// @tparam Loaded has the members of Shared
    template <class Loaded>
    VOXCC_HD void paint_group(const Loaded& shared, int task, const exec::Cell& corner) const {
        const int b = task / groups, from = task % groups * wide;
        if (corner.x + uint32_t(from) >= arrays.size.x) return;
        const uint64_t* const rows = shared.row + b * depth;
        const uint64_t starts = starts_of<Shape>(shared.row, b);
        int run = shared.first_run[b] + count_bits(starts & columns_before(from));
        Held labels[wide / together];
        VOXCC_UNROLL
        for (int c = 0; c < wide / together; ++c) {
            run += (starts >> (from + together * c) & ((1 << together) - 1)) != 0;
            labels[c] = shared.label[run];
        }
        VOXCC_UNROLL
        for (int r = 0; r < depth; ++r) {
            const exec::Cell c{corner.x + uint32_t(from), corner.y + uint32_t(Shape::row_y(b * depth + r)),
                               corner.z + uint32_t(Shape::row_z(b * depth + r))};
            const int64_t row = int64_t(c.z) * arrays.size.y + c.y;
            if (c.y >= arrays.size.y || c.z >= arrays.size.z || row < window.first || row >= window.end) continue;
            const uint32_t set = uint32_t(rows[r] >> from);
            Quad quad[quads]{};
            VOXCC_UNROLL
            for (int i = 0; i < wide; ++i) {
                const uint32_t label = set >> i & 1 ? uint32_t(labels[i / together]) : 0;
                const int byte = i * bytes, word = byte / 4, shift = byte % 4 * 8;
                quad[word / 4].words[word % 4] |= label << shift;
                if (bytes == 3 && byte % 4 + bytes > 4) quad[(word + 1) / 4].words[(word + 1) % 4] |= label >> (32 - shift);
            }
            VOXCC_UNROLL
            for (int q = 0; q < quads; ++q) store_quad(reinterpret_cast<std::byte*>(row_of(row) + c.x) + 16 * q, quad[q]);
        }
    }
    /// Paints one voxel of the tile.
    VOXCC_HD void paint_voxel(const Shared& shared, int voxel, const exec::Cell& corner) const {
        const int r = voxel / columns, column = voxel % columns, b = r / depth;
        const exec::Cell c{corner.x + uint32_t(column), corner.y + uint32_t(Shape::row_y(r)), corner.z + uint32_t(Shape::row_z(r))};
        const int64_t row = int64_t(c.z) * arrays.size.y + c.y;
        if (c.x >= arrays.size.x || c.y >= arrays.size.y || c.z >= arrays.size.z || row < window.first || row >= window.end) return;
        const uint64_t starts = starts_of<Shape>(shared.row, b);
        const int run = shared.first_run[b] + count_bits(starts << (63 - column));
        row_of(row)[c.x] = Label(shared.row[r] >> column & 1 ? shared.label[run] : Held{0});
    }

    template <class Tile>
    VOXCC_HD void operator()(Tile& tile, std::int64_t i) const {
        Shared& shared = tile.shared;
        const int64_t t = window.first_tile + i;
        const exec::Cell place = arrays.place(uint32_t(t));
        const exec::Cell corner{place.x * columns, place.y * Shape::size_y, place.z * Shape::size_z};
        const uint32_t runs = uint32_t(arrays.counts[t].runs());
        static_assert(lanes >= block_rows);
        tile.each([&](int lane) {
            for (int r = lane; r < Shape::words; r += lanes) shared.row[r] = arrays.rows[t * Shape::words + r];
            if (lane < block_rows) shared.first_run[lane] = runs > 0 ? arrays.first_run[t * block_rows + lane] : uint16_t{0};
            if (lane == 0) shared.label[0] = 0;
            for (uint32_t k = uint32_t(lane); k < runs; k += lanes) {
                const int64_t id = t * Shape::most_runs + arrays.root_of_run[t * Shape::most_runs + k];
                const uint32_t number = arrays.numbers[id] & ~in_one_tile;
                shared.label[k + 1] = Held(final_numbers ? final_numbers[number] : number);
            }
        });
        tile.each([&](int lane) {
            if constexpr (Stores == LabelStores::vector)
                for (int task = lane; task < block_rows * groups; task += lanes) paint_group(shared, task, corner);
            else
                for (int voxel = lane; voxel < Shape::rows * columns; voxel += lanes) paint_voxel(shared, voxel, corner);
        });
    }
};

}  // namespace voxcc::block_runs::tiles
