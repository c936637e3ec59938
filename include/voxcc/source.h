// Where the voxels of a labelling come from: row sources, sources for voxels in host memory, and test volumes.
#pragma once
#include <voxcc/connectivity.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace voxcc {

/// Number of 64-bit words that hold a row of bits: bit x % 64 of word x / 64 stands for column x.
/// @param columns at least 0; columns + 63 must fit the type
// 64  ->  1,  65  ->  2
template <class Int>
VOXCC_HD constexpr Int words_of(Int columns) {
    return (columns + 63) / 64;
}

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

/// How the bytes of a voxel lie in memory. half: an IEEE 754 number of 16 bits, which is widened to f32. swapped: the other byte order.
enum class Storage : std::uint8_t { native, swapped, half, swapped_half };

/// Bytes of a stored voxel.
// {f32, half} -> 2
constexpr std::int64_t stored_bytes(ScalarType type, Storage storage) {
    return storage == Storage::half || storage == Storage::swapped_half ? 2 : size_of(type);
}

/// Supplies the rows of a view. A row is read in place if its voxels lie side by side in native storage. Other rows are copied to the
/// buffer of fetch(), so the volume is never copied.
class StridedSource : public RowSource {
public:
    /// @param view its voxels may begin at any byte. The type is the type after widening: f32 for half
    /// @param packer must outlive the source; its type must be the type of the view
    StridedSource(const VolumeView& view, const ForegroundPacker& packer, Storage storage = Storage::native);
    Access access() const override { return Access::concurrent; }
    std::int64_t rows_per_fetch() const override;
    const std::byte* fetch(RowRange rows, std::vector<std::byte>& buffer) override;
    void pack(const std::byte* fetched, RowRange rows, std::int64_t index, std::uint64_t* bits) const override {
        pack_rows(fetched, rows, {index, 1, bits, 0});
    }
    void pack_rows(const std::byte* fetched, RowRange rows, const PackedRows& to) const override;
    const std::byte* values(const std::byte* fetched, RowRange rows, std::int64_t index) const override;
    ScalarType value_type() const override { return view_.type; }
    Lifetime lifetime() const override { return in_place_ ? Lifetime::source : Lifetime::until_next_fetch; }

    const Extent& extent() const { return view_.extent; }
    /// Whether rows are read in place. fetch() then uses no buffer.
    bool in_place() const { return in_place_; }
    /// The number of NaN voxels in all rows that pack() has packed. Thread-safe.
    std::int64_t nan_voxels() const { return nan_voxels_.load(std::memory_order_relaxed); }
    /// Bytes that copy() writes.
    std::int64_t copied_bytes(RowRange rows) const { return rows.count * row_bytes_; }
    /// Copies rows, side by side, in native storage and the type of the view. Thread-safe.
    /// @param to must hold copied_bytes(rows)
    void copy(RowRange rows, std::byte* to) const;

private:
    VolumeView view_;
    const ForegroundPacker& packer_;
    Storage storage_;
    std::int64_t row_bytes_;
    bool in_place_;
    bool rows_follow_;  // the distance between consecutive rows is the same within slices and between slices
    Isa isa_ = default_isa();
    mutable std::atomic<std::int64_t> nan_voxels_ = 0;
};

/// Supplies the rows of one source, where the voxels of a second source are foreground, too.
// voxels [1 1 0 1], mask [0 7 7 7]  ->  foreground [0 1 0 1]
class MaskedSource : public RowSource {
public:
    /// Both must outlive this object and must have the same extent.
    MaskedSource(StridedSource& voxels, StridedSource& mask) : voxels_(voxels), mask_(mask) {}
    Access access() const override { return Access::concurrent; }
    std::int64_t rows_per_fetch() const override { return std::min(voxels_.rows_per_fetch(), mask_.rows_per_fetch()); }
    const std::byte* fetch(RowRange rows, std::vector<std::byte>& buffer) override;
    void pack(const std::byte* fetched, RowRange rows, std::int64_t index, std::uint64_t* bits) const override;
    const std::byte* values(const std::byte* fetched, RowRange rows, std::int64_t index) const override {
        return voxels_.values(fetched, rows, index);
    }
    ScalarType value_type() const override { return voxels_.value_type(); }
    Lifetime lifetime() const override { return voxels_.lifetime(); }

private:
    std::int64_t mask_offset(RowRange rows) const;  // in the buffer
    StridedSource& voxels_;
    StridedSource& mask_;
};

