// Two labellings A and B of one volume: the voxels that their objects share, partners, and measures of agreement. An object is all voxels
// with one label; 0 is background.
#pragma once
#include <voxcc/contacts.h>
#include <voxcc/device.h>
#include <voxcc/label.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace voxcc {

/// The number of voxels that an object of A and an object of B share. The objects are rows of LabelOverlap::a and b.
struct SharedVoxels {
    std::size_t a = 0, b = 0;
    std::uint64_t voxels = 0;
    bool operator==(const SharedVoxels&) const = default;
};

/// Two labellings of one volume. The rows are in ascending order of the labels as unsigned 64-bit patterns. So ties have the same winner
/// for every number of threads, layout and device. Memory: as LabelSums for each, and about 60 bytes per pair.
struct LabelOverlap {
    LabelSums a, b;
    std::vector<SharedVoxels> pairs;  // in ascending order of (a, b); all have at least one voxel
};

/// The number of voxels that have the label `a` in A and the label `b` in B.
struct SharedByLabels {
    std::uint64_t a = 0, b = 0;
    std::uint64_t voxels = 0;
};
/// Orders the parts of an overlap.
/// @param a, b the sums of all labels, in any order @param shared each pair of labels at most once, in any order
// labels of a {5, 2}, labels of b {7}, shared {5, 7, 4}  ->  rows of a {2, 5}, pairs {1, 0, 4}
LabelOverlap ordered_overlap(const LabelSums& a, const LabelSums& b, const Extent& extent, std::span<const SharedByLabels> shared);

/// Reads both labellings once.
/// @param a, b sources of integers, at row 0, with the same extent. Only fetch(), pack() and values() are used. pack() must give the voxels
///     that are not 0
/// @throw Error invalid_argument if the values are not integers; out_of_memory; the exceptions of the sources
// A [1 1 2 0], B [7 7 7 9]  ->  a.labels() {1, 2}, b.labels() {7, 9}, pairs {0, 0, 2}, {1, 0, 1}
LabelOverlap overlap_of(RowSource& a, RowSource& b, const Extent& extent, ThreadPool& pool);

/// overlap_of() for two label images on a device. The stream of `a` runs all work, and the call waits for it. The device adds up the sums
/// of the connected parts of each label, and counts shared voxels. The host adds up the parts, and orders the result.
/// @param a, b integers with the same extent on the same device; the stream of `b` is not used
/// @throw Error invalid_argument if the values are not integers, or the extents or devices differ; the exceptions of label_on_stream() and
///     StreamLabelling::measure(); unsupported_by_device if there are more than about 2^29 labels or pairs
// a [1 1 2 0], b [7 7 7 9]  ->  the overlap in the example of overlap_of()
LabelOverlap overlap_on_stream(const StreamVolume& a, const StreamVolume& b);

/// The agreement of two objects of `a` and `b` voxels that share some voxels.
// 4 and 6 voxels, 2 shared  ->  iou 0.25, dice 0.4, fraction 0.5
struct Agreement {
    std::uint64_t a, b, shared;
    double iou() const { return double(shared) / double(a + b - shared); }
    double dice() const { return 2 * double(shared) / double(a + b); }
    /// The shared part of the smaller object.
    double fraction() const { return double(shared) / double(std::min(a, b)); }
};

/// An object of A and an object of B that may be partners.
struct MatchCandidate {
    std::size_t a = 0, b = 0;
    double score = 0;  // the larger, the better; at least 0
    bool operator==(const MatchCandidate&) const = default;
};

/// Which objects can be partners.
struct MatchRule {
    /// The value of a pair: see Agreement. distance: the distance of the centroids.
    enum class By : std::uint8_t { iou, dice, fraction, distance } by = By::iou;
    double at = 0.5;  // the least agreement, above 0; by distance: the largest distance, above 0
};

/// The pairs of objects that fulfil a rule. The score is the agreement; by distance, it is `at` minus the distance.
/// @param world maps indices to positions in the unit of `at`; empty: distances are in voxels
std::vector<MatchCandidate> candidates_of(const LabelOverlap& overlap, const MatchRule& rule, const std::optional<World>& world = {});

/// The centroid of an object. @param world empty: in voxels
std::array<double, 3> centroid_of(const WideSums& object, const std::optional<World>& world);
double distance_between(const std::array<double, 3>& a, const std::array<double, 3>& b);

/// How partners are chosen from the candidates. optimal: one to one, with the largest sum of the scores. greedy: one to one, the largest
/// score first; ties: the first in the order of (a, b). many: each object of B gets the candidate with the largest score, so an object of A
/// may have several partners; ties: the first object of A.
enum class Assignment : std::uint8_t { optimal, greedy, many };

