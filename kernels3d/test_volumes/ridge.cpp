// Test volumes of ridge patterns: shapes for which label equivalence (lab/algorithms/le.h) needs a chosen number of passes. A square image
// contains one pattern or many.
//
// Source: Asad, Marroquim, Souza, "On GPU connected components and properties", 2019, equations 6 to 17 and appendix A.
// The pattern of level l >= 2 has peaks on a base. Peaks are 2^k voxels wide, one every 3 * 2^k voxels. The right side of the base descends
// at 45 degrees.
//   # . . . . . # . . .        level 3, k = 0. Peak i is 2 voxels high, plus 1 for each power of two from 2 to 2^(l-2) that divides i. In
//   # . . # . . # . . .        the first pass, each peak gives its label to its part of the base. Each further pass joins every second
//   # . . # . . # . . .        remaining part to a taller neighbour, because the taller peak begins earlier in raster order
//   # # # # # # # . . .
//   # # # # # # # # . .        pass 1: peaks 0 1 2    pass 2: 0 2    pass 3: 0
//   # # # # # # # # # .
//   # # # # # # # # # #
// Choices that the paper leaves open: The two forms of equation 11 differ by one. We use the first form, in which each row is one voxel
// longer than the row above. For level 1, equations 6 to 16 do not give whole numbers. Its width is therefore 2 * 2^k, after the 2x2 voxels
// in the text, and its crest is one full row. Equation 17 then holds for every level.
// All slices of a volume are equal. The voxel in the slice before is an earlier neighbour of each voxel. Later slices therefore add no
// parts, and the number of passes does not change.
#include "kernels3d/base/union_find.h"
#include "kernels3d/test_volumes/draws.h"
#include "kernels3d/test_volumes/kinds.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

namespace voxcc {
namespace {

/// The pattern R_l^k. If height < full, it is drawn at a reduced scale.
struct Ridge {
    int level, stretch;   // l, k
    std::int64_t full;    // width of the crest = height of the full-scale pattern, in voxels
    std::int64_t height;  // height of the drawn pattern, in voxels

    /// Whether voxel (x, y) of the drawn pattern is foreground.
    bool at(std::int64_t x, std::int64_t y) const {
        if (height == full) return at_full_scale(x, y);  // avoids the divisions
        return at_full_scale((2 * x + 1) * full / (2 * height), (2 * y + 1) * full / (2 * height));
    }
    /// The number of foreground voxels of the last row; they start at x = 0.
    std::int64_t last_row() const {
        std::int64_t x = 0;
        while (at(x, height - 1)) ++x;
        return x;
    }

private:
    /// Whether voxel (x, y) of the full-scale pattern is foreground.
    bool at_full_scale(std::int64_t x, std::int64_t y) const {
        if (y >= level) return x < full + y - level;
        if (level == 1 || x >= full) return x < full;
        const std::int64_t peak = (x >> stretch) / 3, within = (x >> stretch) % 3;
        return within == 0 && level - y <= 2 + std::min(std::countr_zero(std::uint64_t(peak)), level - 2);  // countr_zero is 64 for peak 0
    }
};

/// The layout of an image: a square grid of cells with one pattern in the first corner of each cell. Equation 17 leaves two voxels between
/// patterns.
struct Plan {
    Ridge ridge;
    std::int64_t cells, cell;    // number of cells per edge of the image, edge of a cell in voxels
    double presence, adjacency;  // probabilities of a pattern in a cell, and of a line to the next cell
};

Error wrong_ridge(const std::string& field, const std::string& cause, const std::string& choices = {}) {
    return {ErrorKind::invalid_argument, field, cause, choices};
}

Plan plan_of(const TestVolumeRecipe& recipe) {
    const Extent& e = recipe.extent;
    const RidgeRecipe& r = recipe.ridge;
    if (e.nx != e.ny || e.nx < 4 || !std::has_single_bit(std::uint64_t(e.nx)))
        throw wrong_ridge("shape", "a ridge image is a square with edges of 2^n voxels, n from 2", "64,64, or 64,64,Z for a volume");
    const int n = std::countr_zero(std::uint64_t(e.nx));
    if (r.level < 1 || r.level > n - 1)
        throw wrong_ridge("level", std::to_string(r.level) + " does not fit into " + std::to_string(e.nx) + " voxels",
                          "1 to " + std::to_string(n - 1));
    const bool divided = r.family != RidgeFamily::leveling && r.family != RidgeFamily::scaling;
    const int subdivisions = divided ? r.subdivisions : 0, most = std::min(n - r.level - 1, 15);  // 15: patterns are counted in 32 bits
    if (subdivisions < 0 || subdivisions > most)
        throw wrong_ridge("subdivisions", std::to_string(subdivisions) + " are too many for level " + std::to_string(r.level),
                          "0 to " + std::to_string(most));
    const auto check_share = [](const std::string& field, double share) {
        if (!(share >= 0 && share <= 1)) throw wrong_ridge(field, "is " + std::to_string(share), "0 to 1");
    };
    check_share("factor", r.factor);
    check_share("probability", r.probability);
    const int stretch = n - r.level - 1 - subdivisions;
    const std::int64_t full = (r.level == 1 ? 2 : (std::int64_t{3} << (r.level - 2)) + 1) << stretch;
    return {.ridge = {.level = r.level,
                      .stretch = stretch,
                      .full = full,
                      .height = r.family == RidgeFamily::scaling ? std::llround(r.factor * double(full)) : full},
            .cells = std::int64_t{1} << subdivisions,
            .cell = e.nx >> subdivisions,
            .presence = r.family == RidgeFamily::random_instancing ? r.probability : 1,
            .adjacency = r.family == RidgeFamily::random_merging ? r.probability : 0};
}

/// The decisions for a cell: whether it has a pattern, and whether a line leads to the next cell along x and along y.
struct Cell {
    bool present, joined_x, joined_y;
};

/// Makes the decisions for the cells, one row of cells after the other.
class Decisions {
public:
    Decisions(const Plan& plan, std::uint64_t seed)
        : presence_(plan.presence, seed), adjacency_(plan.adjacency, seed), cells_(plan.cells), row_(std::size_t(cells_)) {}

