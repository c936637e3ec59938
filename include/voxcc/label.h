// Labels the connected components of a volume. Most programs need only this header.
//
//   std::vector<std::uint8_t> voxels{1, 1, 0, 1,  0, 0, 0, 1};      // 4 x 2 x 1 voxels, x fastest
//   auto labelling = voxcc::label(voxcc::view(voxels.data(), {4, 2, 1}), {.connectivity = voxcc::Connectivity::c26});
//   labelling->count();                                             // 2
//   std::vector<std::uint32_t> labels(voxels.size());
//   labelling->paint(labels.data());                                // 1, 1, 0, 2,  0, 0, 0, 2
//   voxcc::SumTable table = labelling->measure();
//   voxcc::describe(table[1], {4, 2, 1}, std::nullopt).centroid;    // 3, 0.5, 0: the component with label 2
//
// Components are numbered 1..K by their first voxel, x fastest. 0 is background. Every device, algorithm, number of threads and instruction
// set gives the same labels.
#pragma once
#include <voxcc/connectivity.h>
#include <voxcc/device.h>
#include <voxcc/measure.h>
#include <voxcc/source.h>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace voxcc {

/// The results that the caller uses: all, or only count(), measure() and source_values() of the labelling. In the second case,
/// prepare_paint() and paint() must not be called. An algorithm may then compute the sums without labels.
enum class Results : std::uint8_t { labels_and_sums, sums };

/// How a volume is labelled. No member changes a label.
struct Execution {
    Device device = {};                         // default: CPU
    std::string_view algorithm = "block-runs";  // a name from all_algorithms()
    ThreadPool* pool = nullptr;                 // must outlive the labelling; null: the labelling starts its own threads
    int threads = 0;                            // number of its own threads; 0: available_threads()
    /// Row sources: slices of a slab. The volume is labelled slab by slab, and only one slab is in memory. 0, or at least the slices of the
    /// volume: in one piece. Supported by block-runs on the CPU.
    std::int64_t slices_per_slab = 0;
    std::string_view subject = "volume";  // name of the volume in error messages; valid during the call
    Results results = Results::labels_and_sums;
    Isa isa = default_isa();        // must be supported by the processor
    MemoryLimit* memory = nullptr;  // on the CPU: limit for runs, components and their sums; must outlive the labelling. Null: none
    int volumes_per_device = 1;     // on GPUs: number of volumes that share the free memory of a device at the same time
};

struct Seconds {  // wall-clock time per phase; pack includes the time of RowSource::fetch()
    double pack = 0, unite = 0, number = 0, measure = 0, paint = 0;
};

/// A labelled volume. Not thread-safe, except paint() of rows: only one thread at a time may use a labelling. Different labellings are
/// independent.
class Labelling {
public:
    virtual ~Labelling() = default;
    /// The number K of components. They are numbered 1..K by their first voxel in raster order (x fastest).
    virtual std::uint64_t count() const = 0;
    /// Exact sums over the voxels of each component; row k - 1 for number k. describe() computes centroid, bounding box and covariance from
    /// a row. Components of periodic volumes are unwrapped: see Sections.
    /// @throw Error out_of_memory
    virtual SumTable measure() = 0;
    /// Rule::equal_values: the stored value of the voxels of each component; entry k - 1 for number k. Signed integers are sign-extended to
    /// 64 bits; unsigned integers and the bits of floats are zero-extended. Empty for other rules.
    // voxels of i16 with the values -3 and 7: {0xfffffffffffffffd, 7}
    virtual std::vector<std::uint64_t> source_values() const = 0;
    /// Writes one label per voxel, x fastest, without gaps. Only for results of label().
    /// @tparam T an unsigned integer type
    /// @param labels must hold nx * ny * nz labels, in host memory
    /// @throw see paint() below
    template <class T>
    void paint(T* labels) {
        static_assert(std::is_unsigned_v<T>, "labels are unsigned integers");
        paint({reinterpret_cast<std::byte*>(labels), scalar_type_of<T>(), dense(extent(), sizeof(T))}, {});
    }
    /// Same, at any strides, and with the final numbers of a selection: see voxcc::paint(). Only for results of label().
    void paint(const LabelView& labels, std::span<const std::uint64_t> final_numbers);
    /// The number that each component would have if voxels were compared in the other order: x first, then y, then z. Entry k - 1 for
    /// number k. With the result as `final_numbers`, paint() numbers components by their first voxel with x slowest and z fastest.
    /// @throw Error unsupported, except for block-runs on the CPU in one piece
    // 2 x 2 x 1 voxels, x fastest: [0 1 / 1 0] with c4 has the numbers 1 (x 1, y 0) and 2 (x 0, y 1)  ->  {2, 1}
    virtual std::vector<std::uint64_t> numbers_with_x_slowest() const {
        throw Error(ErrorKind::unsupported, "order", "this labelling numbers components with x fastest only");
    }
    /// Sets the labels that paint() of rows writes. Must be called before it.
    /// @param type type of a label; must be an integer type that holds the largest number
    /// @param final_numbers must be empty or have count() entries. Number k is painted as final_numbers[k - 1]; 0 is background. Empty:
    ///     number k is painted as k
    virtual void prepare_paint(ScalarType type, std::span<const std::uint64_t> final_numbers) = 0;
    /// Writes the labels of rows, x fastest, in the prepared type. Thread-safe.
    /// @param out must hold rows.count * nx labels, in host memory, aligned for the type
    virtual void paint(RowRange rows, std::byte* out, Stores stores) const = 0;
    /// How the components of a periodic volume are unwrapped. Null: no component needs it. Valid as long as the labelling.
    virtual const Sections* sections() const { return nullptr; }
    /// Same as prepare_paint(), with one final number per section; empty: sections keep their numbers. sections() must not be null.
    virtual void prepare_sections(ScalarType, std::span<const std::uint64_t> /*final_numbers*/) {
        throw Error(ErrorKind::internal, "sections", "this labelling has no sections");
    }
    virtual const Seconds& seconds() const = 0;

