#include "src/pipeline/track_tables.h"

#include "src/pipeline/columns.h"
#include "src/pipeline/side_tables.h"

#include <algorithm>

namespace voxcc {
namespace {

/// The position of an object in a frame. @param objects in ascending order of the labels
std::size_t place_of(const std::vector<TrackedObject>& objects, std::uint64_t label) {
    return std::size_t(std::ranges::lower_bound(objects, label, {}, &TrackedObject::label) - objects.begin());
}

Agreement agreement_of(const FramePair& pair, const FrameLink& link) {
    return {pair.overlap.a[link.a].n, pair.overlap.b[link.b].n, link.voxels};
}

std::string length_column(const char* word, Units units) { return std::string(word) + "_" + unit_of(Quantity::length, units).page; }

/// A word of NGFF; empty if the unit is not known.
std::string axis_unit(const SeriesForm& form) {
    if (!form.world || form.units == Units::voxel) return "pixel";
    const std::optional<io::LengthUnit> unit = length_unit_of(form.units);
    return unit ? io::unit_word(*unit) : "";
}

}  // namespace

TrackForm track_form(const std::string& path) {
    return io::is_geff(path) ? TrackForm::geff : path.ends_with(".txt") ? TrackForm::ctc : TrackForm::table;
}

std::vector<std::string> link_columns(Units units) {
    return {"frame", "label", "next_frame", "next_label", "kind", "voxels", "iou", length_column("distance", units), "track", "next_track"};
}

void add_links(const FramePair& pair, const SeriesForm& form, io::TableWriter& table) {
    for (const FrameLink& link : pair.links) {
        const std::uint64_t label = pair.overlap.a.labels()[link.a], next = pair.overlap.b.labels()[link.b];
        io::Cell distance;
        if (form.world)
            distance = distance_between(centroid_of(pair.overlap.a[link.a], form.world), centroid_of(pair.overlap.b[link.b], form.world));
        table.row({pair.frame, label_cell(label, form.type), pair.frame + 1, label_cell(next, form.type), name_of(link.kind), link.voxels,
                   agreement_of(pair, link).iou(), distance, pair.before[place_of(pair.before, label)].track,
                   pair.after[place_of(pair.after, next)].track});
    }
}

std::vector<std::string> track_columns(Units units) {
    return {"track", "first_frame", "last_frame", "frames",      "parent",
            "tree",  "begins",      "ends",       "mean_voxels", length_column("path", units)};
}

void add_tracks(const std::vector<Track>& tracks, const SeriesForm& form, io::TableWriter& table) {
    std::uint64_t number = 0;
    for (const Track& track : tracks)
        table.row({++number, track.first, track.last, track.frames(), track.parent, track.tree, name_of(track.begin), name_of(track.end),
                   double(track.voxels) / double(track.frames()), form.world ? io::Cell(track.length) : io::Cell()});
}

std::string ctc_text(const std::vector<Track>& tracks) {
    std::string text;
    std::uint64_t number = 0;
    for (const Track& track : tracks) {
        text += std::to_string(++number) + " " + std::to_string(track.first);
        text += " " + std::to_string(track.last) + " " + std::to_string(track.parent) + "\n";
    }
    return text;
}

void TrackGraph::add(const FramePair& pair) {
    if (pair.frame == 0) add_nodes(0, pair.overlap.a, pair.before);
    const std::size_t end = labels_.size(), first = end - pair.before.size();  // nodes of the frame
    add_nodes(pair.frame + 1, pair.overlap.b, pair.after);
    for (const FrameLink& link : pair.links) {
        edges_.push_back(
            {first + place_of(pair.before, pair.overlap.a.labels()[link.a]), end + place_of(pair.after, pair.overlap.b.labels()[link.b])});
        shared_.push_back(link.voxels), ious_.push_back(agreement_of(pair, link).iou());
    }
}

void TrackGraph::add_nodes(std::int64_t frame, const LabelSums& sums, const std::vector<TrackedObject>& objects) {
    std::vector<std::size_t> rows(objects.size());
    for (std::size_t row = 0; row < rows.size(); ++row) rows[place_of(objects, sums.labels()[row])] = row;
    for (std::size_t place = 0; place < objects.size(); ++place) {
        const WideSums object = sums[rows[place]];
        const std::array<double, 3> centroid = centroid_of(object, form_.world);
        for (std::size_t axis = 0; axis < 3; ++axis) positions_[axis].push_back(centroid[axis]);
        frames_.push_back(std::uint64_t(frame)), labels_.push_back(objects[place].label);
        tracks_.push_back(objects[place].track), voxels_.push_back(object.n);
    }
}

io::Graph TrackGraph::graph(const std::vector<Track>& tracks) const {
    using Type = io::GraphAxis::Type;
    io::Graph graph{.edges = edges_, .tracklet = "track", .lineage = "tree", .nodes = labels_.size()};
    graph.axes.push_back({"t", Type::time, "frame"}), graph.of_nodes.push_back({"t", frames_});
    for (const std::size_t axis : {2, 1, 0}) {
        if (axis == 2 && form_.space == Space::plane) continue;
        const std::string name(1, "xyz"[axis]);
        graph.axes.push_back({name, Type::space, axis_unit(form_)}), graph.of_nodes.push_back({name, positions_[axis]});
    }
    std::vector<std::uint64_t> trees;
    for (const std::uint64_t track : tracks_) trees.push_back(tracks[track - 1].tree);
    if (form_.type == ScalarType::u64) graph.of_nodes.push_back({"label", labels_});
    else graph.of_nodes.push_back({"label", std::vector<std::int64_t>(labels_.begin(), labels_.end())});
    graph.of_nodes.insert(graph.of_nodes.end(), {{"track", tracks_}, {"tree", trees}, {"voxels", voxels_}});
    graph.of_edges = {{"voxels", shared_}, {"iou", ious_}};
    return graph;
}

}  // namespace voxcc
