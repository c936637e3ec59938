// Tests the component tree against labellings of all thresholds of random volumes.
#include <voxcc/label.h>
#include <voxcc/tree.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>

using namespace voxcc;

namespace {

using Extrema = TreeRule::Extrema;

/// The components of one threshold, labelled by the engine.
struct Labels {
    std::uint64_t count = 0;
    std::vector<std::uint32_t> labels;
    std::vector<std::uint64_t> sizes;  // by label
};

Labels labels_from(const std::vector<double>& values, const Extent& extent, Connectivity connectivity, double threshold) {
    std::vector<std::uint8_t> foreground(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) foreground[i] = values[i] >= threshold;
    const auto labelling = label(view(foreground.data(), extent), {.connectivity = reduced(connectivity, extent)}, {.threads = 1});
    Labels result{labelling->count(), std::vector<std::uint32_t>(values.size()), {}};
    labelling->paint(result.labels.data());
    result.sizes.resize(result.count + 1);
    for (const std::uint32_t number : result.labels) ++result.sizes[number];
    return result;
}

/// What all thresholds of a volume give.
struct Model {
    std::vector<double> enhanced;
    std::vector<ThresholdCount> counts;
    std::map<std::size_t, std::vector<double>> opened;  // by least number of voxels
    std::map<std::uint32_t, double> deaths;             // by first voxel of the maximum; NaN: never
};

/// @param values NaN outside the tree
Model model_of(const std::vector<double>& values, const Extent& extent, Connectivity connectivity, const TfceRule& rule) {
    std::set<double> thresholds;
    for (const double value : values)
        if (value == value) thresholds.insert(value);
    Model model;
    model.enhanced.assign(values.size(), 0);
    for (const std::size_t least : {1, 2, 5}) model.opened[least].assign(values.size(), 0);
    double below = 0;
    for (const double threshold : thresholds) {
        const Labels labels = labels_from(values, extent, connectivity, threshold);
        model.counts.push_back({threshold, labels.count, values.size() - labels.sizes[0]});
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (labels.labels[i] == 0) continue;
            const std::uint64_t size = labels.sizes[labels.labels[i]];
            const double integral = (std::pow(threshold, rule.h + 1) - std::pow(below, rule.h + 1)) / (rule.h + 1);
            model.enhanced[i] += std::pow(double(size), rule.e) * integral;
            for (auto& [least, opened] : model.opened)
                if (size >= least) opened[i] = threshold;
        }
        below = threshold;
    }
    for (auto threshold = thresholds.rbegin(); threshold != thresholds.rend(); ++threshold) {
        const Labels labels = labels_from(values, extent, connectivity, *threshold);
        std::map<std::uint32_t, std::uint32_t> peaks;  // by label
        for (std::uint32_t i = 0; i < values.size(); ++i) {
            if (labels.labels[i] == 0) continue;
            const auto [peak, is_new] = peaks.try_emplace(labels.labels[i], i);
            if (!is_new && values[i] > values[peak->second]) peak->second = i;
        }
        for (const auto& [number, peak] : peaks) model.deaths.try_emplace(peak, std::nan(""));
        for (auto& [peak, death] : model.deaths)
            if (std::isnan(death) && peaks[labels.labels[peak]] != peak) death = *threshold;
    }
    return model;
}

