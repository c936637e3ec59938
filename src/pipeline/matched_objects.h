// The objects of two label volumes: partners, what became of each object, and the rows of the tables of `voxcc match`.
#pragma once
#include <voxcc/match.h>
#include "io/table.h"
#include "src/options/match_options.h"
#include "src/pipeline/table_form.h"

#include <optional>
#include <string>
#include <vector>

namespace voxcc {

/// Two label volumes of one grid. The rows of all members are rows of `overlap`.
struct MatchedVolumes {
    LabelOverlap overlap;
    ScalarType type_a, type_b;  // of the labels
    Extent extent;
    Space space;                           // of the objects; in a plane, the tables have areas in place of volumes
    std::optional<World> world;            // of the tables; empty: positions and volumes are n/a
    std::vector<MatchCandidate> partners;  // chosen
};

/// The rows in ascending order of the labels. @param type of the labels
std::vector<std::size_t> ascending_labels(const LabelSums& sums, ScalarType type);

/// The pairs of objects that fulfil a rule, with scores: the agreement, or for a distance the part of the largest distance that is left.
/// @param world in the unit of the distance; must be set for a distance
std::vector<MatchCandidate> candidates_of(const LabelOverlap& overlap, const Extent& extent, const MatchRule& rule,
                                          const std::optional<World>& world);

/// What became of an object between A and B. Objects are linked if they share voxels.
enum class Change : std::uint8_t { gone, created, unchanged, grown, shrunk, split, merged };
// created -> "new"
std::string name_of(Change change);

struct ObjectChange {
    Change change = Change::unchanged;
    std::int64_t voxels = 0;  // voxels of the linked objects of B minus voxels of the linked objects of A
};
/// The changes of all objects, by row. An object of A without links is gone, and an object of B without links is new. An object of A with
/// several links is split, and so is an object of B whose only link is to such an object. An object of B with several links is merged, and
/// so is an object of A whose only link is to such an object.
struct ObjectChanges {
    std::vector<ObjectChange> of_a, of_b;
};
/// @param least_change an object with one link is unchanged if its number of voxels changes by less than this part, or not at all
ObjectChanges changes_of(const LabelOverlap& overlap, double least_change);

// volume, mm -> {label_a, label_b, voxels, volume_mm3, iou, dice, fraction_a, fraction_b}
std::vector<std::string> pair_columns(Space space, Units units);
/// Adds one row per pair of objects that share voxels, in ascending order of the labels.
void add_pairs(const MatchedVolumes& volumes, io::TableWriter& table);

/// {side, label, voxels, volume_mm3, partner, iou, dice, distance_mm, class}; with changes also {change, volume_change_mm3}
std::vector<std::string> object_columns(Space space, Units units, MatchOptions::Changes changes);
/// Adds one row per object of A, then one per object of B, in ascending order of the labels.
/// @param changes null: without these columns
void add_objects(const MatchedVolumes& volumes, const ObjectChanges* changes, io::TableWriter& table);

}  // namespace voxcc
