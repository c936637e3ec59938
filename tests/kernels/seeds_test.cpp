// Tests components_with() against the painted labels, and level_of() and its names.
#include <voxcc/label.h>

#include <doctest/doctest.h>

#include <random>

using namespace voxcc;

namespace {

/// Rows of a mask that arrive in order, three at a time.
class RowsInOrder : public RowSource {
public:
    RowsInOrder(const std::vector<std::uint8_t>& mask, std::int64_t nx) : mask_(mask), nx_(nx), packer_(ScalarType::u8, {}) {}
    Access access() const override { return Access::in_order; }
    std::int64_t rows_per_fetch() const override { return 3; }
    const std::byte* fetch(RowRange rows, std::vector<std::byte>&) override {
        CHECK(rows.first == next_);
        next_ = rows.end();
        return reinterpret_cast<const std::byte*>(mask_.data());
    }
    void pack(const std::byte* fetched, RowRange rows, std::int64_t index, std::uint64_t* bits) const override {
        packer_.pack(default_isa(), values(fetched, rows, index), nx_, bits);
    }
    const std::byte* values(const std::byte* fetched, RowRange rows, std::int64_t index) const override {
        return fetched + (rows.first + index) * nx_;
    }

private:
    const std::vector<std::uint8_t>& mask_;
    std::int64_t nx_, next_ = 0;
    ForegroundPacker packer_;
};

std::vector<std::uint8_t> random_mask(const Extent& extent, double density, std::mt19937& rng) {
    std::bernoulli_distribution draw(density);
    std::vector<std::uint8_t> mask(std::size_t(extent.voxels()));
    for (std::uint8_t& voxel : mask) voxel = draw(rng);
    return mask;
}

LevelValues values_of(const std::vector<float>& values, const std::uint64_t* inside = nullptr) {
    LevelValues result{.type = ScalarType::f32};
    result.each_part = [&values, inside](const LevelValues::Part& part) { part(std::as_bytes(std::span(values)), inside); };
    return result;
}

}  // namespace

TEST_CASE("the components with a seed, for every way of labelling") {
    std::mt19937 rng(4);
    ThreadPool pool(3);
    for (const Extent extent : {Extent{70, 9, 5}, {1, 1, 1}, {5, 40, 1}, {130, 1, 7}}) {
        for (const double density : {0.0, 0.05, 0.4}) {
            const std::vector<std::uint8_t> voxels = random_mask(extent, 0.35, rng), seeds = random_mask(extent, density, rng);
            for (const std::int64_t slices : {0, 1, 2}) {
                const ForegroundPacker packer(ScalarType::u8, {});
                StridedSource source(view(voxels.data(), extent), packer);
                const auto labelling =
                    label(source, extent, {.connectivity = Connectivity::c6}, {.pool = &pool, .slices_per_slab = slices});
                std::vector<std::uint32_t> labels(voxels.size());
                labelling->paint(labels.data());
                std::vector<std::uint8_t> want(labelling->count());
                for (std::size_t i = 0; i < labels.size(); ++i)
                    if (labels[i] != 0 && seeds[i] != 0) want[labels[i] - 1] = 1;
                StridedSource anywhere(view(seeds.data(), extent), packer);
                for (const ScalarType type : {ScalarType::u32, ScalarType::u64}) {
                    const Painter painter(*labelling, extent, Axis::z, type, std::vector<std::uint64_t>(), pool);
                    RowsInOrder in_order(seeds, extent.nx);
                    CHECK(components_with(painter, labelling->count(), extent, anywhere, pool) == want);
                    CHECK(components_with(painter, labelling->count(), extent, in_order, pool) == want);
                }
            }
        }
    }
}

TEST_CASE("a selection drops components without a seed") {
    const Candidate without{.voxels = 9, .seed = Candidate::Seed::absent};
    const Selection selection = select({{.voxels = 5}, without, {.voxels = 7}}, {.keep_largest = 1});
    CHECK(selection.final_numbers == std::vector<std::uint64_t>{0, 0, 1});
    CHECK(select({{.voxels = 5}, without}, {}).final_numbers == std::vector<std::uint64_t>{1, 0});
}

TEST_CASE("a selection keeps the largest of each group") {
    const std::vector<Candidate> candidates{{.voxels = 5}, {.voxels = 9}, {.voxels = 9}, {.voxels = 1}, {.voxels = 7}};
    const std::vector<std::uint64_t> groups{3, 8, 8, 4, 3};
    CHECK(select(candidates, {.keep_largest = 1}, groups).final_numbers == std::vector<std::uint64_t>{0, 1, 0, 2, 3});
    CHECK(select(candidates, {.keep_largest = 1, .ties = Criteria::Ties::last}, groups).final_numbers ==
          std::vector<std::uint64_t>{0, 0, 1, 2, 3});
    CHECK(select(candidates, {.min_voxels = 2, .keep_largest = 1, .numbering = Numbering::by_size}, groups).final_numbers ==
          std::vector<std::uint64_t>{0, 1, 0, 0, 2});
    CHECK(select(candidates, {.keep_largest = 2}, groups).is_identity());
}

TEST_CASE("names of levels") {
    for (const char* const name : {"otsu", "li", "triangle", "yen", "p0", "p99.5", "100%", "12.5%"})
        CHECK(name_of(level_in(name).value()) == name);
    CHECK(level_in("p 99 ")->percent == 99);
    for (const char* const name : {"", "p", "%", "p101", "-1%", "pnan", "Otsu", "p9x", "50"}) CHECK_FALSE(level_in(name));
    CHECK(level_in("40%")->kind() == ForegroundRule::Kind::at_least);
    CHECK(level_in("p40")->kind() == ForegroundRule::Kind::above);
}

TEST_CASE("levels of values inside a mask") {
    const std::vector<float> values{1, 2, 3, 10, 1000, std::numeric_limits<float>::quiet_NaN()};
    const std::uint64_t inside = 0b101111, nothing = 0, one = 0b1;
    const LevelRule median = level_in("p50").value(), half = level_in("50%").value();
    CHECK(level_of(median, values_of(values, &inside)) == Bound(2.5));
    CHECK(level_of(half, values_of(values, &inside)) == Bound(5.5));
    CHECK(level_of(half, values_of(values)) == Bound(500.5));
    CHECK_THROWS_AS(level_of(median, values_of(values, &nothing)), UndefinedLevel);
    CHECK_THROWS_AS(level_of(half, values_of(values, &one)), UndefinedLevel);
}