template <class T>
void check_volume(const std::vector<T>& values, const Extent& extent, const TreeRule& rule) {
    const double sign = rule.extrema == Extrema::minima ? -1 : 1;
    std::vector<double> in_tree(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool is_in = rule.values == TreeRule::Values::all || sign * double(values[i]) > 0;
        in_tree[i] = is_in && (!rule.mask || rule.mask[i]) ? sign * double(values[i]) : std::nan("");
    }
    const TfceRule tfce{.e = 0.7, .h = 1.5, .step = {}};
    const Model model = model_of(in_tree, extent, rule.connectivity, tfce);
    const ComponentTree tree = component_tree(view(values.data(), extent), rule);
    CHECK(counts_of(tree) == model.counts);
    if (rule.values == TreeRule::Values::above_zero) {
        std::vector<double> enhanced(values.size());
        write_tfce(tree, tfce, std::span(enhanced));
        for (std::size_t i = 0; i < values.size(); ++i) CHECK(sign * enhanced[i] == doctest::Approx(model.enhanced[i]).epsilon(1e-9));
    }
    for (const auto& [least, expected] : model.opened) {
        std::vector<T> opened(values.size(), T(7));
        write_area_opening(tree, least, reinterpret_cast<std::byte*>(opened.data()));
        CHECK(std::ranges::equal(opened, expected, {}, [&](T value) { return sign * double(value); }));
    }
    const std::vector<Branch> branches = branches_of(tree);
    CHECK(branches.size() == model.deaths.size());
    for (const Branch& branch : branches) {
        const double death = model.deaths.at(tree.voxel(branch.node));
        CHECK(branch.death.has_value() == !std::isnan(death));
        if (branch.death) CHECK(*branch.death == death);
        CHECK(branch.birth == in_tree[tree.voxel(branch.node)]);
        if (branch.parent) CHECK(branches[*branch.parent].birth >= branch.birth);
    }
    CHECK(std::ranges::is_sorted(branches, [&](const Branch& a, const Branch& b) {
        return a.birth != b.birth ? a.birth > b.birth : tree.voxel(a.node) < tree.voxel(b.node);
    }));
}

template <class T>
std::vector<T> drawn(std::mt19937_64& draws, std::size_t count, int range) {
    std::vector<T> values(count);
    for (T& value : values) {
        const auto number = std::int64_t(draws() % std::uint64_t(2 * range + 1)) - (std::is_unsigned_v<T> ? 0 : range);
        value = std::is_floating_point_v<T> ? T(double(number) / 3) : T(number);
    }
    return values;
}

}  // namespace

TEST_CASE("tree: random volumes of all types, with few and with many values, against the labels of all thresholds") {
    std::mt19937_64 draws(7);
    const std::array connectivities{Connectivity::c4, Connectivity::c8, Connectivity::c6, Connectivity::c18, Connectivity::c26};
    for (int round = 0; round < 60; ++round) {
        const Extent extent{std::int64_t(1 + draws() % 6), std::int64_t(1 + draws() % 5), std::int64_t(1 + draws() % 4)};
        std::vector<std::uint8_t> mask(std::size_t(extent.voxels()));
        for (std::uint8_t& voxel : mask) voxel = draws() % 4 != 0;
        const TreeRule rule{connectivities[draws() % 5], draws() % 2 ? Extrema::minima : Extrema::maxima,
                            draws() % 2 ? TreeRule::Values::above_zero : TreeRule::Values::all, draws() % 3 ? nullptr : mask.data()};
        const int range = draws() % 2 ? 3 : 60;
        const auto scalar = ScalarType(round % 10);
        CAPTURE(name_of(scalar));
        visit_scalar(scalar, [&]<class T>(std::type_identity<T>) { check_volume(drawn<T>(draws, mask.size(), range), extent, rule); });
    }
}

TEST_CASE("tree: 64-bit values that differ in their lowest and in their highest bits") {
    std::mt19937_64 draws(3);
    std::vector<std::uint64_t> values(60);
    for (std::uint64_t& value : values) value = (std::uint64_t{1} << 63) * (draws() % 2) + draws() % 5;
    const ComponentTree tree = component_tree(view(values.data(), {5, 4, 3}), {});
    for (ComponentTree::Place place = 1; place < tree.size(); ++place) {
        const auto before = std::pair(values[tree.voxel(place - 1)], tree.voxel(place - 1));
        CHECK(before < std::pair(values[tree.voxel(place)], tree.voxel(place)));
        if (tree.is_node(place) && tree.link(place) != ComponentTree::none)
            CHECK(values[tree.voxel(tree.link(place))] < values[tree.voxel(place)]);
        if (!tree.is_node(place)) CHECK(values[tree.voxel(tree.link(place))] == values[tree.voxel(place)]);
    }
}

