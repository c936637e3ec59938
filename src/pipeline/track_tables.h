// The results of `voxcc match` for a series: the rows of its tables, and the forms that tracking programs read.
#pragma once
#include <voxcc/match.h>
#include "io/geff.h"
#include "io/table.h"
#include "src/pipeline/table_form.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace voxcc {

/// The forms of --tracks, by extension: .txt of the Cell Tracking Challenge, .geff, and tables.
enum class TrackForm : std::uint8_t { table, ctc, geff };
TrackForm track_form(const std::string& path);

/// A frame of a series and the next one.
struct FramePair {
    std::int64_t frame = 0;  // the first of the two, from 0 on
    const LabelOverlap& overlap;
    std::span<const FrameLink> links;
    const std::vector<TrackedObject>&before, &after;  // the objects of both
};

/// What all frames of a series have in common.
struct SeriesForm {
    ScalarType type = ScalarType::u8;  // of the labels
    Space space = Space::volume;
    Units units = Units::mm;
    std::optional<World> world = {};  // empty: positions are n/a
};

// mm -> {frame, label, next_frame, next_label, kind, voxels, iou, distance_mm, track, next_track}
std::vector<std::string> link_columns(Units units);
/// Adds one row per link, in the order of the links.
void add_links(const FramePair& pair, const SeriesForm& form, io::TableWriter& table);

// mm -> {track, first_frame, last_frame, frames, parent, tree, begins, ends, mean_voxels, path_mm}
std::vector<std::string> track_columns(Units units);
/// Adds one row per track.
void add_tracks(const std::vector<Track>& tracks, const SeriesForm& form, io::TableWriter& table);

/// The text of the Cell Tracking Challenge: "L B E P" per track, where L is its number, B and E are its first and last frame, and P is its
/// parent or 0.
// {0, 4}, {5, 9, parent 1}  ->  "1 0 4 0\n2 5 9 1\n"
std::string ctc_text(const std::vector<Track>& tracks);

/// Collects the graph of a series: one node per object, in the order of (frame, label), and one edge per link. Memory: about 60 bytes per
/// object and 32 per link.
class TrackGraph {
public:
    explicit TrackGraph(SeriesForm form) : form_(std::move(form)) {}
    /// The pairs must be added in the order of the frames.
    void add(const FramePair& pair);
    /// Nodes have the properties t, z (not in a plane), y, x, label, track, tree and voxels; edges have voxels and iou. Positions are voxel
    /// indices if the form has no world.
    io::Graph graph(const std::vector<Track>& tracks) const;

private:
    void add_nodes(std::int64_t frame, const LabelSums& sums, const std::vector<TrackedObject>& objects);
    SeriesForm form_;
    std::vector<std::uint64_t> frames_, labels_, tracks_, voxels_;  // of the nodes
    std::array<std::vector<double>, 3> positions_;                  // x, y, z
    std::vector<std::array<std::uint64_t, 2>> edges_;
    std::vector<std::uint64_t> shared_;
    std::vector<double> ious_;
};

}  // namespace voxcc