/// The foreground of a source and its background exchanged.
// foreground [1 1 0 1]  ->  [0 0 1 0]
class BackgroundSource : public RowSource {
public:
    /// @param source must outlive this object
    /// @param nx voxels per row
    BackgroundSource(RowSource& source, std::int64_t nx) : source_(source), nx_(nx) {}
    Access access() const override { return source_.access(); }
    void rewind() override { source_.rewind(); }
    std::int64_t rows_per_fetch() const override { return source_.rows_per_fetch(); }
    const std::byte* fetch(RowRange rows, std::vector<std::byte>& buffer) override { return source_.fetch(rows, buffer); }
    void pack(const std::byte* fetched, RowRange rows, std::int64_t index, std::uint64_t* bits) const override {
        pack_rows(fetched, rows, {index, 1, bits, words_of(nx_)});
    }
    void pack_rows(const std::byte* fetched, RowRange rows, const PackedRows& to) const override;
    const std::byte* values(const std::byte* fetched, RowRange rows, std::int64_t index) const override {
        return source_.values(fetched, rows, index);
    }

private:
    RowSource& source_;
    std::int64_t nx_;
};

/// The extent after the exchange of axes. @param slices axis across the slices, see VolumeBits
// {4, 3, 2}: Axis::y -> {4, 2, 3}, Axis::x -> {3, 2, 4}
Extent exchanged(const Extent& stored, Axis slices);

/// The data that are kept after reading: only the foreground bits, or also the stored values.
enum class Keep : std::uint8_t { bits, bits_and_values };

/// The data that labelling by a rule needs.
inline Keep keep_for(Rule rule) { return rule == Rule::foreground ? Keep::bits : Keep::bits_and_values; }

/// Packs the mask of a fetched row: as RowSource::pack() packs the foreground.
using PackMask = std::function<void(const std::byte* fetched, RowRange rows, std::int64_t index, std::uint64_t* bits)>;

/// The foreground of a volume in memory. The axes are exchanged, so that slices across `slices` become z-slices. Order of the stored axes
/// for Axis::z: x y z; for Axis::y: x z y; for Axis::x: y z x.
struct VolumeBits {
    Extent extent;                    // after the exchange
    std::int64_t words = 0;           // 64-bit words per row
    std::vector<std::uint64_t> bits;  // [extent.rows()][words]
    ScalarType value_type = ScalarType::u8;
    std::vector<std::byte> values;    // [extent.voxels()] of value_type; empty with Keep::bits
    std::vector<std::uint64_t> mask;  // as bits; empty without a mask, and if the holes of the foreground are not filled
    std::uint64_t* row(std::int64_t r) { return bits.data() + r * words; }
    const std::uint64_t* row(std::int64_t r) const { return bits.data() + r * words; }
};

/// Reads rows of a source.
/// @param pack_mask fills VolumeBits::mask; empty: without a mask
/// @param stored extent of the slices that are read; of the complete volume, or of a slab
/// @param first_row the first row of these slices
/// @throw the exceptions of the source
VolumeBits read_bits(RowSource& source, const Extent& stored, std::int64_t first_row, Axis slices, Keep keep,
                     const PackMask& pack_mask = {});

/// A row source for bits in memory, with concurrent access. Does not own the bits, which must outlive the source.
class VolumeBitsSource : public RowSource {
public:
    explicit VolumeBitsSource(const VolumeBits& held) : volume_(held) {}
    Access access() const override { return Access::concurrent; }
    std::int64_t rows_per_fetch() const override { return 64; }
    const std::byte* fetch(RowRange, std::vector<std::byte>&) override { return volume_.values.data(); }
    void pack(const std::byte*, RowRange rows, std::int64_t index, std::uint64_t* bits) const override {
        std::copy_n(volume_.row(rows.first + index), volume_.words, bits);
    }
    const std::byte* values(const std::byte* fetched, RowRange rows, std::int64_t index) const override {
        return fetched + (rows.first + index) * volume_.extent.nx * size_of(volume_.value_type);
    }
    ScalarType value_type() const override { return volume_.value_type; }
    Lifetime lifetime() const override { return Lifetime::source; }

private:
    const VolumeBits& volume_;
};

enum class TestVolumeKind { hilbert, random, blobs, checkerboard, solid, spiral, ridge, zigzag_spiral, dry_earth };

