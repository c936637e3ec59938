#include "src/pipeline/matched_objects.h"

#include "src/pipeline/columns.h"
#include "src/pipeline/geometry.h"
#include "src/pipeline/side_tables.h"
#include "src/pipeline/size_limits.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace voxcc {
namespace {

std::array<double, 3> centroid_of(const WideSums& sums, const Extent& extent, const std::optional<World>& world) {
    const Properties properties = describe(sums, extent, world);
    return world ? properties.centroid_mm : properties.centroid;
}

double distance_of(const std::array<double, 3>& a, const std::array<double, 3>& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

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
    const LabelSums& sums;
    ScalarType type;
    const char* name;
    const char* class_without_partner;
    std::vector<std::vector<std::size_t>> partners;
};

}  // namespace

std::vector<std::size_t> ascending_labels(const LabelSums& sums, ScalarType type) {
    const std::vector<std::uint64_t>& labels = sums.labels();
    std::vector<std::size_t> order(labels.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
        return type == ScalarType::u64 ? labels[a] < labels[b] : std::int64_t(labels[a]) < std::int64_t(labels[b]);
    });
    return order;
}

std::vector<std::string> pair_columns(Space space, Units units) {
    return {"label_a", "label_b", "voxels", size_column(space, units), "iou", "dice", "fraction_a", "fraction_b"};
}

void add_pairs(const MatchedVolumes& volumes, io::TableWriter& table) {
    const LabelOverlap& overlap = volumes.overlap;
    const auto places_a = places_in(ascending_labels(overlap.a, volumes.type_a)),
               places_b = places_in(ascending_labels(overlap.b, volumes.type_b));
    std::vector<SharedVoxels> pairs = overlap.pairs;
    std::ranges::sort(pairs, {}, [&](const SharedVoxels& pair) { return std::pair(places_a[pair.a], places_b[pair.b]); });
    for (const SharedVoxels& pair : pairs) {
        const Agreement agreement{overlap.a[pair.a].n, overlap.b[pair.b].n, pair.voxels};
        table.row({label_cell(overlap.a.labels()[pair.a], volumes.type_a), label_cell(overlap.b.labels()[pair.b], volumes.type_b),
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

void add_objects(const MatchedVolumes& volumes, const ObjectChanges* changes, io::TableWriter& table) {
    const LabelOverlap& overlap = volumes.overlap;
    Side a{overlap.a, volumes.type_a, "a", "fn", std::vector<std::vector<std::size_t>>(overlap.a.labels().size())};
    Side b{overlap.b, volumes.type_b, "b", "fp", std::vector<std::vector<std::size_t>>(overlap.b.labels().size())};
    std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> shared;
    for (const SharedVoxels& pair : overlap.pairs) shared[{pair.a, pair.b}] = pair.voxels;
    for (const MatchCandidate& pair : volumes.partners) a.partners[pair.a].push_back(pair.b), b.partners[pair.b].push_back(pair.a);

    for (const auto& [own, other] : {std::pair<const Side&, const Side&>(a, b), {b, a}}) {
        const bool is_a = &own == &a;
        for (const std::size_t row : ascending_labels(own.sums, own.type)) {
            std::vector<io::Cell> cells{std::string(own.name),
                                        label_cell(own.sums.labels()[row], own.type),
                                        own.sums[row].n,
                                        size_cell(double(own.sums[row].n), volumes),
                                        {},
                                        {},
                                        {},
                                        {},
                                        std::string(own.partners[row].empty() ? own.class_without_partner : "tp")};
            // Of several partners, the row shows the one that shares the most voxels; ties: the first.
            std::optional<Agreement> best;
            for (const std::size_t partner : own.partners[row]) {
                const auto found = shared.find(is_a ? std::pair(row, partner) : std::pair(partner, row));
                const std::uint64_t voxels = found == shared.end() ? 0 : found->second;
                if (best && voxels <= best->shared) continue;
                best = Agreement{own.sums[row].n, other.sums[partner].n, voxels};
                cells[4] = label_cell(other.sums.labels()[partner], other.type);
                cells[5] = best->iou(), cells[6] = best->dice();
                if (volumes.world)
                    cells[7] = distance_of(centroid_of(own.sums[row], volumes.extent, volumes.world),
                                           centroid_of(other.sums[partner], volumes.extent, volumes.world));
            }
            if (changes) {
                const ObjectChange& change = is_a ? changes->of_a[row] : changes->of_b[row];
                cells.emplace_back(name_of(change.change));
                cells.push_back(size_cell(double(change.voxels), volumes));
            }
            table.row(cells);
        }
    }
}

}  // namespace voxcc