    /// What a labelling needs as long as it exists. label() sets it.
    struct Owned {
        Extent extent;
        std::shared_ptr<void> source;          // null: the caller owns the source
        std::shared_ptr<ThreadPool> own_pool;  // null: `pool` is the pool of the caller
        ThreadPool* pool = nullptr;
    };
    void own(Owned owned) { owned_ = std::move(owned); }
    /// The extent of the labelled volume. Only for results of label().
    const Extent& extent() const { return owned_.extent; }

private:
    Owned owned_;  // is destroyed after the members of derived classes, which may use it
};

/// Writes one label per voxel. Rows whose labels lie side by side are written in place. Other strides take longer, in particular with
/// labels that lie side by side along z.
/// @param labels its labels may begin at any multiple of the size of a label. A signed type is written as the unsigned type of its size
/// @param final_numbers must be empty or have labelling.count() entries: label k is written as final_numbers[k - 1]. 0 is background
/// @param before_rows is called before every few rows, by the thread that paints them; may throw, which ends the painting
/// @throw Error labels_too_large if the type cannot hold the largest number, invalid_argument if it is not an integer type; after labelling
///     slab by slab also the exceptions of the source, and changed_file if the source has changed
// labels 1, 1, 0, 2 with final_numbers {0, 1}  ->  0, 0, 0, 1
void paint(
    Labelling& labelling, const Extent& extent, const LabelView& labels, std::span<const std::uint64_t> final_numbers, ThreadPool& pool,
    const std::function<void()>& before_rows = [] {});

/// The number of voxels of each component; entry k - 1 for number k. Takes less time than measure() for most labellings.
/// @throw the exceptions of measure()
std::vector<std::uint64_t> component_sizes(Labelling& labelling);

/// Labels voxels in host memory.
/// @param execution slices_per_slab must be 0
/// @throw Error unsupported, unsupported_by_algorithm or unsupported_by_device (the algorithm or device does not support the question);
///     no_such_algorithm; no_device; device_memory; out_of_memory, for the limit of the execution MemoryLimitReached; invalid_extent (an
///     extent is not positive, or an axis has 2^32 voxels or more)
// {3, 3, 3} voxels, all 1, c26 -> 1 component of 27 voxels
std::unique_ptr<Labelling> label(const VolumeView& volume, const Question& question = {}, const Execution& execution = {});

/// Labels the rows of a source, for example of a file. Published algorithms need at least 5 bytes of host memory per voxel: 1 for the voxel
/// and 4 for the label. Rules that compare values need 8 bytes per voxel more.
///
/// With slabs, painting reads the source again: once if the rows are painted in nearly ascending order. Several threads may paint rows of
/// the same slab at the same time. A thread that needs another slab waits until no thread paints the slab in memory.
/// @param source must be at row 0 if it is read in order. With slabs, it must outlive the labelling, and rewind() must work
/// @throw the exceptions of label() above, and of the source; Error out_of_memory if a slab has more than 2^32 - 1 components
std::unique_ptr<Labelling> label(RowSource& source, const Extent& extent, const Question& question = {}, const Execution& execution = {});

