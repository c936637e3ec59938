// Tests overlap_of(), assign() and metrics_of() against counts voxel by voxel, and against all assignments of small graphs.
#include <voxcc/match.h>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <random>
#include <set>

using namespace voxcc;

namespace {

/// Labels of a volume in memory, in rows that arrive in order or not.
template <class T>
class LabelsInMemory : public RowSource {
public:
    LabelsInMemory(const std::vector<T>& labels, std::int64_t nx, Access access, std::int64_t rows)
        : labels_(labels), nx_(nx), access_(access), rows_(rows), packer_(scalar_type_of<T>(), {}) {}
    Access access() const override { return access_; }
    std::int64_t rows_per_fetch() const override { return rows_; }
    const std::byte* fetch(RowRange rows, std::vector<std::byte>&) override {
        if (access_ == Access::in_order) {
            CHECK(rows.first == next_);
            next_ = rows.end();
        }
        return reinterpret_cast<const std::byte*>(labels_.data());
    }
    void pack(const std::byte* fetched, RowRange rows, std::int64_t index, std::uint64_t* bits) const override {
        packer_.pack(default_isa(), values(fetched, rows, index), nx_, bits);
    }
    const std::byte* values(const std::byte* fetched, RowRange rows, std::int64_t index) const override {
        return fetched + (rows.first + index) * nx_ * std::int64_t(sizeof(T));
    }
    ScalarType value_type() const override { return scalar_type_of<T>(); }

private:
    template <class V>
    static constexpr ScalarType scalar_type_of() {
        if constexpr (std::is_same_v<V, std::uint8_t>) return ScalarType::u8;
        else if constexpr (std::is_same_v<V, std::int16_t>) return ScalarType::i16;
        else if constexpr (std::is_same_v<V, float>) return ScalarType::f32;
        else return ScalarType::u64;
    }
    const std::vector<T>& labels_;
    std::int64_t nx_, next_ = 0;
    Access access_;
    std::int64_t rows_;
    ForegroundPacker packer_;
};

/// Runs of labels, of which most are 0.
template <class T>
std::vector<T> random_labels(const Extent& extent, T least, T largest, std::mt19937_64& rng) {
    std::vector<T> labels(std::size_t(extent.voxels()), T(0));
    for (std::size_t i = 0; i < labels.size();) {
        const std::size_t end = std::min(labels.size(), i + 1 + rng() % 9);
        const T label = rng() % 2 ? T(0) : T(std::uint64_t(least) + rng() % (std::uint64_t(largest) - std::uint64_t(least) + 1));
        for (; i < end; ++i) labels[i] = label;
    }
    return labels;
}

template <class A, class B>
void check_overlap(const std::vector<A>& a, const std::vector<B>& b, const Extent& extent, RowSource::Access access, int threads) {
    LabelsInMemory<A> source_a(a, extent.nx, access, 3);
    LabelsInMemory<B> source_b(b, extent.nx, RowSource::Access::concurrent, 5);
    ThreadPool pool(threads);
    const LabelOverlap overlap = overlap_of(source_a, source_b, extent, pool);
    std::map<std::uint64_t, std::uint64_t> voxels_a, voxels_b;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> shared, found;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const auto label_a = std::uint64_t(std::int64_t(a[i])), label_b = std::uint64_t(std::int64_t(b[i]));
        if (label_a != 0) ++voxels_a[label_a];
        if (label_b != 0) ++voxels_b[label_b];
        if (label_a != 0 && label_b != 0) ++shared[{label_a, label_b}];
    }
    REQUIRE(overlap.a.labels().size() == voxels_a.size());
    REQUIRE(overlap.b.labels().size() == voxels_b.size());
    for (std::size_t row = 0; row < voxels_a.size(); ++row) CHECK(overlap.a[row].n == voxels_a[overlap.a.labels()[row]]);
    for (std::size_t row = 0; row < voxels_b.size(); ++row) CHECK(overlap.b[row].n == voxels_b[overlap.b.labels()[row]]);
    for (const SharedVoxels& pair : overlap.pairs) found[{overlap.a.labels()[pair.a], overlap.b.labels()[pair.b]}] = pair.voxels;
    CHECK(found == shared);
    CHECK(overlap.pairs.size() == shared.size());
    CHECK(std::ranges::is_sorted(overlap.a.labels()));
    CHECK(std::ranges::is_sorted(overlap.b.labels()));
    CHECK(std::ranges::is_sorted(overlap.pairs, {}, [](const SharedVoxels& pair) { return std::pair(pair.a, pair.b); }));
}