TEST_CASE("tree: NaN and -0, empty trees, infinite values and memory") {
    const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
    const std::vector<float> values{nan, -0.f, 0.f, nan, 2.f, 2.f};
    const ComponentTree tree = component_tree(view(values.data(), {6, 1, 1}), {});
    CHECK(tree.size() == 4);
    CHECK(counts_of(tree) == std::vector<ThresholdCount>{{0, 2, 4}, {2, 1, 2}});
    CHECK(component_sizes(tree) == std::vector<std::uint32_t>{2, 0, 2, 0});

    const std::vector<float> empty(4, nan);
    const ComponentTree none = component_tree(view(empty.data(), {4, 1, 1}), {});
    CHECK(none.size() == 0);
    CHECK(branches_of(none).empty());
    CHECK(counts_of(none).empty());

    const std::vector<float> infinite{1, -infinity};
    CHECK_THROWS_AS(component_tree(view(infinite.data(), {2, 1, 1}), {}), Error);
    CHECK(component_tree(view(infinite.data(), {2, 1, 1}), {.values = TreeRule::Values::above_zero}).size() == 1);
    CHECK_THROWS_AS(component_tree(view(values.data(), {6, 1, 1}), {}, {.most_bytes = 10}), Error);
    CHECK(tree_bytes({2, 2, 1}, Connectivity::c26, 3) == 124);
}

TEST_CASE("tree: enhancement in steps") {
    const std::vector<float> values{1, 2, 2, 0, 1.5};
    const ComponentTree tree = component_tree(view(values.data(), {5, 1, 1}), {.values = TreeRule::Values::above_zero});
    std::vector<double> enhanced(5);
    write_tfce(tree, {.e = 1, .h = 0, .step = {}}, std::span(enhanced));
    CHECK(enhanced == std::vector<double>{3, 5, 5, 0, 1.5});
    write_tfce(tree, {.e = 1, .h = 1, .step = 1}, std::span(enhanced));
    CHECK(enhanced == std::vector<double>{3, 3 + 2 * 2, 3 + 2 * 2, 0, 1});
    CHECK_THROWS_AS(write_tfce(tree, {.e = -1, .step = {}}, std::span(enhanced)), Error);
    CHECK_THROWS_AS(write_tfce(tree, {.step = 0}, std::span(enhanced)), Error);
    CHECK_THROWS_AS(write_tfce(tree, {.step = 1e-9}, std::span(enhanced)), Error);
}

TEST_CASE("tree: dynamics, h-maxima and counts at thresholds") {
    const std::vector<std::int16_t> values{3, 1, 2, 0, 2};
    const ComponentTree tree = component_tree(view(values.data(), {5, 1, 1}), {});
    const std::vector<Branch> branches = branches_of(tree);
    std::vector<double> dynamics(5);
    write_dynamics(tree, branches, std::span(dynamics));
    CHECK(dynamics == std::vector<double>{3, 0, 1, 0, 2});
    std::vector<std::uint8_t> maxima(5);
    write_h_maxima(tree, branches, 2, maxima);
    CHECK(maxima == std::vector<std::uint8_t>{1, 0, 0, 0, 1});
    write_h_maxima(tree, branches, 3.5, maxima);
    CHECK(maxima == std::vector<std::uint8_t>{0, 0, 0, 0, 0});
    const std::vector<std::int16_t> equal{3, 2, 3, 0, 4};
    const std::vector<Branch> joined = branches_of(component_tree(view(equal.data(), {5, 1, 1}), {}));
    CHECK(joined.size() == 3);
    CHECK(joined[1].death == 0);  // the first of the equal maxima
    CHECK(joined[1].dynamics == 3);
    CHECK(joined[2].death == 2);
    CHECK(joined[2].dynamics == 3);
    const std::vector<double> thresholds{1.5, 9};
    CHECK(counts_at(counts_of(tree), thresholds) == std::vector<ThresholdCount>{{1.5, 3, 3}, {9, 0, 0}});
}
