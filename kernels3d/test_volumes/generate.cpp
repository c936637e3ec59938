// Makes test volumes, and states their number of components where it is known without labelling.
#include "kernels3d/test_volumes/kinds.h"

#include "kernels3d/test_volumes/draws.h"

#include <algorithm>
#include <string>
#include <vector>

namespace voxcc {
namespace {

Error wrong(const std::string& field, const std::string& cause, const std::string& choices = {}) {
    return {ErrorKind::invalid_argument, field, cause, choices};
}

/// A volume in which rule(x, y, z) states whether a voxel is foreground.
template <class Rule>
class RuledVolume : public TestVolume {
public:
    explicit RuledVolume(Rule rule) : rule_(std::move(rule)) {}
    void fill(std::int64_t x, std::int64_t y, std::int64_t z, std::span<std::uint8_t> part) override {
        for (std::uint8_t& voxel : part) voxel = rule_(x++, y, z) ? 1 : 0;
    }

private:
    Rule rule_;
};
template <class Rule>
std::unique_ptr<TestVolume> ruled(Rule rule) {
    return std::make_unique<RuledVolume<Rule>>(std::move(rule));
}

class SolidVolume : public TestVolume {
public:
    void fill(std::int64_t, std::int64_t, std::int64_t, std::span<std::uint8_t> part) override {
        std::fill(part.begin(), part.end(), std::uint8_t{1});
    }
};

/// The grid of cubic blocks of equal voxels.
class Blocks {
public:
    Blocks(const Extent& extent, std::int64_t edge)
        : edge_(edge), counts_{(extent.nx - 1) / edge + 1, (extent.ny - 1) / edge + 1, (extent.nz - 1) / edge + 1} {}
    const Extent& counts() const { return counts_; }
    std::int64_t index(std::int64_t coordinate) const { return coordinate / edge_; }
    /// Sets the voxels [x, x + part.size()) of a row. @param voxel_of called with the indices of their blocks along x, ascending
    template <class F>
    void fill(std::int64_t x, std::span<std::uint8_t> part, F&& voxel_of) const {
        if (edge_ == 1) {
            for (std::uint8_t& voxel : part) voxel = voxel_of(x++) ? 1 : 0;
            return;
        }
        const std::int64_t end = x + std::int64_t(part.size());
        auto to = part.begin();
        for (std::int64_t block = x / edge_; x < end; ++block) {
            const std::int64_t count = std::min((block + 1) * edge_, end) - x;
            to = std::fill_n(to, count, std::uint8_t(voxel_of(block) ? 1 : 0));
            x += count;
        }
    }

private:
    std::int64_t edge_;
    Extent counts_;
};

/// Every second block is foreground, from the first on.
class CheckerboardVolume : public TestVolume {
public:
    explicit CheckerboardVolume(const TestVolumeRecipe& recipe) : blocks_(recipe.extent, recipe.granularity) {}
    void fill(std::int64_t x, std::int64_t y, std::int64_t z, std::span<std::uint8_t> part) override {
        const std::int64_t others = blocks_.index(y) + blocks_.index(z);
        blocks_.fill(x, part, [others](std::int64_t block) { return (block + others) % 2 == 0; });
    }

private:
    Blocks blocks_;
};

/// Blocks with one random decision per block, in raster order of the blocks. Holds the decisions of one layer of blocks.
template <class Engine>
class RandomVolume : public TestVolume {
public:
    explicit RandomVolume(const TestVolumeRecipe& recipe)
        : recipe_(recipe), blocks_(recipe.extent, recipe.granularity), draws_(recipe.density, recipe.seed) {}

    void fill(std::int64_t x, std::int64_t y, std::int64_t z, std::span<std::uint8_t> part) override {
        draw_layer(blocks_.index(z));
        const std::uint8_t* const row = layer_.data() + blocks_.index(y) * blocks_.counts().nx;
        blocks_.fill(x, part, [row](std::int64_t block) { return row[block]; });
    }

private:
    void draw_layer(std::int64_t wanted) {
        if (wanted + 1 == drawn_) return;
        if (wanted < drawn_) draws_ = Draws<Engine>(recipe_.density, recipe_.seed), drawn_ = 0;
        const std::int64_t in_layer = blocks_.counts().nx * blocks_.counts().ny;
        draws_.skip(std::uint64_t((wanted - drawn_) * in_layer));
        layer_.resize(std::size_t(in_layer));
        for (std::uint8_t& block : layer_) block = draws_() ? 1 : 0;
        drawn_ = wanted + 1;
    }

