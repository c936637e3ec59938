// The block-run engine: labels and measures a volume on CPU threads. It is our own design, and the default algorithm of the program.
//
//   pack     packs voxels into bits and finds run starts; later phases do not read the input   simd/pack.cpp, block_runs/cpu/index.h
//   unite    connects touching runs by union-find                                              block_runs/cpu/unite.h
//   number   numbers components 1..K by first voxel in raster order; one label per run         block_runs/cpu/number.h
//   measure  computes the integer sums of each component from runs                             block_runs/cpu/measure.h
//   paint    writes the label of the run to each foreground voxel                              simd/paint.cpp
//
// Memory for N voxels: N/8 bytes of bits, 12 bytes per 64 columns of a block-row, and 8 bytes per run (16 bytes with Rule::equal_values).
// Sums take 32 bytes per small component and 136 bytes per large component (measure/compact_sums.h). Volumes of about 2^32 voxels and more
// use 64-bit run ids: 16 bytes per 64 columns, and 8 bytes more per run.
#pragma once
#include <voxcc/bound.h>
#include <voxcc/connectivity.h>
#include <voxcc/isa.h>
#include <voxcc/labelled_slice.h>
#include <voxcc/memory_limit.h>
#include <voxcc/statistics.h>
#include <voxcc/threads.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace voxcc {

struct LabelContact;
struct Sections;
struct ShapeCounts;
struct ShapeRequest;

}  // namespace voxcc