/// The largest sum of scores of all one-to-one assignments of the candidates from position `at` on.
double best_sum(const std::vector<MatchCandidate>& candidates, std::size_t at, std::set<std::size_t>& used_a,
                std::set<std::size_t>& used_b) {
    if (at == candidates.size()) return 0;
    const MatchCandidate& candidate = candidates[at];
    double best = best_sum(candidates, at + 1, used_a, used_b);
    if (!used_a.contains(candidate.a) && !used_b.contains(candidate.b)) {
        used_a.insert(candidate.a), used_b.insert(candidate.b);
        best = std::max(best, candidate.score + best_sum(candidates, at + 1, used_a, used_b));
        used_a.erase(candidate.a), used_b.erase(candidate.b);
    }
    return best;
}

void check_one_to_one(const std::vector<MatchCandidate>& chosen, const std::vector<MatchCandidate>& candidates) {
    std::set<std::size_t> used_a, used_b;
    for (const MatchCandidate& pair : chosen) {
        CHECK(std::ranges::count(candidates, pair) == 1);
        CHECK(used_a.insert(pair.a).second);
        CHECK(used_b.insert(pair.b).second);
    }
}

double sum_of(const std::vector<MatchCandidate>& candidates) {
    double sum = 0;
    for (const MatchCandidate& candidate : candidates) sum += candidate.score;
    return sum;
}

}  // namespace

TEST_CASE("the voxels that objects share, for several types, orders and threads") {
    std::mt19937_64 rng(3);
    for (const Extent extent : {Extent{70, 9, 5}, {1, 1, 1}, {130, 1, 3}, {64, 20, 1}, {3, 50, 2}})
        for (const RowSource::Access access : {RowSource::Access::in_order, RowSource::Access::concurrent})
            for (const int threads : {1, 3}) {
                const auto bytes = random_labels<std::uint8_t>(extent, 1, 200, rng);
                const auto negative = random_labels<std::int16_t>(extent, -3, 3, rng);
                const auto wide = random_labels<std::uint64_t>(extent, ~std::uint64_t{0} - 5, ~std::uint64_t{0}, rng);
                check_overlap(bytes, negative, extent, access, threads);
                check_overlap(negative, wide, extent, access, threads);
                check_overlap(wide, wide, extent, access, threads);
                check_overlap(bytes, std::vector<std::uint8_t>(bytes.size()), extent, access, threads);
            }
}

TEST_CASE("labels must be integers") {
    const std::vector<std::uint8_t> labels(8);
    const std::vector<float> values(8);
    LabelsInMemory<std::uint8_t> a(labels, 8, RowSource::Access::concurrent, 1);
    LabelsInMemory<float> b(values, 8, RowSource::Access::concurrent, 1);
    ThreadPool pool(1);
    CHECK_THROWS_AS(overlap_of(a, b, {8, 1, 1}, pool), Error);
}

