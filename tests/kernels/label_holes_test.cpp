// Tests the holes in labels against a flood fill of the background and a look at all face neighbours of all voxels.
#include <voxcc/holes.h>
#include "kernels/oracle.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace voxcc;

namespace {

/// A volume of labels with holes: random walks between cells of equal labels leave closed and open background.
template <class T>
std::vector<T> random_labels(const Extent& e, std::mt19937& random) {
    std::vector<T> labels(std::size_t(e.voxels()));
    const unsigned cell = 1 + random() % 4, zeros = 1 + random() % 40;
    std::vector<T> values{T(1), T(3), T(100), T(~T(0)), T(~T(0) / 2)};
    values.resize(1 + random() % values.size());
    for (std::int64_t i = 0; i < e.voxels(); ++i) {
        const auto x = unsigned(i % e.nx), y = unsigned(i / e.nx % e.ny), z = unsigned(i / e.nx / e.ny);
        const unsigned at = (x / (2 * cell) + 7 * (y / (2 * cell)) + 11 * (z / cell)) * 2654435761u >> 7;
        labels[std::size_t(i)] = random() % 100 < zeros ? T(0) : values[at % values.size()];
    }
    return labels;
}

/// A source whose rows must be fetched in order, as those of most files.
class InOrder : public StridedSource {
public:
    using StridedSource::StridedSource;
    Access access() const override { return Access::in_order; }
    std::int64_t rows_per_fetch() const override { return 3; }
    void rewind() override { next_ = 0; }
    const std::byte* fetch(RowRange rows, std::vector<std::byte>& buffer) override {
        REQUIRE(rows.first == next_);
        next_ = rows.end();
        return StridedSource::fetch(rows, buffer);
    }

private:
    std::int64_t next_ = 0;
};

struct Expected {
    std::vector<std::uint64_t> one_label, largest_label;  // the filled volumes
    LabelHoles::Count filled, filled_with_largest, between_labels;
};

template <class T>
Expected expected(const std::vector<T>& labels, const Extent& e, const HoleRule& rule) {
    const Connectivity c = reduced(rule.connectivity, e);
    const bool flat = c == Connectivity::c4 || c == Connectivity::c8;
    const int background = c == Connectivity::c4 ? 8 : c == Connectivity::c8 ? 4 : c == Connectivity::c6 ? 26 : 6;
    const auto pieces = oracle::flood_fill_by(
        {e.nx, e.ny, e.nz}, background, rule.periodic.axes, [&](long i) { return labels[std::size_t(i)] == 0; },
        [](long, long) { return true; });
    struct Piece {
        std::uint64_t voxels = 0;
        bool at_face = false, has_label = false;
        T least = 0, largest = 0;
    };
    std::vector<Piece> of(pieces.count + 1);
    const std::array n{e.nx, e.ny, e.nz}, faces{rule.faces.nx, rule.faces.ny, rule.faces.nz};
    const auto index = [&](const std::array<std::int64_t, 3>& at) { return std::size_t((at[2] * e.ny + at[1]) * e.nx + at[0]); };
    for (std::int64_t z = 0; z < e.nz; ++z)
        for (std::int64_t y = 0; y < e.ny; ++y)
            for (std::int64_t x = 0; x < e.nx; ++x) {
                const std::array at{x, y, z};
                if (labels[index(at)] != 0) continue;
                Piece& piece = of[pieces.of[index(at)]];
                ++piece.voxels;
                for (std::size_t axis = 0; axis < 3; ++axis) {
                    piece.at_face |= faces[axis] > 1 && (at[axis] == 0 || at[axis] == n[axis] - 1);
                    if (flat && axis == 2) continue;
                    for (const std::int64_t step : {-1, 1}) {
                        std::array beside = at;
                        beside[axis] += step;
                        if (rule.periodic.axes[axis]) beside[axis] = (beside[axis] + n[axis]) % n[axis];
                        if (beside[axis] < 0 || beside[axis] >= n[axis] || labels[index(beside)] == 0) continue;
                        const T label = labels[index(beside)];
                        piece.least = piece.has_label ? std::min(piece.least, label) : label;
                        piece.largest = piece.has_label ? std::max(piece.largest, label) : label;
                        piece.has_label = true;
                    }
                }
            }
    Expected result;
    const auto add = [](LabelHoles::Count& count, const Piece& piece) { ++count.holes, count.voxels += piece.voxels; };
    for (std::size_t k = 1; k < of.size(); ++k) {
        Piece& piece = of[k];
        if (piece.at_face || piece.voxels > rule.most_voxels) piece.has_label = false;
        if (!piece.has_label) continue;
        add(result.filled_with_largest, piece);
        add(piece.least == piece.largest ? result.filled : result.between_labels, piece);
    }
    for (std::size_t i = 0; i < labels.size(); ++i) {
        const Piece& piece = of[pieces.of[i]];
        const auto bits = [](T label) { return std::uint64_t(std::int64_t(label)); };
        const bool is_hole = labels[i] == 0 && piece.has_label;
        result.one_label.push_back(is_hole && piece.least == piece.largest ? bits(piece.largest) : bits(labels[i]));
        result.largest_label.push_back(is_hole ? bits(piece.largest) : bits(labels[i]));
    }
    return result;
}

template <class T>
std::vector<std::uint64_t> filled(const LabelHoles& holes, std::vector<T> labels, const Extent& e, LabelHoles::Filling filling) {
    for (std::int64_t row = 0; row < e.rows(); row += 2)
        holes.fill({row, std::min<std::int64_t>(2, e.rows() - row)}, filling, scalar_type_of<T>(),
                   reinterpret_cast<std::byte*>(labels.data() + row * e.nx));
    std::vector<std::uint64_t> bits;
    for (const T label : labels) bits.push_back(std::uint64_t(std::int64_t(label)));
    return bits;
}

bool are_equal(const LabelHoles::Count& a, const LabelHoles::Count& b) { return a.holes == b.holes && a.voxels == b.voxels; }

template <class T>
void check(const LabelHoles& holes, const std::vector<T>& labels, const Extent& e, const Expected& want) {
    REQUIRE(filled(holes, labels, e, LabelHoles::Filling::one_label) == want.one_label);
    REQUIRE(filled(holes, labels, e, LabelHoles::Filling::largest_label) == want.largest_label);
    REQUIRE(are_equal(holes.filled(LabelHoles::Filling::one_label), want.filled));
    REQUIRE(are_equal(holes.filled(LabelHoles::Filling::largest_label), want.filled_with_largest));
    REQUIRE(are_equal(holes.between_labels(), want.between_labels));
}

}  // namespace

