#include <voxcc/match.h>

#include <algorithm>

namespace voxcc {
namespace {

/// The number of the track of an object of a frame. @param objects in ascending order of the labels
std::uint64_t track_of(const std::vector<TrackedObject>& objects, std::uint64_t label) {
    return std::ranges::lower_bound(objects, label, {}, &TrackedObject::label)->track;
}

}  // namespace

std::string name_of(Track::Begin begin) {
    constexpr std::array names{"start", "new", "split", "merge"};
    return names[std::size_t(begin)];
}

std::string name_of(Track::End end) {
    constexpr std::array names{"end", "gone", "split", "merge"};
    return names[std::size_t(end)];
}

Tracks::Tracks(const LabelSums& first, const std::optional<World>& world) : world_(world) {
    for (std::size_t row = 0; row < first.labels().size(); ++row)
        objects_.push_back({first.labels()[row], begin({.voxels = first[row].n})});
}

void Tracks::add(const LabelOverlap& overlap, std::span<const FrameLink> links) {
    ++frame_;
    const auto &labels_a = overlap.a.labels(), &labels_b = overlap.b.labels();
    std::vector<const FrameLink*> before(labels_b.size(), nullptr);  // the link of each object to its parent, or to its own track
    std::vector<Track::End> ends(labels_a.size(), Track::End::gone);
    for (const FrameLink& link : links) {  // in the order of the labels, so that the first of equals stays
        if (!before[link.b] || link.voxels > before[link.b]->voxels) before[link.b] = &link;
        ends[link.a] = link.kind == LinkKind::partner ? Track::End::end
                       : link.kind == LinkKind::merge ? Track::End::merge
                                                      : Track::End::split;
    }
    for (std::size_t a = 0; a < labels_a.size(); ++a) tracks_[track_of(objects_, labels_a[a]) - 1].end = ends[a];

    std::vector<std::uint64_t> numbers(labels_b.size());
    std::vector<TrackedObject> objects;
    for (std::size_t b = 0; b < labels_b.size(); ++b) {
        const FrameLink* const link = before[b];
        std::uint64_t& number = numbers[b];
        if (!link) {
            number = begin({.first = frame_, .begin = Track::Begin::created});
        } else if (number = track_of(objects_, labels_a[link->a]); link->kind == LinkKind::partner) {
            tracks_[number - 1].length += distance_between(centroid_of(overlap.a[link->a], world_), centroid_of(overlap.b[b], world_));
        } else {
            const auto how = link->kind == LinkKind::split ? Track::Begin::split : Track::Begin::merge;
            number = begin({.first = frame_, .parent = number, .begin = how});
        }
        Track& track = tracks_[number - 1];
        track.last = frame_, track.voxels += overlap.b[b].n;
        objects.push_back({labels_b[b], number});
    }
    for (const FrameLink& link : links) unite(track_of(objects_, labels_a[link.a]), numbers[link.b]);
    objects_ = std::move(objects);
}

std::vector<Track> Tracks::tracks() const {
    std::vector<Track> tracks = tracks_;
    for (std::size_t i = 0; i < tracks.size(); ++i) tracks[i].tree = trees_[i] == i + 1 ? i + 1 : tracks[trees_[i] - 1].tree;
    return tracks;
}

std::uint64_t Tracks::begin(const Track& track) {
    tracks_.push_back(track);
    trees_.push_back(tracks_.size());
    return tracks_.size();
}

/// Halves the path to the root.
std::uint64_t Tracks::tree_of(std::uint64_t track) {
    while (trees_[track - 1] != track) track = trees_[track - 1] = trees_[trees_[track - 1] - 1];
    return track;
}

/// The smaller number becomes the root.
void Tracks::unite(std::uint64_t a, std::uint64_t b) {
    a = tree_of(a), b = tree_of(b);
    trees_[std::max(a, b) - 1] = std::min(a, b);
}

}  // namespace voxcc