    TestVolumeRecipe recipe_;
    Blocks blocks_;
    Draws<Engine> draws_;
    std::int64_t drawn_ = 0;           // number of layers of blocks before the next draw
    std::vector<std::uint8_t> layer_;  // the last of them, [y][x]
};

/// The same with SplitMix64, without memory: the draws of a row are computed when they are needed.
class SplitMixVolume : public TestVolume {
public:
    explicit SplitMixVolume(const TestVolumeRecipe& recipe) : recipe_(recipe), blocks_(recipe.extent, recipe.granularity) {}
    void fill(std::int64_t x, std::int64_t y, std::int64_t z, std::span<std::uint8_t> part) override {
        const Extent& counts = blocks_.counts();
        Draws<SplitMix64> draws(recipe_.density, recipe_.seed);
        draws.skip(std::uint64_t((blocks_.index(z) * counts.ny + blocks_.index(y)) * counts.nx + blocks_.index(x)));
        blocks_.fill(x, part, [&draws](std::int64_t) { return draws(); });
    }

private:
    TestVolumeRecipe recipe_;
    Blocks blocks_;
};

/// The 3D Hilbert curve through a cube of 2^order cells per edge, drawn as straight lines between the centres of the cells.
class HilbertVolume : public TestVolume {
public:
    HilbertVolume(int order, std::int64_t edge) : order_(order), cells_(std::int64_t{1} << order), links_(std::size_t(1) << (3 * order)) {
        for (std::int64_t i = 0; i < cells_; ++i) centre_.push_back((2 * i + 1) * edge / (2 * cells_));
        std::array<std::int64_t, 3> last = cell_of(0);
        for (std::uint64_t step = 1; step < links_.size(); ++step) {
            const auto next = cell_of(step);
            const int axis = next[0] != last[0] ? 0 : next[1] != last[1] ? 1 : 2;
            const auto& lower = std::min(last, next);
            links_[index(lower[0], lower[1], lower[2])] |= std::uint8_t(1 << axis);
            last = next;
        }
    }

    void fill(std::int64_t x, std::int64_t y, std::int64_t z, std::span<std::uint8_t> part) override {
        std::fill(part.begin(), part.end(), std::uint8_t{0});
        const std::int64_t after = x + std::int64_t(part.size());
        const Position at_y = locate(y), at_z = locate(z);
        if (!at_y.exists || !at_z.exists || (!at_y.on_centre && !at_z.on_centre)) return;
        const Position at_x = locate(x);
        for (std::int64_t i = at_x.exists ? at_x.cell : 0; i < cells_ && centre_[std::size_t(i)] < after; ++i) {
            const std::uint8_t links = links_[index(i, at_y.cell, at_z.cell)];
            const bool drawn = !at_z.on_centre ? links & 4 : !at_y.on_centre ? links & 2 : true;
            if (!drawn) continue;
            const bool on_point = at_y.on_centre && at_z.on_centre;
            const std::int64_t last = on_point && (links & 1) ? centre_[std::size_t(i + 1)] : centre_[std::size_t(i)];
            const std::int64_t first = std::max(centre_[std::size_t(i)], x), end = std::min(last + 1, after);
            if (first < end) std::fill(part.begin() + (first - x), part.begin() + (end - x), std::uint8_t{1});
        }
    }

private:
    /// A coordinate relative to the cells: `cell` is the last cell whose centre is at or before it, if one exists.
    struct Position {
        bool exists, on_centre;
        std::int64_t cell;
    };
    Position locate(std::int64_t coordinate) const {
        const auto after = std::upper_bound(centre_.begin(), centre_.end(), coordinate);
        if (after == centre_.begin()) return {false, false, 0};
        return {true, *(after - 1) == coordinate, after - centre_.begin() - 1};
    }
    std::size_t index(std::int64_t i, std::int64_t j, std::int64_t k) const { return std::size_t((k * cells_ + j) * cells_ + i); }