TEST_CASE("the optimal assignment has the largest sum of all assignments") {
    std::mt19937_64 rng(8);
    for (int round = 0; round < 4000; ++round) {
        const std::size_t as = 1 + rng() % 5, bs = 1 + rng() % 5;
        std::vector<MatchCandidate> candidates;
        for (std::size_t a = 0; a < as; ++a)
            for (std::size_t b = 0; b < bs; ++b)
                if (candidates.size() < 14 && rng() % 3 != 0)  // quarters, so that there are many ties
                    candidates.push_back({7 * a, 9 * b, round % 2 ? double(rng() % 5) / 4 : double(rng() % 1000) / 1000});
        std::ranges::shuffle(candidates, rng);
        const std::vector<MatchCandidate> chosen = assign(candidates, Assignment::optimal);
        std::set<std::size_t> used_a, used_b;
        CHECK(sum_of(chosen) == doctest::Approx(best_sum(candidates, 0, used_a, used_b)).epsilon(1e-12));
        check_one_to_one(chosen, candidates);
        std::ranges::shuffle(candidates, rng);
        CHECK(assign(candidates, Assignment::optimal) == chosen);  // the order of the candidates has no effect
    }
}

TEST_CASE("greedy assignments and assignments of many objects to one") {
    const std::vector<MatchCandidate> candidates{{0, 0, 0.6}, {0, 1, 0.5}, {1, 0, 0.5}, {1, 2, 0.1}, {2, 2, 0.1}};
    CHECK(assign(candidates, Assignment::greedy) == std::vector<MatchCandidate>{{0, 0, 0.6}, {1, 2, 0.1}});
    CHECK(assign(candidates, Assignment::optimal) == std::vector<MatchCandidate>{{0, 1, 0.5}, {1, 0, 0.5}, {2, 2, 0.1}});
    CHECK(assign(candidates, Assignment::many) == std::vector<MatchCandidate>{{0, 0, 0.6}, {0, 1, 0.5}, {1, 2, 0.1}});
    CHECK(assign({}, Assignment::optimal).empty());
}

/// Two labellings of a row: 1 and 5 share two voxels, 2 and 5 share one, and 7 shares none.
struct LabelledRow {
    const Extent extent{12, 1, 1};
    const std::vector<std::uint8_t> labels_a{1, 1, 1, 1, 0, 2, 2, 2, 2, 0, 0, 0}, labels_b{0, 0, 5, 5, 5, 5, 0, 0, 0, 0, 7, 7};
    LabelsInMemory<std::uint8_t> a{labels_a, 12, RowSource::Access::concurrent, 1}, b{labels_b, 12, RowSource::Access::concurrent, 1};
    ThreadPool pool{1};
    const LabelOverlap overlap = overlap_of(a, b, extent, pool);
};

TEST_CASE_FIXTURE(LabelledRow, "measures of agreement") {
    CHECK(overlap.pairs == std::vector<SharedVoxels>{{0, 0, 2}, {1, 0, 1}});
    const std::vector<MatchCandidate> partners{{0, 0, 2.0 / 6}};
    const MatchMetrics m = metrics_of(overlap, partners);
    CHECK(m.true_positives == 1);
    CHECK(m.false_positives == 1);
    CHECK(m.false_negatives == 1);
    CHECK(m.precision == 0.5);
    CHECK(m.recall == 0.5);
    CHECK(m.f1 == 0.5);
    CHECK(m.sq == doctest::Approx(2.0 / 6));
    CHECK(m.pq == doctest::Approx(1.0 / 6));
    CHECK(m.mean_dice == doctest::Approx(0.5));
    CHECK(m.dice == doctest::Approx(2 * 3.0 / 14));
    CHECK(m.iou == doctest::Approx(3.0 / 11));

    const MatchMetrics none = metrics_of(overlap, {});
    CHECK(none.f1 == 0);
    CHECK(none.pq == 0);
    CHECK(std::isnan(none.sq));
    const MatchMetrics empty = metrics_of({LabelSums(extent), LabelSums(extent), {}}, {});
    for (const double value : {empty.precision, empty.recall, empty.f1, empty.sq, empty.pq, empty.mean_dice, empty.dice, empty.iou})
        CHECK(std::isnan(value));
}

