// The objects of two label volumes: partners, what became of each object, and the rows of the tables of `voxcc match`.
#pragma once
#include <voxcc/match.h>
#include "io/table.h"
#include "src/options/match_options.h"
#include "src/pipeline/table_form.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace voxcc {

/// Two label volumes of one grid. The rows of all members are rows of `overlap`.
struct MatchedVolumes {
    LabelOverlap overlap;
    ScalarType type_a, type_b;             // of the labels
    Space space;                           // of the objects; in a plane, the tables have areas in place of volumes
    std::optional<World> world;            // of the tables; empty: positions and volumes are n/a
    std::vector<MatchCandidate> partners;  // chosen
};

/// Receives the cells of one row.
using AddRow = std::function<void(std::vector<io::Cell>)>;

// volume, mm -> {label_a, label_b, voxels, volume_mm3, iou, dice, fraction_a, fraction_b}
std::vector<std::string> pair_columns(Space space, Units units);
/// Adds one row per pair of objects that share voxels, in ascending order of the labels.
void add_pairs(const MatchedVolumes& volumes, const AddRow& add_row);

/// {side, label, voxels, volume_mm3, partner, iou, dice, distance_mm, class}; with changes also {change, volume_change_mm3}
std::vector<std::string> object_columns(Space space, Units units, MatchOptions::Changes changes);
/// Adds one row per object of A, then one per object of B, in ascending order of the labels.
/// @param changes null: without these columns
void add_objects(const MatchedVolumes& volumes, const ObjectChanges* changes, const AddRow& add_row);

}  // namespace voxcc