    const std::vector<Cell>& next_row() {
        ++rows_;
        for (std::int64_t i = 0; i < cells_; ++i) {
            Cell& cell = row_[std::size_t(i)];
            cell.present = presence_();
            cell.joined_x = i + 1 < cells_ && adjacency_();
            cell.joined_y = rows_ < cells_ && adjacency_();
        }
        return row_;
    }

private:
    Draws<std::mt19937_64> presence_, adjacency_;
    std::int64_t cells_, rows_ = 0;
    std::vector<Cell> row_;
};

/// A line along x continues the last row of a pattern to the next pattern. A line along y continues its first column downwards.
class RidgeVolume : public TestVolume {
public:
    RidgeVolume(const Plan& plan, std::uint64_t seed)
        : plan_(plan),
          seed_(seed),
          decisions_(plan, seed),
          stamp_(std::size_t(plan.cell)),
          width_(plan.ridge.height > 0 ? plan.ridge.last_row() : 0) {}

    void fill(std::int64_t x, std::int64_t y, std::int64_t, std::span<std::uint8_t> part) override {
        if (y != y_of_row_) draw_row(y);
        std::copy_n(row_.begin() + x, part.size(), part.begin());
    }

private:
    /// Draws the voxels of row y.
    void draw_row(std::int64_t y) {
        const Ridge& ridge = plan_.ridge;
        const std::int64_t down = y % plan_.cell, wanted = y / plan_.cell + 1;
        if (wanted < rows_of_cells_) decisions_ = Decisions(plan_, seed_), rows_of_cells_ = 0;
        for (; rows_of_cells_ < wanted; ++rows_of_cells_) cells_ = decisions_.next_row();
        for (std::int64_t x = 0; x < plan_.cell; ++x) stamp_[std::size_t(x)] = down < ridge.height && ridge.at(x, down) ? 1 : 0;
        row_.resize(std::size_t(plan_.cells * plan_.cell));
        auto to = row_.begin();
        for (const Cell& cell : cells_) {
            if (cell.present) std::copy(stamp_.begin(), stamp_.end(), to);
            else std::fill_n(to, plan_.cell, std::uint8_t{0});
            if (cell.joined_x && down == ridge.height - 1) std::fill(to + width_, to + plan_.cell, std::uint8_t{1});
            if (cell.joined_y && down >= ridge.height) *to = 1;
            to += plan_.cell;
        }
        y_of_row_ = y;
    }

    Plan plan_;
    std::uint64_t seed_;
    Decisions decisions_;
    std::int64_t rows_of_cells_ = 0;  // that decisions_ has made
    std::vector<Cell> cells_;         // the last of them
    std::vector<std::uint8_t> row_;   // the voxels of row y_of_row_
    std::int64_t y_of_row_ = -1;
    std::vector<std::uint8_t> stamp_;  // the current row of a cell with a pattern
    std::int64_t width_;               // width of the last row of a pattern, in voxels
};

}  // namespace

void check_ridge(const TestVolumeRecipe& recipe) { plan_of(recipe); }

std::unique_ptr<TestVolume> make_ridge(const TestVolumeRecipe& recipe) {
    return std::make_unique<RidgeVolume>(plan_of(recipe), recipe.seed);
}

// A pattern is one component at every scale: its last row is a row of the base, and no row extends further than the row below it.
std::uint64_t ridge_components(const TestVolumeRecipe& recipe) {
    const Plan plan = plan_of(recipe);
    if (plan.ridge.height == 0) return 0;
    if (plan.adjacency == 0 && plan.presence == 1) return std::uint64_t(plan.cells * plan.cells);
    Decisions decisions(plan, recipe.seed);
    std::uint64_t components = 0;
    if (plan.adjacency == 0) {
        for (std::int64_t j = 0; j < plan.cells; ++j)
            for (const Cell& cell : decisions.next_row()) components += cell.present;
        return components;
    }
    std::vector<std::uint32_t> sets(std::size_t(plan.cells * plan.cells));
    std::iota(sets.begin(), sets.end(), 0u);
    std::uint32_t pattern = 0;
    for (std::int64_t j = 0; j < plan.cells; ++j)
        for (const Cell& cell : decisions.next_row()) {
            if (cell.joined_x) unite(sets.data(), pattern, pattern + 1);
            if (cell.joined_y) unite(sets.data(), pattern, pattern + std::uint32_t(plan.cells));
            ++pattern;
        }
    for (pattern = 0; pattern < sets.size(); ++pattern) components += sets[pattern] == pattern;
    return components;
}

}  // namespace voxcc
