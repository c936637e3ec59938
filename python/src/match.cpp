#include "python/src/match.h"

#include "python/src/gil.h"
#include "python/src/signals.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace voxcc::python {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// The objects of one image, by row.
struct Objects {
    const LabelSums& sums;
    ScalarType type;
    const std::vector<ObjectChange>& changes;
    const std::vector<std::optional<Partner>>& partners;
};

nb::dict columns_of(const Objects& own, const Objects& other, const World& world) {
    const std::vector<std::size_t> order = ascending_labels(own.sums.labels(), own.type);
    Columns columns(order.size());
    const auto partner = [&](std::size_t row) { return own.partners[order[row]]; };
    const auto agreement = [&](std::size_t row) {
        return Agreement{own.sums[order[row]].n, other.sums[partner(row)->row].n, partner(row)->shared};
    };
    const auto add_real = [&](const char* name, const auto& value) {
        columns.add<double>(name, [&](std::size_t row) { return partner(row) ? value(row) : none; });
    };
    add_labels(columns, "label", own.type, [&](std::size_t row) { return own.sums.labels()[order[row]]; });
    columns.add<std::uint64_t>("voxels", [&](std::size_t row) { return own.sums[order[row]].n; });
    columns.add<bool>("has_partner", [&](std::size_t row) { return partner(row).has_value(); });
    add_labels(columns, "partner", other.type, [&](std::size_t row) { return partner(row) ? other.sums.labels()[partner(row)->row] : 0; });
    add_real("iou", [&](std::size_t row) { return agreement(row).iou(); });
    add_real("dice", [&](std::size_t row) { return agreement(row).dice(); });
    add_real("distance", [&](std::size_t row) {
        return distance_between(centroid_of(own.sums[order[row]], world), centroid_of(other.sums[partner(row)->row], world));
    });
    columns.add<std::uint8_t>("change", [&](std::size_t row) { return own.changes[order[row]].change; });
    columns.add<std::int64_t>("voxel_change", [&](std::size_t row) { return own.changes[order[row]].voxels; });
    return columns.dict();
}

nb::dict columns_of_pairs(const LabelOverlap& overlap, const Objects& a, const Objects& b) {
    const auto places_of = [](const std::vector<std::size_t>& order) {
        std::vector<std::size_t> places(order.size());
        for (std::size_t place = 0; place < order.size(); ++place) places[order[place]] = place;
        return places;
    };
    const std::vector<std::size_t> places_a = places_of(ascending_labels(a.sums.labels(), a.type)),
                                   places_b = places_of(ascending_labels(b.sums.labels(), b.type));
    std::vector<SharedVoxels> pairs = overlap.pairs;
    std::ranges::sort(pairs, {}, [&](const SharedVoxels& pair) { return std::pair(places_a[pair.a], places_b[pair.b]); });
    Columns columns(pairs.size());
    const auto agreement = [&](std::size_t row) {
        return Agreement{overlap.a[pairs[row].a].n, overlap.b[pairs[row].b].n, pairs[row].voxels};
    };
    add_labels(columns, "a", a.type, [&](std::size_t row) { return overlap.a.labels()[pairs[row].a]; });
    add_labels(columns, "b", b.type, [&](std::size_t row) { return overlap.b.labels()[pairs[row].b]; });
    columns.add<std::uint64_t>("voxels", [&](std::size_t row) { return pairs[row].voxels; });
    columns.add<double>("iou", [&](std::size_t row) { return agreement(row).iou(); });
    columns.add<double>("dice", [&](std::size_t row) { return agreement(row).dice(); });
    columns.add<double>("fraction_a", [&](std::size_t row) { return double(agreement(row).shared) / double(agreement(row).a); });
    columns.add<double>("fraction_b", [&](std::size_t row) { return double(agreement(row).shared) / double(agreement(row).b); });
    return columns.dict();
}