/// The pseudo-random number generator of a random volume: the Mersenne twister MT19937, its version for 64 bits, or SplitMix64. Any draw of
/// SplitMix64 can be computed without the draws before it.
/// Source of SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
enum class Generator { mt19937, mt19937_64, splitmix64 };

/// Families of images of ridge patterns. Source: Asad, Marroquim, Souza, "On GPU connected components and properties", 2019, section IV-C.
/// The sixth family of the paper is TestVolumeKind::spiral.
enum class RidgeFamily { leveling, scaling, subdivision, random_instancing, random_merging };

/// An image of ridge patterns. It must have 2^n x 2^n voxels, n at least 2. A comment that starts with families means that only these
/// families use the member.
struct RidgeRecipe {
    RidgeFamily family = RidgeFamily::leveling;
    int level = 3;         // number of passes that label equivalence takes, in [1, n - 1]
    double factor = 0.5;   // scaling: size of the pattern relative to its full size, in [0, 1]
    int subdivisions = 2;  // subdivision, random_*: the image has 4^subdivisions cells; in [0, n - level - 1], at most 15
    /// In [0, 1]. random_instancing: probability of a pattern in a cell. random_merging: probability of a line between adjacent patterns.
    double probability = 0.5;
};

/// Description of a test volume. A comment that starts with kinds means that only these kinds use the member.
struct TestVolumeRecipe {
    TestVolumeKind kind = TestVolumeKind::solid;
    Extent extent = {};
    int order = 1;           // hilbert: in [1, 10]; 8^order points. The extent must be a cube with an edge of at least 2^order voxels
    double density = 0.5;    // random: probability that a block is foreground; blobs: share of foreground voxels; in [0, 1]
    int granularity = 1;     // random, checkerboard: edge of the blocks of equal voxels, in voxels, in [1, 1024]
    double scale = 8;        // blobs: standard deviation of the smoothing, in voxels
    std::int64_t tile = 0;   // blobs: the volume repeats after this number of voxels along each axis; 0: it does not repeat
    std::uint64_t seed = 1;  // random, blobs, ridge, dry_earth; mt19937 uses the low 32 bits
    RidgeRecipe ridge = {};  // ridge: all slices are equal, as in zigzag_spiral and dry_earth
    Generator generator = Generator::mt19937_64;  // random
};

/// Makes a volume in pieces. Not thread-safe.
class TestVolume {
public:
    virtual ~TestVolume() = default;
    /// Sets the voxels [x, x + part.size()) of row (y, z) to 0 or 1. Calls may be made in any order. Raster order is the fastest for random
    /// with a Mersenne twister and for ridge: a step back repeats all draws from the first.
    virtual void fill(std::int64_t x, std::int64_t y, std::int64_t z, std::span<std::uint8_t> part) = 0;
    /// Sets the nx voxels of row (y, z).
    void fill_row(std::int64_t y, std::int64_t z, std::span<std::uint8_t> row) { fill(0, y, z, row); }
};

/// Checks a recipe without making the volume.
/// @throw Error invalid_argument if the recipe is not valid
void check_test_volume(const TestVolumeRecipe& recipe);

/// The memory that a test volume needs, in bytes, without a few rows: 1 byte per block of a layer for random with a Mersenne twister; 2
/// bytes per voxel of a slice for dry_earth; 4 bytes per voxel for blobs, or per voxel of the tile; 8^order bytes for hilbert; 0 for
/// others.
std::int64_t test_volume_bytes(const TestVolumeRecipe& recipe);

/// Prepares a test volume. Memory: test_volume_bytes().
/// @throw Error invalid_argument if the recipe is not valid
// {.kind = TestVolumeKind::checkerboard, .extent = {3, 2, 1}}  ->  rows [1 0 1], [0 1 0]
std::unique_ptr<TestVolume> make_test_volume(const TestVolumeRecipe& recipe);

/// The number of components, if it is known without labelling. Empty for random, blobs and dry_earth, and for hilbert with c4 or c8 in
/// several slices. Memory: 4 bytes per pattern for random_merging, at most a row of patterns for the others.
/// @param recipe must be valid for make_test_volume()
/// @throw Error invalid_argument if a ridge recipe is not valid
// solid, {4, 4, 3}: c26 -> 1, c8 -> 3
std::optional<std::uint64_t> known_components(const TestVolumeRecipe& recipe, Connectivity connectivity);

}  // namespace voxcc