namespace voxcc::block_runs {

/// Supplies the foreground of a volume row by row, and the stored values if the rule compares values. The labelling calls the members.
class RowSource {
public:
    enum class Access : std::uint8_t { in_order, concurrent };
    virtual ~RowSource() = default;
    /// in_order: one thread at a time calls fetch(), for ascending ranges without gaps, from row 0 on. concurrent: several threads may call
    /// fetch() at the same time, for ranges in any order.
    virtual Access access() const = 0;
    /// in_order: the next fetch() starts at row 0 again. May throw.
    virtual void rewind() {}
    /// The preferred number of rows per fetch(), at least 1. fetch() must accept other numbers, too.
    virtual std::int64_t rows_per_fetch() const = 0;
    /// Reads rows, into `buffer` if they are not in memory. May resize `buffer`. May throw.
    /// @return the argument `fetched` of pack() and values(); must stay valid while `buffer` is not changed
    virtual const std::byte* fetch(RowRange rows, std::vector<std::byte>& buffer) = 0;
    /// Packs the foreground of row rows.first + index: sets bit x % 64 of bits[x / 64] if voxel x is foreground, else clears it. Must clear
    /// the bits from nx on. Must be thread-safe, also while fetch() runs with another buffer.
    /// @param fetched result of fetch() for `rows`
    /// @param bits holds (nx + 63) / 64 words
    // row = [1 0 1 1]  ->  bits[0] = 0b1101
    virtual void pack(const std::byte* fetched, RowRange rows, std::int64_t index, std::uint64_t* bits) const = 0;
    /// The place of packed rows, which follow each other in one slice.
    struct PackedRows {
        std::int64_t index, count;  // rows.first + index is the first row
        std::uint64_t* bits;        // holds count * words words
        std::int64_t words;         // (nx + 63) / 64
    };
    /// Packs several rows of one slice, each as pack() does. A source may have a faster way than one call of pack() per row.
    virtual void pack_rows(const std::byte* fetched, RowRange rows, const PackedRows& to) const {
        for (std::int64_t i = 0; i < to.count; ++i) pack(fetched, rows, to.index + i, to.bits + i * to.words);
    }
    /// The nx stored values of row rows.first + index, of type value_type() and aligned for it. Called only for rules that compare values.
    /// Must be thread-safe.
    virtual const std::byte* values(const std::byte* fetched, RowRange rows, std::int64_t index) const = 0;
    /// The type of the result of values().
    virtual ScalarType value_type() const { return ScalarType::u8; }
    /// How long the result of values() stays valid: until the next fetch() with the same buffer, or as long as the source exists.
    enum class Lifetime : std::uint8_t { until_next_fetch, source };
    virtual Lifetime lifetime() const { return Lifetime::until_next_fetch; }
};

using voxcc::Rule;

/// Axes along which the volume wraps around: see voxcc/periodic.h.
using Periodic = AxisSet;

class Ends;

/// The results that the caller uses: all, or only count(), measure() and source_values() of the labelling. In the second case,
/// prepare_paint() and paint() must not be called. An algorithm may then compute the sums without labels.
enum class Results : std::uint8_t { labels_and_sums, sums };

struct Request {
    Extent extent;  // in voxels; each axis must be in [1, 2^32)
    Connectivity connectivity = Connectivity::c26;
    Rule rule = Rule::foreground;
    Bound gradient = {};  // Rule::gradient and Rule::colour: connects voxels whose values or colours differ by at most this; >= 0
    Periodic periodic;
    Results results = Results::labels_and_sums;
    Isa isa = default_isa();                                                              // must be supported by the processor
    enum class IdWidth : std::uint8_t { automatic, wide } id_width = IdWidth::automatic;  // wide: always 64-bit run ids, for tests
    MemoryLimit* memory = nullptr;  // on the CPU: limit for runs, components and their sums; must outlive the labelling. Null: none
    int volumes_per_device = 1;     // on GPUs: number of volumes that share the free memory of a device at the same time
};

struct Seconds {  // wall-clock time per phase; pack includes the time of fetch()
    double pack = 0, unite = 0, number = 0, measure = 0, paint = 0;
};

/// A labelled volume. Not thread-safe, except paint().
class Labelling {
public:
    virtual ~Labelling() = default;
    /// The number of components. They are numbered 1..count() by their first voxel in raster order (x fastest).
    virtual std::uint64_t count() const = 0;
    /// The sums of all components; row k - 1 for number k. Components of periodic volumes are unwrapped: see voxcc/periodic.h.
    virtual SumTable measure() = 0;
    /// Rule::equal_values: the stored value of the voxels of each component; entry k - 1 for number k. Signed integers are sign-extended to
    /// 64 bits; unsigned integers and the bits of floats are zero-extended. Empty for other rules.
    virtual std::vector<std::uint64_t> source_values() const = 0;
    /// The number that each component would have if voxels were compared in the other order: x first, then y, then z. Entry k - 1 for
    /// number k. With the result as `final_numbers`, paint() numbers components by their first voxel with x slowest and z fastest.
    /// @throw Error unsupported, except for labellings of the function label() below
    // 2 x 2 x 1 voxels, x fastest: [0 1 / 1 0] with c4 has the numbers 1 (x 1, y 0) and 2 (x 0, y 1)  ->  {2, 1}
    virtual std::vector<std::uint64_t> numbers_with_x_slowest() const {
        throw Error(ErrorKind::unsupported, "order", "this labelling numbers components with x fastest only");
    }
    /// Sets the labels that paint() writes. Must be called before paint().
    /// @param type type of a label; must be an integer type that holds the largest number
    /// @param final_numbers must be empty or have count() entries. Number k is painted as final_numbers[k - 1]; 0 is background. Empty:
    ///     number k is painted as k
    virtual void prepare_paint(ScalarType type, std::span<const std::uint64_t> final_numbers) = 0;
    /// Writes the labels of rows, x fastest, in the prepared type. Thread-safe.
    /// @param out must hold rows.count * nx labels, in host memory, aligned for the type
    virtual void paint(RowRange rows, std::byte* out, Stores stores) const = 0;
    /// Prepares slices(). Must be called before it, and not between prepare_paint() and paint(). There must be fewer than 2^32 - 1
    /// components.
    virtual void prepare_slices() { prepare_paint(ScalarType::u32, {}); }
    /// Writes the numbers of consecutive slices. Thread-safe.
    /// @param first index of the first slice
    /// @param to one element per slice, made for the extent of a slice
    virtual void slices(const Extent& extent, std::int64_t first, std::span<LabelledSlice> to) const;
    /// How the components of a periodic volume are unwrapped: see voxcc/periodic.h. Null: no component needs it. Valid as long as the
    /// labelling.
    virtual const Sections* sections() const { return nullptr; }
    /// Same as prepare_paint(), with one final number per section; empty: sections keep their numbers. sections() must not be null.
    virtual void prepare_sections(ScalarType, std::span<const std::uint64_t> /*final_numbers*/) {
        throw Error(ErrorKind::internal, "sections", "this labelling has no sections");
    }
    /// The numbers of the voxels at the ends of axes, in 4 or 8 bytes. Calls prepare_paint().
    /// @param request its extent, the axes as its periodic axes, and its memory limit are used. The axes must be crossed_axes()
    /// @throw MemoryLimitReached; the exceptions of paint()
    virtual Ends read_ends(const Request& request, ThreadPool& pool);
    /// Counts the shape of all components on the device of the labels, without slices. Used by measure_shape().
    /// @param final_numbers as for prepare_paint(); no number may be 0
    /// @param add called as add(k - 1, counts) once for each final number k
    /// @return false if the labelling cannot count; then add() has not been called
    virtual bool count_shape(const ShapeRequest&, std::span<const std::uint64_t> /*final_numbers*/,
                             const std::function<void(std::uint64_t, const ShapeCounts&)>& /*add*/) {
        return false;
    }
    /// Counts the contacts between final numbers on the device of the labels, as label_contacts(). The final numbers must be less than
    /// 2^32.
    /// @param final_numbers as for prepare_paint()
    /// @param memory limit for the pairs; null: none
    /// @return empty if the labelling cannot count them
    virtual std::optional<std::vector<LabelContact>> contacts(Connectivity, std::span<const std::uint64_t> final_numbers,
                                                              MemoryLimit* memory);
    virtual const Seconds& seconds() const = 0;
};

/// Labels a volume on CPU threads.
/// @param source must be at row 0 if it is read in order. Is not used after the function returns
/// @param pool must outlive the labelling
/// @throw the exceptions of the source; Error out_of_memory, for the limit of the request MemoryLimitReached; invalid_extent if an axis has
/// less than 1 or more than 2^32 - 1 voxels;
///     unsupported_by_algorithm for Rule::colour, which this engine does not support. Rule::gradient: rows that are read in order are
///     united on one thread
std::unique_ptr<Labelling> label(const Request& request, RowSource& source, ThreadPool& pool);

/// Same as label(), in slabs of `slices` slices; the last slab may have fewer. Only one slab is in memory. Painting reads the source again:
/// once if the rows are painted in nearly ascending order. Several threads may paint rows of the same slab at the same time. A thread that
/// needs another slab waits until no thread paints the slab in memory.
/// @param source must outlive the labelling. If it is read in order, it must be at row 0, and rewind() must work
/// @param pool its size is the number of threads; the labelling starts its own
/// @param slices number of slices per slab, at least 1
/// @param subject file name for error messages
/// @throw the exceptions of label(); Error out_of_memory if a slab has more than 2^32 - 1 components. paint() throws Error changed_file if
///     the source has changed since the first pass
std::unique_ptr<Labelling> label_streamed(const Request& request, RowSource& source, ThreadPool& pool, std::int64_t slices,
                                          std::string subject);

}  // namespace voxcc::block_runs
