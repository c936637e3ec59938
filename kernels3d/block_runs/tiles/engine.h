// The tile engine: block-runs in tiles, on any executor; made for GPUs.
//
//   local     voxels -> bits, runs and roots of every tile        local.h
//   join      contacts across the faces of tiles                  join.h
//   number    1..K by first voxel in raster order                 number.h
//   paint     every voxel's label                                 paint.h
//   measure   sums a component                                    sums.h
//
// Nodes of the forest are the components of tiles, so that all but a tile's faces is done in shared memory. Labels and sums do not depend
// on the order in which lanes run: every choice is a minimum, every sum one of integers.
// Memory: 22.8 kB a tile: 1.4 bytes a voxel (26), 2.6 (18, 8), 5.1 (6, 4). Sums: 104 bytes a component.
#pragma once
#include "kernels3d/block_runs/tiles/number.h"
#include "kernels3d/block_runs/tiles/paint.h"
#include "kernels3d/block_runs/tiles/sums.h"

namespace voxcc::block_runs::tiles {

/// Why volumes of this extent cannot be labelled; empty if they can.
template <Connectivity K>
std::string why_too_large(const Extent& e) {
    if (std::uint64_t(e.voxels()) >= ~uint32_t{0}) return "holds less than 2^32 - 1 voxels, the volume has " + std::to_string(e.voxels());
    const int64_t tiles = TileShape<K>::tiles_of({uint32_t(e.nx), uint32_t(e.ny), uint32_t(e.nz)}).cells();
    if (tiles >= most_tiles) return "holds less than 2^21 tiles, the volume has " + std::to_string(tiles);
    return {};
}

/// The labelling of one volume.
template <Connectivity K, class Executor>
class Engine {
public:
    using Shape = TileShape<K>;

    /// @param extent for which why_too_large() has no reason; nz > 1 or a connectivity within slices
    Engine(Executor& executor, const Extent& extent)
        : executor_(executor),
          size_{uint32_t(extent.nx), uint32_t(extent.ny), uint32_t(extent.nz)},
          tiles_(Shape::tiles_of(size_)),
          rows_(memory(), tiles_.cells() * Shape::rows),
          first_run_(memory(), tiles_.cells() * block_rows),
          counts_(memory(), tiles_.cells()),
          root_of_run_(memory(), tiles_.cells() * most_runs),
          parent_(memory(), tiles_.cells() * most_runs),
          first_(memory(), tiles_.cells() * most_runs),
          joined_(memory(), tiles_.cells() * most_runs / 32),
          low_face_(memory(), FaceLines<K>{size_, tiles_}.count()),
          high_face_(memory(), FaceLines<K>{size_, tiles_}.count()),
          marks_(memory(), Stretch::in(size_)),
          before_(memory(), Stretch::in(size_)) {}

    /// Labels the volume of a source (source.h). @return the number of components
    /// @tparam LocalPairs, JoinPairs room in the lists; smaller ones for tests
    template <class Source, class LocalPhase = Local<K, Source>, class JoinPhase = Join<K>>
    uint32_t label(const Source& source) {
        const TileArrays a = arrays();
        executor_.template for_each_tile<LocalPhase::lanes, typename LocalPhase::Shared>("local", tiles_.cells(), LocalPhase{a, source});
        executor_.template for_each_tile<JoinPhase::lanes, typename JoinPhase::Shared>("join", tiles_.cells(), JoinPhase{a});
        return count_ = number(executor_, a, before_);
    }

    /// Writes labels of type u8, u16 or u32, [rows][nx] from `rows.first` on, into the executor's memory.
    /// @param final_numbers in the executor's memory: number k becomes entry k, 0 stays 0; null: numbers stay
    template <class Label>
    void paint(RowRange rows, const uint32_t* final_numbers, Label* out) {
        const bool aligned = int64_t(size_.x) * int64_t(sizeof(Label)) % 16 == 0 && reinterpret_cast<std::uintptr_t>(out) % 16 == 0;
        if (aligned) paint_with<Label, LabelStores::vector>(rows, final_numbers, out);
        else paint_with<Label, LabelStores::element>(rows, final_numbers, out);
    }

    /// Sums of all components, row k - 1 for number k, in the executor's memory. Only where second_moments_fit().
    exec::Array<TableRow> measure() {
        exec::Array<TableRow> table(memory(), count_);
        const uint32_t with_spares = SpareRows::components_of(count_);
        exec::Array<TableRow> spares(memory(), int64_t(with_spares) * SpareRows::copies);
        const SpareRows spare{with_spares, spares.data()};
        executor_.fill("measure", table, TableRow{});
        executor_.fill("measure", spares, TableRow{});
        executor_.template for_each_tile<Measure<K>::lanes, typename Measure<K>::Shared>("measure", tiles_.cells(),
                                                                                         Measure<K>{arrays(), table.data(), spare});
        executor_.for_each("measure", spares.size(), AddSpareRows{spare, table.data()});
        return table;
    }

private:
    exec::Memory& memory() { return executor_.memory(); }
    TileArrays arrays() const {
        return {size_,
                tiles_,
                rows_.data(),
                first_run_.data(),
                counts_.data(),
                root_of_run_.data(),
                parent_.data(),
                first_.data(),
                joined_.data(),
                low_face_.data(),
                high_face_.data(),
                marks_.size(),
                marks_.size() / tiles_.cells() + 1,
                marks_.data(),
                before_.data()};
    }
    template <class Label, LabelStores Stores>
    void paint_with(RowRange rows, const uint32_t* final_numbers, Label* out) {
        using Phase = Paint<K, Label, Stores>;
        const Window window = window_of<K>(size_, rows.first, rows.end());
        executor_.template for_each_tile<Phase::lanes, typename Phase::Shared>("paint", window.tiles,
                                                                               Phase{arrays(), window, final_numbers, out});
    }

    Executor& executor_;
    exec::Grid size_, tiles_;
    exec::Array<uint64_t> rows_;
    exec::Array<uint16_t> first_run_;
    exec::Array<Counts> counts_;
    exec::Array<uint16_t> root_of_run_;
    exec::Array<uint32_t> parent_, first_, joined_;
    exec::Array<uint16_t> low_face_, high_face_;
    exec::Array<Stretch> marks_;
    exec::Array<uint32_t> before_;
    uint32_t count_ = 0;
};

}  // namespace voxcc::block_runs::tiles