TEST_CASE_FIXTURE(LabelledRow, "lesion-wise measures") {
    const LesionMetrics all = lesion_metrics_of(overlap);
    CHECK(all.found == 2);
    CHECK(all.missed == 0);
    CHECK(all.false_positives == 1);
    CHECK(all.recall == 1);
    CHECK(all.precision == 0.5);
    CHECK(all.f1 == doctest::Approx(2.0 / 3));
    CHECK(all.dice == doctest::Approx((2 * 2.0 / 8 + 2 * 1.0 / 8 + 0) / 3));

    const LesionMetrics large = lesion_metrics_of(overlap, 5);  // no lesion has 5 voxels; 5 touches small lesions only
    CHECK(large.found + large.missed == 0);
    CHECK(large.false_positives == 1);
    CHECK(std::isnan(large.recall));
    CHECK(large.dice == 0);

    // One dilation joins both lesions, which have 8 voxels together. Object 7 is two columns away and does not touch them.
    const LesionMetrics near = lesion_metrics_of(a, b, extent, {1, Connectivity::c8, 1}, pool);
    CHECK(near.found == 1);
    CHECK(near.false_positives == 1);
    CHECK(near.dice == doctest::Approx(2 * 3.0 / (8 + 4) / 2));
    const LesionMetrics far = lesion_metrics_of(a, b, extent, {2, Connectivity::c8, 9}, pool);
    CHECK(far.found == 0);
    CHECK(far.false_positives == 0);
    CHECK(std::isnan(far.dice));

    const LesionMetrics empty = lesion_metrics_of({LabelSums(extent), LabelSums(extent), {}});
    for (const double value : {empty.recall, empty.precision, empty.f1, empty.dice}) CHECK(std::isnan(value));
}

TEST_CASE("dilated masks") {
    std::mt19937_64 rng(5);
    ThreadPool pool(2);
    for (const Extent extent : {Extent{70, 9, 8}, Extent{64, 7, 1}, Extent{1, 6, 9}, Extent{130, 1, 1}}) {
        std::vector<std::uint8_t> voxels(std::size_t(extent.voxels()));
        for (std::uint8_t& voxel : voxels) voxel = rng() % 60 == 0;
        LabelsInMemory<std::uint8_t> source(voxels, extent.nx, RowSource::Access::concurrent, 3);
        const VolumeBits mask = read_bits(source, extent, 0, Axis::z, Keep::bits);
        std::vector<std::uint8_t> expected = voxels;
        for (std::int64_t steps = 0; steps < 5; ++steps) {
            const VolumeBits after = dilated(mask, steps, pool);
            std::int64_t differences = 0;
            for (std::int64_t row = 0; row < extent.rows(); ++row)
                for (std::int64_t x = 0; x < 64 * mask.words; ++x) {
                    const std::uint8_t bit = after.row(row)[x / 64] >> x % 64 & 1;
                    differences += bit != (x < extent.nx ? expected[std::size_t(row * extent.nx + x)] : 0);
                }
            CHECK(differences == 0);
            const std::vector<std::uint8_t> before = expected;  // one more dilation, voxel by voxel
            const auto at = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
                if (x < 0 || y < 0 || z < 0 || x >= extent.nx || y >= extent.ny || z >= extent.nz) return false;
                return before[std::size_t((z * extent.ny + y) * extent.nx + x)] != 0;
            };
            for (std::int64_t i = 0; i < extent.voxels(); ++i) {
                const std::int64_t x = i % extent.nx, y = i / extent.nx % extent.ny, z = i / extent.nx / extent.ny;
                for (int n = 0; n < 27; ++n) {
                    const int dx = n % 3 - 1, dy = n / 3 % 3 - 1, dz = n / 9 - 1;
                    if (std::abs(dx) + std::abs(dy) + std::abs(dz) < 3 && at(x + dx, y + dy, z + dz)) expected[std::size_t(i)] = 1;
                }
            }
        }
    }
}
