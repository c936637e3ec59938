// The block-run engine: labelling and measuring a volume on CPU threads. Our own design, the default of the program.
//
//   pack     voxels -> bits and run starts; the input is not needed again          simd/pack.cpp, cpu/index.h
//   unite    block-runs that touch get one parent                                  cpu/unite.h
//   number   1..K by first voxel in raster order, one label a run                  cpu/number.h, first_voxels.h
//   measure  integer sums a component, from runs                                   cpu/measure.h
//   paint    every voxel's label = label[run of its column], where its bit is set  simd/paint.cpp
//
// Memory: N/8 bytes of bits, 12 bytes for each 64 columns of a block-row, 8 bytes a run; sums 32 bytes a small component,
// 136 a large one (compact_sums.h).
#pragma once
#include <voxcc/connectivity.h>
#include <voxcc/isa.h>
#include <voxcc/statistics.h>
#include <voxcc/threads.h>

#include <memory>
#include <span>
#include <vector>

namespace voxcc::block_runs {

/// Hands over the foreground of a volume, row by row.
class RowSource {
public:
    enum class Access : std::uint8_t { in_order, concurrent };
    virtual ~RowSource() = default;
    /// in_order: fetch is called for ascending, gap-free ranges from row 0 on, by one thread at a time. concurrent: in any order.
    virtual Access access() const = 0;
    /// in_order: fetch begins at row 0 again. May throw.
    virtual void rewind() {}
    /// Rows worth fetching at once.
    virtual std::int64_t rows_per_fetch() const = 0;
    /// Brings rows near. @return what pack() and values() take; valid while `buffer` is not changed. May throw.
    virtual const std::byte* fetch(RowRange rows, std::vector<std::byte>& buffer) = 0;
    /// Foreground of the index-th of the fetched rows: bit x % 64 of bits[x / 64]; bits past nx are zero. Any thread.
    virtual void pack(const std::byte* fetched, RowRange rows, std::int64_t index, std::uint64_t* bits) const = 0;
    /// Voxels of the index-th of the fetched rows (rules that look at values only), of type value_type(), aligned as that.
    virtual const std::byte* values(const std::byte* fetched, RowRange rows, std::int64_t index) const = 0;
    virtual ScalarType value_type() const { return ScalarType::u8; }
    /// How long values() stay where they are.
    enum class Lifetime : std::uint8_t { until_next_fetch, source };
    virtual Lifetime lifetime() const { return Lifetime::until_next_fetch; }
};

using voxcc::Rule;

/// Axes along which the volume wraps around.
struct Periodic {
    std::array<bool, 3> axes{};
    bool any() const { return axes[0] || axes[1] || axes[2]; }
};

struct Request {
    Extent extent;
    Connectivity connectivity = Connectivity::c26;
    Rule rule = Rule::foreground;
    double gradient = 0;  // Rule::gradient: the most by which stored values of neighbours differ, >= 0
    Periodic periodic;
    Isa isa = best_isa();
    enum class IdWidth : std::uint8_t { automatic, wide } id_width = IdWidth::automatic;  // wide: 64-bit run ids, for tests of them
};

struct Seconds {  // wall clock; pack contains reading where the source reads
    double pack = 0, unite = 0, number = 0, measure = 0, paint = 0;
};

/// A labelled volume.
class Labelling {
public:
    virtual ~Labelling() = default;
    /// Components; they are numbered 1..count() by their first voxel in raster order (x fastest).
    virtual std::uint64_t count() const = 0;
    /// Sums of all components, row k - 1 for number k.
    virtual SumTable measure() = 0;
    /// Value of each component's first run, row k - 1 for number k, as the bits of value_type() widened; equal_values only.
    virtual std::vector<std::uint64_t> source_values() const = 0;
    /// Sets what is painted: number k becomes final_numbers[k - 1], which fits `type`; 0 is background. Empty: numbers stay.
    virtual void prepare_paint(ScalarType type, std::span<const std::uint64_t> final_numbers) = 0;
    /// Labels of rows in raster order, of the type prepared. Thread-safe.
    virtual void paint(RowRange rows, std::byte* out, Stores stores) const = 0;
    virtual const Seconds& seconds() const = 0;
};

/// @throw what the source throws; Error out_of_memory; unsupported_by_algorithm for Rule::gradient, which blocks of bits cannot follow
std::unique_ptr<Labelling> label(const Request& request, RowSource& source, ThreadPool& pool);

/// Same as label(), in slabs of `slices` slices; the last slab may have fewer. Painting all rows in nearly ascending order reads the
/// source once more. A source that is read in order is rewound to row 0 first. Several threads may paint rows of one slab at the same
/// time. A thread that needs another slab waits until no thread is in the slab before.
/// @param source must be at row 0. It must outlive the labelling. If it is read in order, rewind() must work
/// @param slices number of slices per slab, at least 1
/// @param subject file name for error messages
/// @throw the exceptions of label(); Error out_of_memory if a slab has more than 2^32 - 1 components; Error changed_file, when painting, if
///     the source has changed since the first pass
std::unique_ptr<Labelling> label_streamed(const Request& request, RowSource& source, ThreadPool& pool, std::int64_t slices,
                                          std::string subject);

}  // namespace voxcc::block_runs