/// Labels the slices across x or y one by one, slab by slab along z. The labelling has the stored axes: sums have the stored axes, and
/// paint() takes rows of the stored volume.
/// @param extent of the stored volume
/// @param question its connectivity must be c4 or c8. Its periodic axes are the exchanged axes: see VolumeBits. Rule::colour is not
///     supported
/// @param across the axis across the slices; z: same as label()
/// @param execution slices_per_slab must be at least 1; block-runs on the CPU
/// @throw the exceptions of label(); Error invalid_argument, unsupported_by_algorithm or unsupported if an argument breaks these rules
std::unique_ptr<Labelling> label_slices(RowSource& source, const Extent& extent, const Question& question, Axis across,
                                        const Execution& execution);

/// Memory of a slab of label_slices() besides its labelling, in bytes, if `across` is x or y.
/// @param labels, values types of the labels and of the stored values
std::int64_t slab_bytes_of_slices(const Extent& slab, Axis across, ScalarType labels, Rule rule, ScalarType values);

/// Memory of label_slices() for the voxels at the ends of periodic axes.
std::int64_t bytes_at_ends(const Extent& extent, const Question& question, Axis across);

// Periodic volumes: opposite ends of an axis touch each other. A component that crosses an end has its voxels at both ends of the volume.
// It is measured unwrapped: as it lies in an unlimited space that the volume fills again and again. Its pieces in the volume are moved by a
// number of extents, their shifts. Along each axis, the smallest shift of a component is 0, so its bounding box starts inside the volume.
//
//   x            0 1 2 3 4 5 6 7 8 9           pieces: x 0..1 and x 7..9
//                # # . . . . . # # #           shifts: 1 and 0    ->  unwrapped x 7..11, centroid 9
//
// If a path in a component leads around an axis back to its start, the component wraps around this axis. Then it has no place along the
// axis, and no measures along the axis. An axis of one voxel is not periodic.

/// The voxels of a component with one shift. Voxels without a shift do not have a Section of their own.
struct Section {
    std::uint64_t component = 0;           // its number
    std::array<std::uint32_t, 3> shift{};  // in extents of the volume along x, y and z; not all 0
    bool operator==(const Section&) const = default;
};

/// How the components of a periodic volume are unwrapped. The voxels of component k that have no shift have the section number k. The other
/// sections follow: shifted[i] has the section number components + 1 + i.
// the drawing above: components 1, shifted {{1, {1, 0, 0}}}: section 1 has x 7..9, and section 2 has x 0..1
struct Sections {
    std::uint64_t components = 0;
    std::vector<Section> shifted;                          // in any order
    std::vector<std::pair<std::uint64_t, AxisSet>> wraps;  // ascending: the components that wrap around axes, and these axes

    std::uint64_t count() const { return components + shifted.size(); }
    /// @param section from 1 on
    std::uint64_t component_of(std::uint64_t section) const {
        return section <= components ? section : shifted[std::size_t(section - components - 1)].component;
    }
    /// The shift of a section. @param section from 1 on
    std::array<std::uint32_t, 3> shift_of(std::uint64_t section) const {
        return section <= components ? std::array<std::uint32_t, 3>{} : shifted[std::size_t(section - components - 1)].shift;
    }
    /// The axes that a component wraps around. @param component from 1 on
    AxisSet wraps_of(std::uint64_t component) const;
};

/// The sections of the components that a selection keeps.
struct KeptSections {
    Sections sections;                         // with the final numbers of components; `wraps` is empty
    std::vector<std::uint64_t> final_numbers;  // of the sections before, by number - 1; 0: the component is dropped
};

/// @param final_numbers of the components, by number - 1; 0: the component is dropped. Empty: components keep their numbers
/// @param count the largest final number
// components 2, shifted {{1, {1, 0, 0}}, {2, {1, 0, 0}}}; final_numbers {0, 1}  ->  shifted {{1, {1, 0, 0}}}, final_numbers {0, 1, 0, 2}
KeptSections keep_sections(const Sections& sections, std::span<const std::uint64_t> final_numbers, std::uint64_t count);

/// The number of voxels after which a volume repeats along x, y and z: its extent along periodic axes, else 0.
std::array<std::int64_t, 3> periods(const Extent& extent, const AxisSet& periodic);