/// Chooses partners. The optimal assignment is found with shortest augmenting paths on the sparse graph of candidates (Jonker and Volgenant
/// 1987, Computing 38, 325). Time: at most objects times candidates times log(objects), usually much less.
/// @param candidates in any order, each pair once @return the chosen candidates, in ascending order of (a, b)
// {0, 0, 0.6}, {0, 1, 0.5}, {1, 0, 0.5}: optimal -> (0, 1), (1, 0); greedy -> (0, 0)
std::vector<MatchCandidate> assign(std::vector<MatchCandidate> candidates, Assignment assignment);

/// The partner of an object, by row in the other labelling.
struct Partner {
    std::size_t row = 0;
    std::uint64_t shared = 0;  // voxels
};

/// The partners of all objects, by row. Of several partners, the one that shares the most voxels; ties: the first.
struct Partners {
    std::vector<std::optional<Partner>> of_a, of_b;
};
/// @param chosen result of assign()
Partners partners_of(const LabelOverlap& overlap, std::span<const MatchCandidate> chosen);

/// The voxels that an object of A and an object of B share; 0 if they share none.
std::uint64_t shared_voxels(const LabelOverlap& overlap, std::size_t a, std::size_t b);

/// Counts and measures of agreement. A is the reference, B is the prediction. A measure is NaN if its denominator is 0, as in a comparison
/// of two volumes without objects.
struct MatchMetrics {
    static constexpr double none = std::numeric_limits<double>::quiet_NaN();
    std::uint64_t true_positives = 0;   // objects of A with a partner
    std::uint64_t false_positives = 0;  // objects of B without a partner
    std::uint64_t false_negatives = 0;  // objects of A without a partner
    double precision = none, recall = none;
    double f1 = none;                // 2 TP / (2 TP + FP + FN); recognition quality (RQ) of panoptic quality
    double sq = none;                // segmentation quality: mean IoU of the partners
    double pq = none;                // panoptic quality f1 * sq (Kirillov et al. 2019, CVPR, 9404); 0 if there are objects and no partners
    double mean_dice = none;         // of the partners
    double dice = none, iou = none;  // of the voxels that have a label
};
/// @param partners result of assign()
MatchMetrics metrics_of(const LabelOverlap& overlap, std::span<const MatchCandidate> partners);

/// Lesion-wise counts and measures of two masks. They depend on the objects that touch, and not on partners. A lesion is an object of A. A
/// measure is NaN if its denominator is 0.
struct LesionMetrics {
    std::uint64_t found = 0;                                             // lesions that an object of B touches
    std::uint64_t missed = 0;                                            // other lesions
    std::uint64_t false_positives = 0;                                   // objects of B that touch no lesion
    double recall = MatchMetrics::none, precision = MatchMetrics::none;  // lesions that are found; objects of B that touch a lesion
    double f1 = MatchMetrics::none;    // 2 recall precision / (recall + precision); 0 if only one of A and B has objects
    double dice = MatchMetrics::none;  // sum over the lesions / (number of lesions + false positives)
};

/// Recall, precision and f1 as in the WMH Segmentation Challenge (Kuijf et al. 2019, IEEE TMI 38, 2556). `dice` is the lesion-wise Dice of
/// BraTS 2023 (github.com/rachitsaluja/BraTS-2023-Metrics): for each lesion, the Dice of the lesion and of all objects of B that touch it,
/// together; false positives count as 0. Lesions that are too small are left out, and so are the objects of B that touch only these.
/// @param least_voxels of a lesion
// 1 lesion of 4 voxels, B has 2 objects: 4 voxels, of which 2 are shared, and 3 voxels elsewhere  ->  dice (0.5 + 0) / 2, precision 0.5
LesionMetrics lesion_metrics_of(const LabelOverlap& overlap, std::uint64_t least_voxels = 1);

/// Lesions as BraTS 2023 defines them. The foreground of A is dilated. A lesion is the foreground in one component of the dilated voxels,
/// so objects that are close together are one lesion. An object of B touches a lesion if it has a voxel in this component.
struct DilatedLesions {
    std::int64_t steps = 0;  // number of dilations, at least 0: see dilated()
    Connectivity connectivity = Connectivity::c26;
    std::uint64_t least_voxels = 1;  // of a lesion, before dilation
};
/// @param a, b as for overlap_of(). Memory: 3 bits per voxel, and the runs of the dilated foreground
/// @throw the exceptions of overlap_of() and label()
LesionMetrics lesion_metrics_of(RowSource& a, RowSource& b, const Extent& extent, const DilatedLesions& lesions, ThreadPool& pool);

