#include "src/pipeline/matched_objects.h"

#include "src/pipeline/columns.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/label_bits.h"
#include "src/pipeline/side_tables.h"
#include "src/pipeline/size_limits.h"

#include <algorithm>
#include <cmath>

namespace voxcc {
namespace {

/// The place of each row in an order.
std::vector<std::size_t> places_in(const std::vector<std::size_t>& order) {
    std::vector<std::size_t> places(order.size());
    for (std::size_t place = 0; place < order.size(); ++place) places[order[place]] = place;
    return places;
}

/// The volume of some voxels, or their area in a plane.
io::Cell size_cell(double voxels, const MatchedVolumes& volumes) {
    if (!volumes.world) return {};
    const double size = voxels * voxel_size(*volumes.world, volumes.space, Axis::z);
    return std::isfinite(size) ? io::Cell(size) : io::Cell();
}

/// "volume_mm3" or "area_mm2"; with a word: "volume_change_mm3"
std::string size_column(Space space, Units units, const std::string& word = "") {
    const bool is_plane = space == Space::plane;
    return (is_plane ? "area_" : "volume_") + word + unit_of(is_plane ? Quantity::area : Quantity::volume, units).page;
}

/// One of the two volumes, and the partners of its objects by row.
struct Side {
    const char* name;
    const char* class_without_partner;
    const LabelSums& sums;
    ScalarType type;
    const std::vector<std::optional<Partner>>& partners;
    const std::vector<ObjectChange>* changes;  // null: without these columns
};

void add_objects(const Side& own, const Side& other, const MatchedVolumes& volumes, const AddRow& add_row) {
    for (const std::size_t row : ascending_labels(own.sums.labels(), own.type)) {
        const WideSums object = own.sums[row];
        const std::optional<Partner>& partner = own.partners[row];
        std::vector<io::Cell> cells{std::string(own.name), label_cell(own.sums.labels()[row], own.type), object.n,
                                    size_cell(double(object.n), volumes)};
        if (partner) {
            const WideSums with = other.sums[partner->row];
            const Agreement agreement{object.n, with.n, partner->shared};
            cells.push_back(label_cell(other.sums.labels()[partner->row], other.type));
            cells.emplace_back(agreement.iou()), cells.emplace_back(agreement.dice()), cells.emplace_back();
            if (volumes.world) cells.back() = distance_between(centroid_of(object, volumes.world), centroid_of(with, volumes.world));
            cells.emplace_back(std::string("tp"));
        } else {
            cells.resize(cells.size() + 4);
            cells.emplace_back(std::string(own.class_without_partner));
        }
        if (own.changes) {
            const ObjectChange& change = (*own.changes)[row];
            cells.emplace_back(name_of(change.change)), cells.push_back(size_cell(double(change.voxels), volumes));
        }
        add_row(std::move(cells));
    }
}

}  // namespace

std::vector<std::string> pair_columns(Space space, Units units) {
    return {"label_a", "label_b", "voxels", size_column(space, units), "iou", "dice", "fraction_a", "fraction_b"};
}

void add_pairs(const MatchedVolumes& volumes, const AddRow& add_row) {
    const LabelOverlap& overlap = volumes.overlap;
    const auto places_a = places_in(ascending_labels(overlap.a.labels(), volumes.type_a)),
               places_b = places_in(ascending_labels(overlap.b.labels(), volumes.type_b));
    std::vector<SharedVoxels> pairs = overlap.pairs;
    std::ranges::sort(pairs, {}, [&](const SharedVoxels& pair) { return std::pair(places_a[pair.a], places_b[pair.b]); });
    for (const SharedVoxels& pair : pairs) {
        const Agreement agreement{overlap.a[pair.a].n, overlap.b[pair.b].n, pair.voxels};
        add_row({label_cell(overlap.a.labels()[pair.a], volumes.type_a), label_cell(overlap.b.labels()[pair.b], volumes.type_b),
                 pair.voxels, size_cell(double(pair.voxels), volumes), agreement.iou(), agreement.dice(),
                 double(pair.voxels) / double(agreement.a), double(pair.voxels) / double(agreement.b)});
    }
}

std::vector<std::string> object_columns(Space space, Units units, MatchOptions::Changes changes) {
    const std::string length = unit_of(Quantity::length, units).page;
    std::vector<std::string> columns{"side", "label", "voxels", size_column(space, units), "partner", "iou", "dice", "distance_" + length,
                                     "class"};
    if (changes == MatchOptions::Changes::add) columns.insert(columns.end(), {"change", size_column(space, units, "change_")});
    return columns;
}

void add_objects(const MatchedVolumes& volumes, const ObjectChanges* changes, const AddRow& add_row) {
    const LabelOverlap& overlap = volumes.overlap;
    const Partners partners = partners_of(overlap, volumes.partners);
    const Side a{"a", "fn", overlap.a, volumes.type_a, partners.of_a, changes ? &changes->of_a : nullptr};
    const Side b{"b", "fp", overlap.b, volumes.type_b, partners.of_b, changes ? &changes->of_b : nullptr};
    add_objects(a, b, volumes, add_row);
    add_objects(b, a, volumes, add_row);
}

}  // namespace voxcc
