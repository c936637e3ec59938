// The tile engine: block-runs in tiles, on any executor; designed for GPUs.
//
//   local     voxels -> bits, runs and roots of every tile        local.h; if values are compared local_values.h
//   join      contacts across the faces of tiles                  join.h; if values are compared join_values.h
//   number    1..K by first voxel in raster order                 number.h
//   paint     the label of every voxel                            paint.h
//   measure   the sums of every component                         measure.h
//   paint and measure, in one                                     paint_and_measure.h
//   shape     neighbouring pairs and Euler numbers                shape_counts.h
//   contacts  the pairs of labels that touch                      find_contacts.h
//   ends      the numbers at the ends of periodic axes            ends.h
//
// The nodes of the forest are the components of single tiles. So all work except at the faces of tiles is done in shared memory. Labels
// and sums do not depend on the order in which lanes run: every choice is a minimum, and every sum is a sum of integers.
//
// Memory per tile, and per voxel of complete tiles; sums take 104 bytes per component:
//   26      32.3 kB, 2.0 bytes        18, 8    30.7 kB, 3.7 bytes
//   6, 4    29.9 kB, 7.3 bytes        Rule::equal_values    59.6 kB, 14.5 bytes
//
// Rule::gradient uses the engine of Rule::equal_values with other comparisons (values.h).
#pragma once
#include <voxcc/label.h>
#include "kernels3d/engine/periodic.h"
#include "kernels3d/engine/tiles/ends.h"
#include "kernels3d/engine/tiles/find_contacts.h"
#include "kernels3d/engine/tiles/join_values.h"
#include "kernels3d/engine/tiles/local.h"
#include "kernels3d/engine/tiles/local_values.h"
#include "kernels3d/engine/tiles/number.h"
#include "kernels3d/engine/tiles/paint_and_measure.h"
#include "kernels3d/engine/tiles/shape_counts.h"

namespace voxcc::block_runs::tiles {

/// The reason why volumes of this extent cannot be labelled; empty if they can.
template <Connectivity K, Rule R = Rule::foreground>
std::string why_too_large(const Extent& e) {
    using Shape = TileShape<K, R>;
    const auto holds = [](const char* what, uint64_t most, int64_t are) {
        return "supports at most " + std::to_string(most) + " " + what + "; the volume has " + std::to_string(are);
    };
    if (e.voxels() > int64_t(Shape::most_voxels)) return holds("voxels", Shape::most_voxels, e.voxels());
    const int64_t tiles = Shape::tiles_of({uint32_t(e.nx), uint32_t(e.ny), uint32_t(e.nz)}).cells();
    if (tiles > int64_t(Shape::most_tiles)) return holds("tiles", Shape::most_tiles, tiles);
    constexpr int64_t most_rows = (int64_t{1} << 32) / Shape::marks_per_row - 1;
    const int64_t rows = e.rows() * ((e.nx + columns - 1) / columns);
    if (rows > most_rows) return holds("rows of 64 voxels", most_rows, rows);
    return {};
}

/// Labels one volume and holds its arrays.
template <Connectivity K, class Executor, Rule R = Rule::foreground>
class Engine {
public:
    using Shape = TileShape<K, R>;
    using RowShape = TileShape<same_rows<K, R>, R>;  // of paint and measure

    /// @param extent must pass why_too_large(); nz must be more than 1 if the connectivity crosses slices
    Engine(Executor& executor, const Extent& extent)
        : executor_(executor),
          size_{uint32_t(extent.nx), uint32_t(extent.ny), uint32_t(extent.nz)},
          tiles_(Shape::tiles_of(size_)),
          numbering_(numbering_for(tiles_.cells())),
          rows_(memory(), tiles_.cells() * Shape::words),
          first_run_(memory(), tiles_.cells() * block_rows),
          counts_(memory(), tiles_.cells()),
          root_of_run_(memory(), tiles_.cells() * Shape::most_runs),
          roots_(memory(), tiles_.cells() * Shape::most_runs),
          joined_(memory(), tiles_.cells() * Shape::most_runs / 32),
          numbers_(memory(), tiles_.cells() * Shape::most_runs),
          low_face_(memory(), words_of_faces()),
          high_face_(memory(), words_of_faces()),
          marks_(memory(), Stretch::of(marks_of<Shape>(size_))),
          before_(memory(), marks_.size()) {}