    /// The cell at a step of the curve. Source: Skilling, "Programming the Hilbert curve", AIP Conf. Proc. 707, 2004: undo the Gray code of
    /// the step, then undo the reflections and exchanges of axes, from the finest level up.
    std::array<std::int64_t, 3> cell_of(std::uint64_t step) const {
        std::array<std::int64_t, 3> cell{};
        const std::uint64_t gray = step ^ (step >> 1);
        for (int bit = 0; bit < 3 * order_; ++bit) cell[std::size_t(2 - bit % 3)] |= std::int64_t((gray >> bit) & 1) << (bit / 3);
        for (std::int64_t level = 2; level < cells_; level *= 2) {
            for (int axis = 2; axis >= 0; --axis) {
                const std::int64_t below = level - 1;
                if (cell[std::size_t(axis)] & level) {
                    cell[0] ^= below;
                } else {
                    const std::int64_t different = (cell[0] ^ cell[std::size_t(axis)]) & below;
                    cell[0] ^= different;
                    cell[std::size_t(axis)] ^= different;
                }
            }
        }
        return cell;
    }

    int order_;
    std::int64_t cells_;
    std::vector<std::int64_t> centre_;  // [i]: coordinate of the centre of cell i, in voxels, the same along each axis
    std::vector<std::uint8_t> links_;   // [cell]: bits 1, 2, 4: the curve connects the cell with the next cell along x, y, z
};

void check_hilbert(const TestVolumeRecipe& recipe) {
    const Extent& e = recipe.extent;
    if (recipe.order < 1 || recipe.order > 10) throw wrong("order", "is " + std::to_string(recipe.order), "1 to 10");
    if (e.nx != e.ny || e.nx != e.nz) throw wrong("shape", "a Hilbert curve fills a cube", "the same extent along x, y and z");
    if (e.nx < std::int64_t{1} << recipe.order)
        throw wrong("size", std::to_string(e.nx) + " voxels cannot hold a curve of order " + std::to_string(recipe.order),
                    "at least " + std::to_string(1 << recipe.order));
}

std::unique_ptr<TestVolume> make_random(const TestVolumeRecipe& recipe) {
    if (recipe.generator == Generator::mt19937) return std::make_unique<RandomVolume<std::mt19937>>(recipe);
    if (recipe.generator == Generator::splitmix64) return std::make_unique<SplitMixVolume>(recipe);
    return std::make_unique<RandomVolume<std::mt19937_64>>(recipe);
}

}  // namespace

void check_test_volume(const TestVolumeRecipe& recipe) {
    const Extent& e = recipe.extent;
    if (e.nx < 1 || e.ny < 1 || e.nz < 1) throw wrong("shape", "an extent is not positive");
    if (double(e.nx) * double(e.ny) * double(e.nz) > 0x1p60) throw wrong("shape", "has more than 2^60 voxels");
    if (!(recipe.density >= 0 && recipe.density <= 1)) throw wrong("density", "is " + std::to_string(recipe.density), "0 to 1");
    if (recipe.kind == TestVolumeKind::hilbert) check_hilbert(recipe);
    const bool has_blocks = recipe.kind == TestVolumeKind::random || recipe.kind == TestVolumeKind::checkerboard;
    if (has_blocks && (recipe.granularity < 1 || recipe.granularity > 1024))
        throw wrong("granularity", "is " + std::to_string(recipe.granularity), "1 to 1024");
    if (recipe.tile < 0) throw wrong("tile", "is " + std::to_string(recipe.tile), "a positive number of voxels");
    if (recipe.kind == TestVolumeKind::blobs && !(recipe.scale > 0 && recipe.scale < 1e6))
        throw wrong("scale", "is " + std::to_string(recipe.scale), "a positive number of voxels");
    if (recipe.kind == TestVolumeKind::ridge) check_ridge(recipe);
    if (recipe.kind == TestVolumeKind::zigzag_spiral && (e.nx < zigzag_tooth || e.ny < zigzag_tooth))
        throw wrong("shape",
                    "a zigzag spiral needs at least " + std::to_string(zigzag_tooth) + " voxels along x and y; use larger numbers");
}

std::int64_t test_volume_bytes(const TestVolumeRecipe& recipe) {
    const Extent blocks = Blocks(recipe.extent, std::max(recipe.granularity, 1)).counts();
    switch (recipe.kind) {
        case TestVolumeKind::hilbert: return std::int64_t{1} << 3 * recipe.order;
        case TestVolumeKind::random: return recipe.generator == Generator::splitmix64 ? 0 : blocks.nx * blocks.ny;
        case TestVolumeKind::blobs: return blob_bytes(recipe);
        case TestVolumeKind::dry_earth: return 2 * recipe.extent.nx * recipe.extent.ny;
        default: return 0;
    }
}

std::unique_ptr<TestVolume> make_test_volume(const TestVolumeRecipe& recipe) {
    check_test_volume(recipe);
    const Extent& e = recipe.extent;
    switch (recipe.kind) {
        case TestVolumeKind::hilbert: return std::make_unique<HilbertVolume>(recipe.order, e.nx);
        case TestVolumeKind::random: return make_random(recipe);
        case TestVolumeKind::blobs: return make_blobs(recipe);
        case TestVolumeKind::checkerboard: return std::make_unique<CheckerboardVolume>(recipe);
        case TestVolumeKind::solid: return std::make_unique<SolidVolume>();
        case TestVolumeKind::ridge: return make_ridge(recipe);
        case TestVolumeKind::spiral: return ruled([e](auto x, auto y, auto z) { return in_spiral(x, y, z, e); });
        case TestVolumeKind::zigzag_spiral: return ruled([e](auto x, auto y, auto) { return in_zigzag_spiral(x, y, e); });
        case TestVolumeKind::dry_earth: return make_dry_earth(recipe);
    }
    throw Error(ErrorKind::internal, "test volume", "unknown kind " + std::to_string(int(recipe.kind)));
}

namespace {

/// The number of components of a checkerboard. Foreground blocks are neighbours only across diagonals. A line of blocks has no diagonals.
std::uint64_t checkerboard_components(const TestVolumeRecipe& recipe, Connectivity connectivity) {
    const Extent b = Blocks(recipe.extent, recipe.granularity).counts();
    const std::int64_t per_slice = b.nx * b.ny, slices = recipe.extent.nz;
    // The slices of every second layer of blocks start with background.
    const std::int64_t layers = slices / recipe.granularity;
    const std::int64_t odd = layers / 2 * recipe.granularity + (layers % 2 == 1 ? slices % recipe.granularity : 0);
    const std::int64_t in_slices = (slices - odd) * ((per_slice + 1) / 2) + odd * (per_slice / 2);
    switch (connectivity) {
        case Connectivity::c4: return std::uint64_t(in_slices);
        case Connectivity::c6: return std::uint64_t((b.voxels() + 1) / 2);
        case Connectivity::c8: return std::uint64_t(b.nx == 1 || b.ny == 1 ? in_slices : slices);
        default: return (b.nx > 1) + (b.ny > 1) + (b.nz > 1) >= 2 ? 1 : std::uint64_t((b.voxels() + 1) / 2);
    }
}

}  // namespace

std::optional<std::uint64_t> known_components(const TestVolumeRecipe& recipe, Connectivity connectivity) {
    const Extent& e = recipe.extent;
    const bool by_slice = e.nz > 1 && (connectivity == Connectivity::c4 || connectivity == Connectivity::c8);
    switch (recipe.kind) {
        case TestVolumeKind::hilbert: return by_slice ? std::nullopt : std::optional<std::uint64_t>(1);
        case TestVolumeKind::solid:
        case TestVolumeKind::zigzag_spiral: return by_slice ? std::uint64_t(e.nz) : 1;
        case TestVolumeKind::spiral: return by_slice ? std::uint64_t(e.nz - 1 + e.nz % 2) : 1;  // the last slice may be empty
        case TestVolumeKind::checkerboard: return checkerboard_components(recipe, connectivity);
        case TestVolumeKind::ridge: return ridge_components(recipe) * (by_slice ? std::uint64_t(e.nz) : 1);
        default: return std::nullopt;
    }
}

}  // namespace voxcc