/// Converts sums from the exchanged axes to the stored axes. @param slices axis across the slices, see VolumeBits
WideSums restore_axes(const WideSums& sums, Axis slices);

/// Elements for the axes of the engine, as elements for the stored axes.
// slices across x, {a of y, b of z, c of x}  ->  {c, a, b}
template <class T>
std::array<T, 3> restore_axes(const std::array<T, 3>& of_engine, Axis slices) {
    const auto& [a, b, c] = of_engine;
    if (slices == Axis::x) return {c, a, b};
    if (slices == Axis::y) return {a, c, b};
    return of_engine;
}

/// Paints the labels of a labelling. The labelling must outlive the painter.
class Painter {
public:
    /// Prepares painting in `type`. For Axis::x it paints the complete volume, and holds it in memory.
    /// @param stored extent of the stored volume
    /// @param slices axis across the slices, see VolumeBits
    /// @param final_numbers see Labelling::prepare_paint()
    Painter(Labelling& labelling, const Extent& stored, Axis slices, ScalarType type, const std::vector<std::uint64_t>& final_numbers,
            ThreadPool& pool);
    /// Same, for the numbers of sections: see Labelling::prepare_sections().
    Painter(Labelling& labelling, const Extent& stored, Axis slices, ScalarType type, const KeptSections& sections, ThreadPool& pool);
    ScalarType type() const { return type_; }
    /// Writes the labels of rows of the stored volume, x fastest. Thread-safe.
    /// @param out must hold rows.count * nx labels, aligned for the type
    void paint(RowRange rows, std::byte* out, Stores stores) const;

private:
    void hold_volume(ThreadPool& pool);
    const Labelling& labelling_;
    Extent stored_;
    Axis slices_;
    ScalarType type_;
    std::vector<std::byte> volume_;  // for Axis::x: all labels, in the order of the exchanged axes
};

/// Calls f(row, labels) for all rows in order. @param painter of ScalarType::u64
template <class F>
void for_each_painted_row(const Painter& painter, const Extent& extent, const F& f) {
    std::vector<std::uint64_t> labels(std::size_t(extent.nx));
    for (std::int64_t row = 0; row < extent.rows(); ++row) {
        painter.paint({row, 1}, reinterpret_cast<std::byte*>(labels.data()), Stores::cached);
        f(row, std::span<const std::uint64_t>(labels));
    }
}

/// Which components contain a seed, as for a threshold with hysteresis: entry k - 1 for number k is 1 if a foreground voxel of `seeds` is
/// in the component, else 0.
/// @param labels painter of ScalarType::u32 or u64, without final numbers
/// @param components their number
/// @param seeds rows of the stored volume
/// @throw the exceptions of Painter::paint() and of the source
// voxels [1 1 0 1], seeds [0 1 1 0]  ->  {1, 0}
std::vector<std::uint8_t> components_with(const Painter& labels, std::uint64_t components, const Extent& stored, RowSource& seeds,
                                          ThreadPool& pool);

/// The properties by which a component is selected.
struct Candidate {
    std::uint64_t voxels = 0;
    enum class Place : std::uint8_t { inside, at_border } place = Place::inside;  // at_border: see touches_border()
    enum class Seed : std::uint8_t { present, absent } seed = Seed::present;      // absent: the component is dropped
};

enum class Numbering : std::uint8_t { by_first_voxel, by_size };  // by_size: the largest gets number 1; ties by first voxel

struct Criteria {
    std::uint64_t min_voxels = 0, max_voxels = ~std::uint64_t{0};  // both inclusive
    std::optional<std::uint64_t> keep_largest;                     // applied after the other criteria
    /// Which of the components that have the size of the smallest kept component are kept: those with the first or the last first voxels,
    /// or all of them, which can be more than keep_largest.
    enum class Ties : std::uint8_t { first, last, all } ties = Ties::first;
    enum class Border : std::uint8_t { keep, clear } border = Border::keep;
    Numbering numbering = Numbering::by_first_voxel;
    /// Whether these criteria keep every component of every volume, and all numbers.
    bool keep_all() const { return *this == Criteria(); }
    bool operator==(const Criteria&) const = default;
};

struct Selection {
    /// Final number of each component, or 0 if it is dropped; entry k - 1 for raster number k. Empty if all numbers stay as they are.
    std::vector<std::uint64_t> final_numbers;
    /// Rows (raster number - 1) of the kept components, in the order of their final numbers. Empty if final_numbers is empty.
    std::vector<std::uint64_t> rows;
    std::uint64_t count = 0;  // number of kept components