    /// Labels the volume of a source (source.h). On a GPU it may return before the work is done.
    /// @tparam LocalPhase, JoinPhase tests may replace the phases
    template <class Source, class LocalPhase = Local<K, Source>, class JoinPhase = Join<K>>
    void label(const Source& source) {
        label_by(LocalPhase{arrays_before_number(), source}, JoinPhase{{arrays_before_number()}});
    }

    /// Lets the next labelling write the number of components to *to as it numbers them, which saves a phase. *to must be memory that
    /// phases can write.
    void set_count_place(uint32_t* to) { count_to_ = to; }

    /// Tests may choose how components are numbered. in_one_block is for few tiles, see numbering_for().
    void set_numbering(Numbering numbering) { numbering_ = numbering; }

    /// First part of label(), for volumes that arrive in parts: phase "local" of layers of tiles [first, first + count) along z.
    template <class Source>
    void label_layers(const Source& source, int64_t first, int64_t count) {
        using Phase = Local<K, Source>;
        if (first == 0) clear_marks();
        const int64_t layer = int64_t(tiles_.x) * tiles_.y;
        executor_.template for_each_tile<Phase::lanes, typename Phase::Shared>("local", count * layer,
                                                                               Phase{arrays_before_number(), source, first * layer});
    }
    /// Second part of label(). All layers must be done.
    void join_layers() { join_and_number(Join<K>{{arrays_before_number()}}); }

    /// Same as label(), for the rules that compare values.
    /// @tparam Rows ValueRows of the rule
    template <class Rows, class LocalPhase = LocalValues<K, Rows>, class JoinPhase = JoinValues<K, Rows>>
    void label_values(const Rows& source) {
        label_by(LocalPhase{arrays_before_number(), source}, JoinPhase{{arrays_before_number()}, source});
    }
    /// The value of the first voxel of each component, in the memory of the executor. Entry k - 1 belongs to number k. Must follow
    /// label_values().
    template <class Rows>
    exec::Array<uint64_t> first_values(const Rows& source) {
        exec::Array<uint64_t> values(memory(), count());
        executor_.for_each("values", marks_.size() - 1, FirstValues<typename Rows::Value>{arrays(), source.values, values.data()});
        return values;
    }
    /// The number of components. Waits for the executor.
    uint32_t count() { return executor_.fetch(count_place()); }
    /// Writes the number of components to *to, without a wait: it is there after executor.wait().
    void receive_count(uint32_t* to) { executor_.receive("fetch", count_place(), 1, to); }

    /// Writes the number of components to *to, which must be memory that phases can write. For pinned host memory, this is faster than a
    /// copy.
    void store_count(uint32_t* to) { executor_.for_each("count", 1, StoreCount{count_place(), to}); }

    /// Writes the labels of rows, [rows][nx], to memory of the executor. Label is uint8_t, uint16_t, Label24,
    /// uint32_t or uint64_t.
    /// @param final_numbers in the memory of the executor: number k becomes entry k, entry 0 must be 0; null: numbers stay as they are
    template <class Label>
    void paint(RowRange rows, const uint32_t* final_numbers, Label* out) {
        paint_by(executor_, rows, final_numbers, out);
    }
    /// Same, by another executor of the device. Several executors may paint at the same time, but nothing else may run then.
    template <class Label>
    void paint_by(Executor& executor, RowRange rows, const uint32_t* final_numbers, Label* out) const {
        if (stores_vectors(out)) paint_with<Label, LabelStores::vector>(executor, rows, final_numbers, out);
        else paint_with<Label, LabelStores::element>(executor, rows, final_numbers, out);
    }

