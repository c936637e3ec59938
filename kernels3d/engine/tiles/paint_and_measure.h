// Phase "paint and measure": the phases paint (paint.h) and measure (measure.h) in one kernel.
//
// Paint waits for memory and needs few instructions; measure needs instructions and loads little. In one kernel, the stores of some tiles
// run while other tiles add up their sums, and a tile is loaded once for both. This pays if there are few components: a tile with many
// roots needs so much shared memory for their sums that fewer tiles are in progress, and paint becomes slower.
#pragma once
#include "kernels3d/engine/tiles/measure.h"
#include "kernels3d/engine/tiles/paint.h"

namespace voxcc::block_runs::tiles {

/// Phase functor. Labels are stored 16 bytes at a time; see LabelStores::vector. Reads the number of components, so that the phase can
/// start before the host knows it, and measures nothing if there are more than `most`.
template <class Shape, class Label>
struct PaintAndMeasure {
    using Painter = Paint<Shape, Label, LabelStores::vector>;
    using Summer = Measure<Shape, 128>;
    static constexpr int lanes = Summer::lanes;
    /// Blocks per GPU processor. Labels of block-rows of two rows need more registers.
    static constexpr int resident = (Shape::depth == 2 ? 1024 : 1280) / lanes;

    struct Shared : Summer::Shared {
        typename Painter::Held label[Shape::most_runs + 1];  // as in Paint
    };

    Painter paint;  // all rows of the volume
    Summer measure;
    const uint32_t* count;
    uint32_t most;

    template <class Tile>
    VOXCC_HD void operator()(Tile& tile, std::int64_t t) const {
        const int runs = measure.arrays.counts[t].runs();
        const bool has_sums = runs > 0 && *count <= most;
        Shared& shared = tile.shared;
        const bool has_background = tile.any([&](int lane) {
            const bool finds_background = measure.load(shared, lane, t);
            if (lane == 0) shared.label[0] = 0;
            for (int k = lane; k < runs; k += lanes)
                shared.label[k + 1] = typename Painter::Held(measure.number_of(t, shared.root_of_run[k]) & ~in_one_tile);
            return finds_background;
        });
        const auto paint_lane = [&](int lane) {
            for (int task = lane; task < block_rows * Painter::groups; task += lanes)
                paint.paint_group(shared, task, measure.place_of(t).corner);
        };
        if (has_sums) measure.sum_up(tile, t, has_background, paint_lane);
        else tile.each(paint_lane);
    }
};

}  // namespace voxcc::block_runs::tiles