    bool is_identity() const { return final_numbers.empty(); }
    /// The row (raster number - 1) of the component with a final number. @param number in [1, count]
    std::uint64_t row_of(std::uint64_t number) const { return is_identity() ? number - 1 : rows[number - 1]; }
};

/// Applies the criteria.
/// @param candidates all components, in the order of their raster numbers
/// @param groups must be empty, or have one entry per candidate: keep_largest then keeps the largest of each group
// voxels {5, 9, 7}, keep_largest 2, by_size  ->  final_numbers {0, 1, 2}, rows {1, 2}, count 2
// voxels {5, 9, 7}, keep_largest 1, groups {1, 1, 2}  ->  final_numbers {0, 1, 2}
Selection select(const std::vector<Candidate>& candidates, const Criteria& criteria, std::span<const std::uint64_t> groups = {});

/// How a volume is labelled, as far as the memory depends on it.
struct MemoryConditions {
    std::string_view algorithm = "block-runs";
    int threads = 1;                                           // ThreadPool::size()
    RowSource::Access access = RowSource::Access::concurrent;  // of the row source
    ScalarType label_type = ScalarType::u32;                   // widest type that is passed to Labelling::prepare_paint()
    std::int64_t slices_per_slab = 0;                          // as in Execution
};

/// Bytes of host memory that a labelling holds at the same time, by purpose. What the row source and the caller hold is not counted.
struct MemoryNeeds {
    std::int64_t bits = 0;         // block-runs: the foreground, one bit per voxel
    std::int64_t index = 0;        // block-runs: run starts, and the run before each word
    std::int64_t voxels = 0;       // published algorithms: a byte and a label per voxel, and its value if the rule compares values
    std::int64_t faces = 0;        // slabs: labels of the slices on both sides of a cut. Periodic axes: labels at their ends
    std::int64_t runs_smooth = 0;  // runs of natural shapes: one run per 64 columns, rounded up to memory pages
    std::int64_t runs_most = 0;    // the largest possible number of runs, with the sums of their components
    bool operator==(const MemoryNeeds&) const = default;
};

/// The memory that a labelling needs, computed before any voxel is read.
// extent {64, 2, 2}, connectivity 26, 1 thread, u32  ->  bits 32, index 12, runs_smooth 384, runs_most 1408
MemoryNeeds memory_bytes(const Extent& extent, const Question& question, const MemoryConditions& conditions);

/// The number of slices of which the thickness of a slab should be a multiple, so that no slab ends with half a layer of block-rows.
std::int64_t slices_per_layer(const Extent& extent, const Question& question);

/// Upper bound of the rows that block-runs passes to RowSource::fetch() in one call.
/// @param rows_per_fetch result of RowSource::rows_per_fetch()
std::int64_t most_rows_fetched(const Extent& extent, const Question& question, const MemoryConditions& conditions,
                               std::int64_t rows_per_fetch);

/// Labels the components of a connectivity graph. All voxels belong to a component. Two neighbours are connected if the later voxel in
/// raster order (x fastest) has the bit of the step to the earlier voxel; the bit of the earlier voxel is not read.
/// Bits of uint32_t, and of uint8_t with c4 and c6: 0 to 5 are the faces +x -x +y -y +z -z. Bits 6 to 17 are the edges ++0 -+0 +-0 --0 +0+
/// -0+ 0++ 0-+ +0- -0- 0+- 0--, where the signs are the steps along x, y and z. Bits 18 to 25 are the corners +++ -++ +-+ --+ ++- -+- +--
/// ---. uint8_t with c8: bits 4 to 7 are the first four edges.
/// @tparam T uint8_t (c4, c6 or c8) or uint32_t
/// @param graph one value per voxel, x fastest, without gaps
/// @param labels must hold one label per voxel; receives 1..K by first voxel, x fastest
/// @return the number K of components
/// @throw Error invalid_argument if a bit of the connectivity does not fit T; invalid_extent if there are 2^32 - 1 voxels or more
// {3, 1, 1} voxels, c4, graph {0, 2, 0}: voxel 1 is connected to voxel 0  ->  labels {1, 1, 2}, returns 2
template <class T>
std::uint64_t label_connectivity_graph(std::span<const T> graph, const Extent& extent, Connectivity connectivity, std::uint32_t* labels);

}  // namespace voxcc