    /// Sums of all components, entry k - 1 for number k, in the memory of the executor. second_moments_fit() must hold for the extent.
    exec::Array<TableRow> measure() { return measure(count()); }
    /// Same, for callers that know the number of components. Does not wait for the executor.
    exec::Array<TableRow> measure(uint32_t components) {
        exec::Array<TableRow> table(memory(), components);
        const uint32_t with_spares = SpareRows::components_of(components);
        exec::Array<TableRow> spares(memory(), int64_t(with_spares) * SpareRows::copies);
        const SpareRows spare{with_spares, spares.data()};
        executor_.in_one_phase("measure", [&] {
            executor_.for_each("measure", (table.size() + spares.size()) * EmptyRows::row_words, EmptyRows(table, spares));
            constexpr int few = 128, many = 384;
            if (components / tiles_.cells() < few / 2) measure_with<Measure<RowShape, few>>(table, spare);
            else measure_with<Measure<RowShape, many>>(table, spare);
            executor_.for_each("measure", spares.size(), AddSpareRows{spare, table.data()});
        });
        return table;
    }

    /// Sums that paint_and_measure() has started to add up.
    struct StartedSums {
        exec::Array<TableRow> table, spares;  // empty if nothing has been started
    };
    /// Paints all rows with the numbers of the components, and starts to add up the sums of few components. The caller need not know the
    /// number of components yet. finish_sums() returns the sums.
    /// @param out see paint()
    template <class Label>
    StartedSums paint_and_measure(Label* out) {
        if constexpr (RowShape::depth > 1)  // one kernel for both is slower for tiles of few voxels
            if (stores_vectors(out))
                if (StartedSums sums = empty_sums(); sums.table.size() > 0) {
                    paint_and_measure_at_once(out, sums);
                    return sums;
                }
        paint({0, rows()}, nullptr, out);
        return {};
    }
    /// The sums of all components, as measure(). Measures them if `sums` has no room for them.
    exec::Array<TableRow> finish_sums(StartedSums sums, uint32_t components) {
        if (components > sums.table.size()) return measure(components);
        sums.table.keep_first(components);
        return std::move(sums.table);
    }

    /// The shape counts of all components, entry k - 1 for number k, in the memory of the executor. More entries follow.
    /// @param periodic axes around which neighbours are counted
    /// @param final_numbers see paint(); no number of a component may be 0
    /// @param components the largest final number
    exec::Array<ShapeRow> count_shapes(const AxisSet& periodic, const uint32_t* final_numbers, uint32_t components) {
        return tiles::count_shapes<K, R>(executor_, arrays(), axes_of(periodic), final_numbers, components);
    }

    /// Copies the numbers at the ends of the axes of `to`, which has 4 bytes per voxel. Waits for the executor.
    void read_ends(Ends& to) { tiles::read_ends(executor_, NumbersOfVoxels<Shape>{arrays()}, size_, to); }