nb::dict dict_of(const MatchMetrics& m, const LesionMetrics& lesions) {
    nb::dict metrics;
    metrics["tp"] = m.true_positives, metrics["fp"] = m.false_positives, metrics["fn"] = m.false_negatives;
    metrics["precision"] = m.precision, metrics["recall"] = m.recall, metrics["f1"] = m.f1, metrics["rq"] = m.f1;
    metrics["sq"] = m.sq, metrics["pq"] = m.pq, metrics["mean_dice"] = m.mean_dice;
    metrics["dice"] = m.dice, metrics["iou"] = m.iou;
    metrics["lesion_tp"] = lesions.found, metrics["lesion_fp"] = lesions.false_positives, metrics["lesion_fn"] = lesions.missed;
    metrics["lesion_precision"] = lesions.precision, metrics["lesion_recall"] = lesions.recall;
    metrics["lesion_f1"] = lesions.f1, metrics["lesion_dice"] = lesions.dice;
    return metrics;
}

struct Types {
    ScalarType a, b;
};

/// @param find_overlap, find_lesions called without the GIL; find_lesions(overlap) returns LesionMetrics
template <class FindOverlap, class FindLesions>
nb::dict match_objects(const FindOverlap& find_overlap, const FindLesions& find_lesions, const Types& types, const Matching& matching,
                       const World& world) {
    struct Matched {
        LabelOverlap overlap;
        std::vector<MatchCandidate> partners;
        MatchMetrics metrics;
        LesionMetrics lesions;
        ObjectChanges changes;
    };
    const Matched matched = [&] {
        const WithoutGil no_gil;
        LabelOverlap overlap = find_overlap();
        std::vector<MatchCandidate> partners = assign(candidates_of(overlap, matching.rule, world), matching.assignment);
        const MatchMetrics metrics = metrics_of(overlap, partners);
        const LesionMetrics lesions = find_lesions(overlap);
        ObjectChanges changes = changes_of(overlap, matching.least_change);
        return Matched{std::move(overlap), std::move(partners), metrics, lesions, std::move(changes)};
    }();
    const Partners partners = partners_of(matched.overlap, matched.partners);
    const Objects of_a{matched.overlap.a, types.a, matched.changes.of_a, partners.of_a},
        of_b{matched.overlap.b, types.b, matched.changes.of_b, partners.of_b};
    nb::dict result;
    result["pairs"] = columns_of_pairs(matched.overlap, of_a, of_b);
    result["objects_a"] = columns_of(of_a, of_b, world);
    result["objects_b"] = columns_of(of_b, of_a, world);
    result["metrics"] = dict_of(matched.metrics, matched.lesions);
    return result;
}

}  // namespace

nb::dict match_labels(const Array& a, const Array& b, const Matching& matching, std::int64_t dilation, const Spacing& spacing,
                      int threads) {
    const Axes axes(a, Order::c, Axes::none);
    Signals signals;
    const ArrayRows arrays({&a, &b}, axes, signals);
    RowSource &rows_a = *arrays.rows()[0], &rows_b = *arrays.rows()[1];
    threads = threads_of_call(threads, a.bytes() + b.bytes());
    const auto find_overlap = [&] {
        CallPool pool(threads);
        return overlap_of(rows_a, rows_b, axes.extent, pool);
    };
    const auto find_lesions = [&](const LabelOverlap& overlap) {
        if (dilation == 0) return lesion_metrics_of(overlap, matching.min_lesion);
        CallPool pool(threads);
        const Connectivity connectivity = axes.extent.nz == 1 ? Connectivity::c8 : Connectivity::c26;
        return lesion_metrics_of(rows_a, rows_b, axes.extent, {dilation, connectivity, matching.min_lesion}, pool);
    };
    return match_objects(find_overlap, find_lesions, {a.type(), b.type()}, matching,
                         ShapeFrame(axes, a.dimensions(), Axes::none, spacing).engine_world());
}

nb::dict match_on_device(const DeviceArray& a, const DeviceVoxels& b, const Matching& matching, const Spacing& spacing) {
    const Axes axes(a.shape, a.layout, Axes::none);
    const auto find_overlap = [&] {
        return overlap_on_stream(volume_of(a, {a.address, a.type}, axes.extent), volume_of(a, b, axes.extent));
    };
    const auto find_lesions = [&](const LabelOverlap& overlap) { return lesion_metrics_of(overlap, matching.min_lesion); };
    const World world = ShapeFrame(axes, int(a.shape.size()), Axes::none, spacing).engine_world();
    return match_objects(find_overlap, find_lesions, {a.type, b.type}, matching, world);
}

}  // namespace voxcc::python