/// A mask after a number of binary dilations with the 18 neighbours of a voxel (in a plane: 8). Ends early if nothing changes.
/// Memory: twice the bits of the mask.
/// @param steps at least 0
// row [0 0 1 0 0 0], 1 step  ->  [0 1 1 1 0 0]
VolumeBits dilated(VolumeBits mask, std::int64_t steps, ThreadPool& pool);

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
ObjectChanges changes_of(const LabelOverlap& overlap, double least_change = 0);

/// How an object of a frame of a series and an object of the next frame are linked. partner: neither has another link between the two
/// frames. split: the earlier object has several. merge: the later object has several. split_merge: both have several.
enum class LinkKind : std::uint8_t { partner, split, merge, split_merge };
// split_merge -> "split_merge"
std::string name_of(LinkKind kind);

/// An object of A, a frame of a series, and an object of B, the next frame, that are the same object or parts of it.
struct FrameLink {
    std::size_t a = 0, b = 0;
    std::uint64_t voxels = 0;  // that they share
    LinkKind kind = LinkKind::partner;
    bool operator==(const FrameLink&) const = default;
};

/// Which objects of two frames are linked.
struct LinkRule {
    MatchRule partners = {};
    Assignment assignment = Assignment::optimal;
    double inside = 0.5;  // least part of an object without a partner that one object of the other frame covers; above 0, up to 1
    double reach = 0;     // largest distance of the centroids of objects that overlap does not link; 0: none
};

/// The links of two frames, in ascending order of the labels of (a, b) as unsigned integers. They are found in three steps:
/// 1. partners: assign() for the candidates of rule.partners.
/// 2. parts: an object without a partner is linked to the object of the other frame with which it shares the most voxels, if these are at
///    least the part rule.inside of its own voxels.
/// 3. near objects: assign() for the objects that have no link yet, by the distance of their centroids, up to rule.reach.
/// Ties: the smallest label, first of A.
/// @param world maps indices to positions in the unit of the distances of the rule; empty: they are in voxels
// A [1 1 1 1 0], B [5 5 6 6 0]  ->  1 and 5: split, 1 and 6: split
std::vector<FrameLink> links_of(const LabelOverlap& overlap, const LinkRule& rule, const std::optional<World>& world = {});

/// An object that is followed from frame to frame, as long as its links are LinkKind::partner. A split or a merge ends tracks, and the
/// objects after it begin new tracks.
struct Track {
    std::int64_t first = 0, last = 0;  // frames, from 0 on
    /// The track before a split or a merge: of several, the one that shares the most voxels; ties: the smallest label. 0: none.
    std::uint64_t parent = 0;
    std::uint64_t tree = 0;  // the smallest number of all tracks that splits and merges connect with this track
    enum class Begin : std::uint8_t { start, created, split, merge } begin = Begin::start;  // start: of the series
    enum class End : std::uint8_t { end, gone, split, merge } end = End::end;               // end: of the series
    std::uint64_t voxels = 0;                                                               // of all its objects
    double length = 0;                                                                      // of the path of the centroids
    std::int64_t frames() const { return last - first + 1; }
};
// created -> "new"
std::string name_of(Track::Begin begin);
std::string name_of(Track::End end);

/// An object of a frame, and the number of its track.
struct TrackedObject {
    std::uint64_t label = 0, track = 0;
    bool operator==(const TrackedObject&) const = default;
};

/// Follows the objects of a series. Tracks have the numbers 1, 2, ... in the order of (first frame, first label as unsigned integer).
/// Memory: about 90 bytes per track, and 16 per object of the last frame. Not thread-safe.
class Tracks {
public:
    /// @param first objects of frame 0 @param world maps indices to positions, for Track::length; empty: it is in voxels
    explicit Tracks(const LabelSums& first, const std::optional<World>& world = {});
    /// Adds the next frame. @param overlap of the last frame and the next frame @param links result of links_of() for the same overlap
    void add(const LabelOverlap& overlap, std::span<const FrameLink> links);
    /// The objects of the last frame, in ascending order of the labels.
    const std::vector<TrackedObject>& objects() const { return objects_; }
    /// All tracks; entry k - 1 for number k.
    std::vector<Track> tracks() const;

private:
    std::uint64_t begin(const Track& track);
    std::uint64_t tree_of(std::uint64_t track);
    void unite(std::uint64_t a, std::uint64_t b);
    std::optional<World> world_;
    std::int64_t frame_ = 0;  // the last one
    std::vector<Track> tracks_;
    std::vector<std::uint64_t> trees_;  // for each track, one of the same tree; its number is not larger
    std::vector<TrackedObject> objects_;
};

}  // namespace voxcc