TEST_CASE("holes in labels: the example of the header") {
    const std::vector<std::uint8_t> labels{5, 5, 5, 0, 7, 7, 5, 0, 5, 0, 0, 7, 5, 5, 5, 0, 7, 7};
    const Extent e{6, 3, 1};
    const ForegroundPacker packer(ScalarType::u8, {});
    StridedSource source(view(labels.data(), e), packer);
    ThreadPool pool(1);
    const LabelHoles holes(source, e, {{.connectivity = Connectivity::c4}, e}, {.pool = &pool});
    CHECK(are_equal(holes.filled(LabelHoles::Filling::one_label), {1, 1}));
    CHECK(holes.label_of(0, LabelHoles::Filling::one_label) == 5);
}

TEST_CASE_TEMPLATE("holes in labels: random labels in one piece and in slabs", T, std::uint8_t, std::int8_t, std::uint16_t, std::int32_t,
                   std::uint64_t, std::int64_t) {
    std::mt19937 random(5);
    std::uint64_t fills = 0, leaves = 0;
    for (int repetition = 0; repetition < 60; ++repetition)
        for (const Extent e : {Extent{7, 6, 5}, Extent{70, 5, 4}, Extent{9, 8, 1}, Extent{130, 6, 1}, Extent{1, 6, 7}, Extent{6, 1, 1}}) {
            const std::vector<T> labels = random_labels<T>(e, random);
            const auto neighbours = std::array{6, 18, 26, 4, 8}[random() % 5];
            HoleRule rule{{.connectivity = *connectivity_of(neighbours)}, e};
            if (random() % 3 == 0) rule.most_voxels = 1 + random() % 4;
            if (neighbours < 6 || neighbours == 8) rule.faces.nz = 1;
            if (random() % 3 == 0)
                for (std::size_t axis = 0; axis < 3; ++axis)
                    if (random() % 2 && (axis < 2 || (neighbours != 4 && neighbours != 8))) {
                        rule.periodic.axes[axis] = true;
                        (axis == 0 ? rule.faces.nx : axis == 1 ? rule.faces.ny : rule.faces.nz) = 1;
                    }
            const Expected want = expected(labels, e, rule);
            fills += want.filled.holes, leaves += want.between_labels.holes;
            const ForegroundPacker packer(scalar_type_of<T>(), {});
            for (const int threads : {1, 4}) {
                ThreadPool pool(threads);
                StridedSource source(view(labels.data(), e), packer);
                check(LabelHoles(source, e, rule, {.pool = &pool}), labels, e, want);
                InOrder in_order(view(labels.data(), e), packer);
                check(LabelHoles(in_order, e, rule, {.pool = &pool, .slices_per_slab = std::int64_t(random() % 3)}), labels, e, want);
            }
        }
    CHECK(fills > 100);
    CHECK(leaves > 100);
}

TEST_CASE("holes in labels: runs, and the memory limit") {
    const std::vector<std::uint8_t> labels{5, 5, 5, 5, 5, 0, 0, 5, 5, 5, 0, 5, 5, 5, 5, 5};
    const Extent e{4, 4, 1};
    const ForegroundPacker packer(ScalarType::u8, {});
    StridedSource source(view(labels.data(), e), packer);
    ThreadPool pool(1);
    const HoleRule rule{{.connectivity = Connectivity::c8}, e};
    Holes holes = find_holes(source, e, rule, {.pool = &pool});
    const HoleRuns runs(holes, e, pool, nullptr);
    CHECK(runs[0].empty());
    CHECK(std::ranges::equal(runs[1], std::vector<HoleRun>{{1, 3, 0}}));
    CHECK(std::ranges::equal(runs[2], std::vector<HoleRun>{{2, 3, 0}}));
    MemoryLimit too_little(8);
    CHECK_THROWS_AS(HoleRuns(holes, e, pool, &too_little), MemoryLimitReached);
}