    /// Whether contacts by this connectivity can be counted.
    static constexpr bool can_count(Connectivity contacts) {
        return Shape::crosses_slices == (contacts != Connectivity::c4 && contacts != Connectivity::c8);
    }
    /// The contacts between components, in ascending order. Axes do not wrap around.
    /// @param contacts can_count() must be true
    /// @param final_numbers see paint()
    /// @param memory limit for the pairs on the host; null: none
    /// @throw Error device_memory; unsupported_by_device; MemoryLimitReached
    std::vector<LabelContact> contacts(Connectivity contacts, const uint32_t* final_numbers, MemoryLimit* memory = nullptr) {
        if constexpr (!Shape::by_value && (K == Connectivity::c8 || K == Connectivity::c26)) return {};  // all neighbours are joined
        else return find_contacts<same_rows<K, R>, R>(executor_, arrays(), count(), final_numbers, contacts, memory);
    }

private:
    exec::Memory& memory() { return executor_.memory(); }
    const uint32_t* count_place() const { return before_.data() + before_.size() - 1; }
    int64_t rows() const { return int64_t(size_.y) * size_.z; }
    /// Whether labels can be stored as LabelStores::vector.
    template <class Label>
    bool stores_vectors(const Label* out) const {
        return int64_t(size_.x) * int64_t(sizeof(Label)) % 16 == 0 && reinterpret_cast<std::uintptr_t>(out) % 16 == 0;
    }
    int64_t words_of_faces() const { return Shape::by_value ? 0 : FaceLines<K>{size_, tiles_}.count(); }
    TileArrays arrays() const {
        return {size_,
                tiles_,
                TileDivisor::of(tiles_.x),
                TileDivisor::of(tiles_.y),
                rows_.data(),
                first_run_.data(),
                counts_.data(),
                root_of_run_.data(),
                roots_.data(),
                joined_.data(),
                numbers_.data(),
                low_face_.data(),
                high_face_.data(),
                marks_.size(),
                marks_.data(),
                before_.data()};
    }
    /// The arrays for the phases before "number", without marks if these must not change them.
    TileArrays arrays_before_number() const {
        TileArrays all = arrays();
        if (numbering_ != Numbering::in_phases) all.marks = nullptr;
        return all;
    }
    /// Must come before phase "local".
    void clear_marks() {
        if (numbering_ == Numbering::in_phases) executor_.fill("local", marks_, Stretch{});
    }
    template <class LocalPhase, class JoinPhase>
    void label_by(const LocalPhase& local, const JoinPhase& join) {
        clear_marks();
        executor_.template for_each_tile<LocalPhase::lanes, typename LocalPhase::Shared>("local", tiles_.cells(), local);
        join_and_number(join);
    }
    template <class JoinPhase>
    void join_and_number(const JoinPhase& join) {
        const int64_t calls = (tiles_.cells() + JoinPhase::together - 1) / JoinPhase::together;
        executor_.template for_each_tile<JoinPhase::lanes, typename JoinPhase::Shared>("join", calls, join);
        number<Shape>(executor_, arrays(), before_, count_to_, numbering_);
    }
    template <class Label, LabelStores Stores>
    void paint_with(Executor& executor, RowRange rows, const uint32_t* final_numbers, Label* out) const {
        using Phase = Paint<RowShape, Label, Stores>;
        const Window window = window_of<Shape>(size_, rows.first, rows.end());
        executor.template for_each_tile<Phase::lanes, typename Phase::Shared>("paint", window.tiles,
                                                                              Phase{arrays(), window, final_numbers, out});
    }

    /// Rows for the sums of up to 16 components per tile; none if the memory is not sufficient.
    StartedSums empty_sums() {
        constexpr uint32_t most_per_tile = 16;
        const auto most = uint32_t(tiles_.cells() * most_per_tile);
        try {
            return {exec::Array<TableRow>(memory(), most),
                    exec::Array<TableRow>(memory(), int64_t(SpareRows::components_of(most)) * SpareRows::copies)};
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::device_memory) throw;
            return {};
        }
    }
    /// @param sums the result of empty_sums()
    template <class Label>
    void paint_and_measure_at_once(Label* out, const StartedSums& sums) {
        const auto most = uint32_t(sums.table.size());
        const SpareRows spare{SpareRows::components_of(most), sums.spares.data()};
        using Phase = PaintAndMeasure<RowShape, Label>;
        executor_.for_each("measure", EmptyCountedRows::indices,
                           EmptyCountedRows{{sums.table, sums.spares}, count_place(), sums.spares.size() * EmptyRows::row_words});
        executor_.template for_each_tile<Phase::lanes, typename Phase::Shared>(
            "paint", tiles_.cells(),
            Phase{{arrays(), {0, rows(), 0, tiles_.cells()}, nullptr, out}, {arrays(), sums.table.data(), spare}, count_place(), most});
        executor_.for_each("measure", sums.spares.size(), AddCountedSpareRows{{spare, sums.table.data()}, count_place(), most});
    }

    template <class Phase>
    void measure_with(const exec::Array<TableRow>& table, const SpareRows& spare) {
        executor_.template for_each_tile<Phase::lanes, typename Phase::Shared>("measure", tiles_.cells(),
                                                                               Phase{arrays(), table.data(), spare});
    }

    Executor& executor_;
    uint32_t* count_to_ = nullptr;
    exec::Grid size_, tiles_;
    Numbering numbering_;
    exec::Array<uint64_t> rows_;
    exec::Array<uint16_t> first_run_;
    exec::Array<Counts> counts_;
    exec::Array<uint16_t> root_of_run_;
    exec::Array<uint64_t> roots_;
    exec::Array<uint32_t> joined_, numbers_;
    exec::Array<uint16_t> low_face_, high_face_;
    exec::Array<Stretch> marks_;
    exec::Array<uint32_t> before_;
};

}  // namespace voxcc::block_runs::tiles
