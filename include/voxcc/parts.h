// Labels a volume in parts. Each part is labelled on its own, on any machine. A merge then numbers the components of the volume from the
// faces of the parts and from one count per row of each part. It reads no voxels inside parts.
//
//   label_part   LabelledPart: components of one part, the numbers on its faces, sums relative to its corner      (one part)
//   merge        merge_parts(): joins components across faces, edges and corners, applies Criteria, numbers 1..K   (all parts)
//   paint        LabelledPart again, with numbers_of_part()                                                        (one part)
//
// The numbers are the numbers of the volume labelled in one piece: the raster order of first voxels. The rows of a part are in raster
// order, too, so its components are sorted by first voxel. The number of a component is 1 plus the number of components that begin before
// it: in earlier rows of the volume, in the same row in parts with smaller x, and in the same row of its own part.
#pragma once
#include <voxcc/contacts.h>
#include <voxcc/label.h>
#include <voxcc/shape.h>

#include <functional>
#include <map>
#include <string>

namespace voxcc::parts {

/// A box of voxels.
// first {2, 0, 0}, count {3, 4, 1}: the voxels with x 2..4, y 0..3 and z 0
struct Box {
    std::array<std::int64_t, 3> first{}, count{};  // x, y, z
    Extent extent() const { return {count[0], count[1], count[2]}; }
    bool operator==(const Box&) const = default;
};

/// A step between neighbouring voxels or parts, -1..1 along x, y and z.
using Step = std::array<int, 3>;

/// Divides a volume into parts, which are numbered in raster order, x fastest. The last part along an axis may be smaller.
// extent {5, 4, 1}, part {3, 4, 1}: 2 parts, with x 0..2 and x 3..4
class Grid {
public:
    /// @param part voxels per part along x, y and z, each at least 1
    Grid(const Extent& volume, const std::array<std::int64_t, 3>& part);
    const Extent& volume() const { return volume_; }
    const std::array<std::int64_t, 3>& part_size() const { return part_; }
    /// The number of parts along each axis.
    const std::array<std::int64_t, 3>& counts() const { return counts_; }
    std::int64_t parts() const { return counts_[0] * counts_[1] * counts_[2]; }
    std::array<std::int64_t, 3> place(std::int64_t part) const;
    Box box(std::int64_t part) const;
    /// The part beside a part, around the ends of periodic axes; empty at other ends. An axis of one voxel is not periodic.
    std::optional<std::int64_t> neighbour(std::int64_t part, const Step& step, const AxisSet& periodic) const;
    /// The ends of the volume around which a step from a part leads, in the directions of the step.
    // 3 parts along x: the step {1, 1, 0} from the last one in x, which is not the last one in y -> {1, 0, 0}
    Step ends_crossed(std::int64_t part, const Step& step) const;

private:
    Extent volume_;
    std::array<std::int64_t, 3> part_, counts_{};
};

/// How the volume is labelled. All parts and the merge must have the same rules. The connectivity may be c4 or c8 only for volumes of one
/// slice. The rule may be foreground or equal_values. The foreground of the question is not used.
struct Rules : Question {
    Grid grid;
    Criteria criteria{};  // its ties must be Ties::first
    Extent border{};      // for touches_border(): the extent of the volume, 1 along axes without faces
};

/// The rules by which the background of a volume is labelled, to find its holes: the components that these rules keep are the components of
/// the background that do not touch the border. Voxels of the background are the foreground of these rules: exchange the bits of a source.
/// @param rules of the foreground
/// @param most_voxels larger components of the background are not holes
// rules with c26 and min_voxels 5, most_voxels 9  ->  c6, Rule::foreground, clear the border, max_voxels 9
Rules background_rules(const Rules& rules, std::uint64_t most_voxels);

/// The faces of a part: 2 * axis, with the smallest coordinate along the axis, and 2 * axis + 1, with the largest.
constexpr int faces_per_part = 6;

/// What the merge must know of one part. Components are numbered 1..sums.size() by their first voxel in the part. Components that the
/// criteria drop and that are on no face are left out.
struct PartState {
    std::vector<std::uint32_t> row_counts;  // [z][y]: number of components whose first voxel is in the row
    /// The numbers on each face, 0 is background: [second axis][first axis] of the other two axes, in the order x, y, z. Empty for a face
    /// without a part beyond it.
    std::array<std::vector<std::uint32_t>, faces_per_part> faces;
    SumTable sums;                           // by number - 1, relative to the first voxel of the box
    std::vector<std::uint64_t> values;       // by number - 1: see Labelling::source_values(); empty unless the rule is equal_values
    std::vector<IntensitySums> intensities;  // by intensity image: by number, in the coordinates of the volume; set by the caller
};

/// Adds the sums of a component in each image.
/// @param to empty, or sums of the same images as `from`
/// @param by see IntensitySums::add()
void add_component(std::vector<IntensitySums>& to, std::uint64_t component, const std::vector<IntensitySums>& from, std::uint64_t of_from,
                   const std::array<std::int64_t, 3>& by = {});

/// The components on the faces of a part.
struct FaceComponents {
    std::vector<std::uint32_t> numbers;  // ascending
    std::vector<std::uint64_t> values;   // of these numbers; empty unless the rule is equal_values
    std::vector<WideSums> sums;          // of these numbers, relative to the first voxel of the box
};
FaceComponents face_components(const PartState& state);

/// The intensities of some components of a part. @return by image: component i + 1 is the component numbers[i] of the state
std::vector<IntensitySums> intensities_of(const PartState& state, std::span<const std::uint32_t> numbers);

/// One labelled part.
class LabelledPart {
public:
    /// @param source the voxels of the box of the part
    /// @param pool must outlive this object
    /// @throw the exceptions of label(); Error unsupported for other rules than foreground and equal_values
    LabelledPart(const Rules& rules, std::int64_t part, RowSource& source, ThreadPool& pool);
    const PartState& state() const { return state_; }
    PartState take_state() { return std::move(state_); }
    /// Sets the labels that paint() writes. @param numbers by number in the state - 1, as numbers_of_part()
    void prepare_paint(ScalarType type, std::span<const std::uint64_t> numbers);
    /// Writes the labels of rows of the part: see Labelling::paint(). Thread-safe.
    void paint(RowRange rows, std::byte* out) const { labelling_->paint(rows, out, Stores::cached); }

private:
    std::unique_ptr<Labelling> labelling_;
    std::vector<std::uint64_t> kept_;  // number in the state by number of labelling_ - 1, or 0; empty if all are kept
    PartState state_;
};

/// The states of all parts, as the merge reads them: one part at a time, some of them several times.
class PartStates {
public:
    virtual ~PartStates() = default;
    virtual std::vector<std::uint32_t> row_counts(std::int64_t part) = 0;
    virtual std::vector<std::uint32_t> face(std::int64_t part, int face) = 0;
    virtual FaceComponents face_components(std::int64_t part) = 0;
    /// The number of voxels by number - 1. Called only if the criteria keep the largest components or number by size.
    virtual std::vector<std::uint64_t> sizes(std::int64_t part) = 0;
    /// By intensity image: component i + 1 is the component face_components(part).numbers[i].
    virtual std::vector<IntensitySums> face_intensities(std::int64_t) { return {}; }
};

/// The final numbers of the components of a part.
struct PartNumbers {
    std::vector<std::uint64_t> before_row;  // [z][y]: components of the volume that are numbered before the first that begins in the row
    std::vector<std::uint32_t> listed;      // ascending: components whose final numbers do not follow from their rows
    std::vector<std::uint64_t> becomes;     // [i]: final number of listed[i]; 0: it is dropped
    std::vector<std::uint8_t> begins;       // [i]: 1 if the component of the volume begins in this part, else 0
    /// The sums of components that begin in this part and have several pieces, or wrap around axes: of all their voxels, unwrapped, in the
    /// coordinates of the volume.
    std::vector<std::uint32_t> joined;
    std::vector<WideSums> totals;            // [i]: of joined[i]
    std::vector<AxisSet> wraps;              // [i]: the axes that joined[i] wraps around
    std::vector<IntensitySums> intensities;  // by image: component i + 1 is joined[i]; may be empty if no component is joined
    /// The pieces of this part that are moved to unwrap their components: see Section.
    std::vector<std::uint32_t> moved;                  // ascending: numbers
    std::vector<std::array<std::uint32_t, 3>> shifts;  // [i]: of moved[i], in extents of the volume
};

/// The result of a merge.
struct Merged {
    std::uint64_t components = 0;  // number of final components
};

/// Bytes outside of memory: a temporary file, for example.
class Scratch {
public:
    virtual ~Scratch() = default;
    /// Appends bytes. @return the place of the first one
    virtual std::uint64_t append(std::span<const std::byte> bytes) = 0;
    /// Overwrites or reads bytes that were appended. @param place of the first one
    virtual void write(std::uint64_t place, std::span<const std::byte> bytes) = 0;
    virtual void read(std::uint64_t place, std::span<std::byte> to) = 0;
};

/// Joins the components of all parts. Memory: about 40 bytes per component on a face (100 bytes with periodic axes), and 200 bytes per
/// component that is in several parts, with 300 bytes more per intensity image. Also 16 bytes per row of the parts in one layer along z. If
/// the criteria compare all sizes, also 60 bytes per component of one part, and 24 bytes per component of the volume in `scratch`.
/// @param scratch must be empty; not used unless the criteria compare all sizes
/// @param put called once for each part, with its final numbers
/// @throw the exceptions of `states`, `scratch` and `put`; Error corrupt_file if the states contradict each other
Merged merge_parts(const Rules& rules, PartStates& states, Scratch& scratch,
                   const std::function<void(std::int64_t part, const PartNumbers& numbers)>& put);

/// The final number of each component of a part, by number - 1; 0 if it is dropped.
/// @param row_counts of the state of the part
// before_row {4, 6}, row_counts {2, 1}, component 2 becomes 1  ->  {5, 1, 7}
std::vector<std::uint64_t> numbers_of_part(const PartNumbers& numbers, std::span<const std::uint32_t> row_counts);

/// The number of each piece: 1, 2, ... by the first piece of each set of united pieces. Pieces must be listed in the order of their first
/// voxels. For programs that divide a volume in other ways than a Grid, and find themselves which pieces touch.
/// @param pairs indices of pieces to unite, two words per pair
// count 4, pairs {1, 3}  ->  {1, 2, 3, 2}
std::vector<std::uint64_t> number_sets(std::size_t count, std::span<const std::uint64_t> pairs);

/// The pieces of a periodic array: see Sections.
struct UnwrappedSets {
    std::vector<std::uint64_t> numbers;  // of the pieces, as number_sets()
    std::vector<std::uint64_t> moved;    // [piece][axis]: voxels by which the piece is moved to unwrap its set
    std::vector<std::uint64_t> wraps;    // [number - 1][axis]: 1 if the set wraps around the axis, else 0
};
/// @param pairs indices of pieces to unite, two words per pair
/// @param steps three words per pair: the ends of the array along axes 0, 1, 2 that lie between the first and the second piece; -1, 0 or 1
/// @throw Error unsupported if an unwrapped component is 2^32 voxels long or longer
// shape {1, 1, 8}, count 2, pairs {1, 0}, steps {0, 0, 1}  ->  numbers {1, 1}, moved {0, 0, 8, 0, 0, 0}, wraps {0, 0, 0}
UnwrappedSets unwrap_sets(std::size_t count, std::span<const std::uint64_t> pairs, std::span<const std::uint64_t> steps,
                          const std::array<std::int64_t, 3>& shape);

/// Sums of intensities as 64-bit words, as the files of parts store them. Per component: n; if it is above 0 also x, y, z, the bits of min
/// and max, and the voxels of the extremes (3 words). Then of integers of up to 32 bits: v, vv, vx, vy, vz (2 words each), cubes, fourths
/// (3). Of other values: the number of units, and per unit: unit, v (2), vv, vx, vy, vz (3), cubes (4), fourths (5).
/// @param components their number, which may be larger than the number of components with sums
std::vector<std::uint64_t> words_of_intensities(const IntensitySums& sums, std::uint64_t components);

/// The most words that these components can have.
std::uint64_t most_intensity_words(std::uint64_t components, std::uint64_t voxels);

/// Reads the words of all components of an image. @throw Error corrupt_file with this subject if they cannot be sums of intensities
IntensitySums intensities_of_words(ScalarType type, std::span<const std::uint64_t> words, std::uint64_t components,
                                   const std::string& subject);

// The shape and the contacts of components are measured in the same way. Each part counts what it has, with the next voxels beyond its
// ends, and the counts of all parts are added.
//
//   part       HaloedPart: final numbers of one part, and of the first voxels of the next parts, from their faces   (one part)
//   count      HaloedPart::shapes(), HaloedPart::contacts()                                                         (one part)
//   add        ShapeCounts::add(); the counts of LabelContact; PartFeret for diameters                              (all parts)
//
// A pair of voxels, or a cell of 2 x 2 x 2 voxels, is counted by the part that has the smallest coordinates of its voxels. All counts are
// integers, so their sums are the counts of the volume in one piece.

/// Reads the final numbers of the voxels on a face of a part: as PartState::faces. 0 is background.
using FinalFace = std::function<std::vector<std::uint64_t>(std::int64_t part, int face)>;

/// The shape of a component that is in one part.
struct CompleteShape {
    std::uint64_t number = 0;  // final
    ShapeCounts counts;
    double feret_mm = 0;  // 0 if it is not computed
};

/// The part of the shape of a component that one part knows.
struct OpenShape {
    std::uint64_t number = 0;  // final
    std::uint32_t last_z = 0;  // of the unwrapped component, in the coordinates of the volume; 0 unless it begins in this part
    ShapeCounts counts;
    std::vector<Corner> corners;  // of its voxels in this part, as keep_convex(), unwrapped, in the coordinates of the volume
};

struct PartShapes {
    std::vector<CompleteShape> complete;  // ascending: components whose voxels are all in this part
    std::vector<OpenShape> open;          // ascending: other components with voxels in this part or in the next voxels
};

/// The final numbers of a part and of the next voxels in x, y and z. Memory: 4 bytes per voxel on three faces, and 12 bytes per component.
class HaloedPart {
public:
    /// Calls labelled.prepare_paint(). All arguments except the pool must outlive this object.
    /// @param state of the part, with its sums
    /// @param face called for parts beside this part, possibly several times
    /// @throw Error out_of_memory if there are more than 2^32 - 2 components; the exceptions of `face`
    HaloedPart(const Rules& rules, std::int64_t part, LabelledPart& labelled, const PartState& state, const PartNumbers& numbers,
               const FinalFace& face);
    ~HaloedPart();
    /// @param world for diameters; empty: they are not computed
    PartShapes shapes(const std::optional<World>& world, ThreadPool& pool);
    /// @param connectivity of the contacts. Periodic axes have no contacts across their ends
    /// @return one entry per pair of final numbers, in ascending order
    std::vector<LabelContact> contacts(Connectivity connectivity, ThreadPool& pool);

private:
    class Numbers;
    const Rules& rules_;
    std::int64_t part_;
    LabelledPart& labelled_;
    const PartState& state_;
    const PartNumbers& numbers_;
    std::unique_ptr<Numbers> halo_;
};

/// The Feret diameters of components that are in several parts. Memory: the corners of the outlines of components that are not complete.
class PartFeret {
public:
    PartFeret(Space space, const World& world) : space_(space), world_(world) {}
    /// Adds the corners of a component in one part.
    void add(std::uint64_t number, std::span<const Corner> corners);
    /// Computes the diameters of components for which is_complete(number) is true, and forgets their corners.
    /// @return numbers and diameters in mm, ascending
    std::vector<std::pair<std::uint64_t, double>> complete(const std::function<bool(std::uint64_t)>& is_complete, ThreadPool& pool);

private:
    Space space_;
    World world_;
    std::map<std::uint64_t, std::vector<Corner>> open_;
};

}  // namespace voxcc::parts
