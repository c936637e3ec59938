// The shape of components: surface, Euler number, largest diameter and principal axes.
//
//   voxcc::Labelling labelling = voxcc::label(volume);
//   voxcc::ShapeTable shapes = voxcc::measure_shape(*labelling, {.extent = extent, .world = world}, sums, pool);
//   voxcc::ShapeScale scale(world, voxcc::Space::volume);
//   voxcc::describe_shape(describe(sums[0], extent, world), shapes.counts(0), shapes.feret_mm(0), scale).surface_mm2;
//
// Neighbouring voxels are counted in integers, so every device, thread count and instruction set gives the same counts. Each property is
// computed from the counts in one way.
#pragma once
#include <voxcc/connectivity.h>
#include <voxcc/measure.h>

#include <array>
#include <memory>
#include <optional>
#include <span>

namespace voxcc {

class Labelling;

/// The steps from a voxel to the 13 neighbours that come later in raster order. In a plane, only the directions 0, 1, 3 and 4 exist.
inline constexpr std::array<std::array<int, 3>, 13> shape_directions{{{1, 0, 0},
                                                                      {0, 1, 0},
                                                                      {0, 0, 1},
                                                                      {1, 1, 0},
                                                                      {-1, 1, 0},
                                                                      {1, 0, 1},
                                                                      {-1, 0, 1},
                                                                      {0, 1, 1},
                                                                      {0, -1, 1},
                                                                      {1, 1, 1},
                                                                      {-1, 1, 1},
                                                                      {1, -1, 1},
                                                                      {-1, -1, 1}}};

/// How voxels form a body whose Euler number is counted. closed (26 and 8): each voxel is a closed cube, so voxels that touch in a vertex
/// are joined. split (18): closed cubes, but a vertex that joins only two opposite voxels counts twice, once per voxel. open (6 and 4):
/// voxels are joined through faces only; pairs, 2x2 squares and 2x2x2 cubes of voxels are the edges, faces and cells.
enum class Cells : std::uint8_t { closed, split, open };

// c26 -> closed, c4 -> open
constexpr Cells cells_of(Connectivity c) {
    if (c == Connectivity::c6 || c == Connectivity::c4) return Cells::open;
    return c == Connectivity::c18 ? Cells::split : Cells::closed;
}

/// Whether a body has three dimensions or lies in one slice.
enum class Space : std::uint8_t { plane, volume };
constexpr Space space_of(Connectivity c) { return c == Connectivity::c4 || c == Connectivity::c8 ? Space::plane : Space::volume; }

/// A corner of voxels in the plane below slice z. Voxel (x, y) has the corners x and x + 1, y and y + 1.
struct Corner {
    std::uint32_t x = 0, y = 0, z = 0;
    bool operator==(const Corner&) const = default;
};

/// The counts of one component.
// two voxels side by side in x, closed  ->  pairs {1, 0, 0, ...}, euler 1
struct ShapeCounts {
    std::array<std::uint64_t, 13> pairs{};  // [d] number of voxels v such that v and v + shape_directions[d] belong to the component
    std::int64_t euler = 0;                 // Euler number: parts - tunnels + cavities
    void add(const ShapeCounts& o) {
        for (std::size_t d = 0; d < pairs.size(); ++d) pairs[d] += o.pairs[d];
        euler += o.euler;
    }
    bool operator==(const ShapeCounts&) const = default;
};

/// What is measured. The question is the question of the labelling: c4 and c8 measure each z-slice separately, and faces and pairs across
/// periodic axes count; see ShapeProperties::feret_mm. Its foreground is not used.
struct ShapeRequest : Question {
    Extent extent = {};               // of the volume
    std::optional<World> world = {};  // for feret_mm; without it, feret_mm is not computed
    enum class Feret : std::uint8_t { skip, compute } feret = Feret::compute;
    Isa isa = default_isa();
    MemoryLimit* memory = nullptr;  // counts the bytes of the table; must outlive the table. Null: no limit
};

/// The counts of all components; row k - 1 for label k. A copy shares them. Thread-safe.
class ShapeTable {
public:
    class Rows;
    ShapeTable() = default;
    explicit ShapeTable(std::shared_ptr<const Rows> rows) : rows_(std::move(rows)) {}
    std::size_t size() const;
    ShapeCounts counts(std::size_t row) const;
    /// Empty if it was not computed.
    std::optional<double> feret_mm(std::size_t row) const;
    /// Bytes per component that measure_shape() takes from the limit of a request, without the points of Feret diameters.
    static std::int64_t bytes_per_component(const ShapeRequest& request);
    /// Bytes that measure_shape() holds for smooth shapes, beside the table.
    static std::int64_t buffer_bytes(const ShapeRequest& request, int threads);

private:
    std::shared_ptr<const Rows> rows_;
};

/// Counts the shape of all components of a labelling, from its runs or from painted slices. Calls prepare_paint() of labellings that are
/// not labelled by runs.
/// @param labelling must support paint()
/// @param sums result of measure() of the labelling
/// @throw Error out_of_memory, also if there are more than 2^32 - 2 components; MemoryLimitReached; the exceptions of paint()
ShapeTable measure_shape(Labelling& labelling, const ShapeRequest& request, const SumTable& sums, ThreadPool& pool);

/// Counts the shape of labels that arrive row by row, for example from a file. Memory: the table, three slices of 2 bits per voxel, and the
/// convex outline of each label in each slice.
class ShapeOfRows {
public:
    /// @param request its periodic axes are not used
    ShapeOfRows(const ShapeRequest& request, ThreadPool& pool);
    ~ShapeOfRows();
    /// Adds the next row, in raster order.
    /// @param numbers number of each of the nx voxels of the row; 0 is background
    void add_row(std::span<const std::uint32_t> numbers);
    /// The counts of the numbers 1 to `count`. Must be called once, after the last row.
    ShapeTable finish(std::uint32_t count);

private:
    class Counter;
    std::unique_ptr<Counter> counter_;
};

/// The shape of one component. Values in mm exist only with a World.
struct ShapeProperties {
    std::optional<double> surface_mm2;        // Crofton formula; in a plane the perimeter in mm
    std::optional<double> surface_faces_mm2;  // area of the exposed faces of voxels; in a plane the length of the exposed sides in mm
    std::int64_t euler_number = 0;
    std::optional<double> sphericity;              // surface of the ball of equal volume / surface; in a plane with circle and perimeter
    std::optional<double> equivalent_diameter_mm;  // diameter of the ball of equal volume, or of the circle of equal area
    double extent = 0;                             // voxels / voxels of the bounding box
    std::optional<double> feret_mm;                // largest distance between two corners of voxels, at stored positions
    /// Unit vectors x y z (RAS+) of the principal axes, largest standard deviation first. See docs/manual/measures.md for signs and equal
    /// axes.
    std::optional<std::array<std::array<double, 3>, 3>> axes;
    std::optional<std::array<double, 3>> axis_lengths_mm;  // 4 standard deviations
};

/// The sizes of voxels that the properties need. Computed once per volume.
struct ShapeScale {
    /// @param grid empty if the affine is singular or not finite
    ShapeScale(const std::optional<World>& grid, Space dimensions);
    Space space;
    bool has_world;
    double voxel = 0;                  // volume of a voxel in mm3; in a plane the area in mm2
    std::array<double, 3> faces{};     // area of the faces of a voxel across x, y and z in mm2; in a plane the length of the sides in mm
    std::array<double, 13> per_run{};  // part of the surface, or perimeter, for each run of voxels along a direction
    std::array<double, 3> normal{};    // unit vector perpendicular to the plane; 0 in space
};

/// Computes the properties of a component.
/// @param properties result of describe() for the component
/// @param feret_mm result of ShapeTable::feret_mm()
// one voxel of 1 x 1 x 2 mm  ->  surface_faces_mm2 10, euler_number 1, extent 1
ShapeProperties describe_shape(const Properties& properties, const ShapeCounts& counts, std::optional<double> feret_mm,
                               const ShapeScale& scale);

/// The weights of the directions in the Crofton formula: the area of the unit sphere that is nearer to a direction, or to its opposite,
/// than to all others, as a fraction of the sphere. In a plane, the fraction of the unit circle; weights of other directions are 0.
// cubic voxels: 0.0916 for the 3 axes, 0.0740 for the 6 diagonals of faces, 0.0703 for the 4 diagonals of cubes; their sum is 1
std::array<double, 13> direction_weights(const World& world, Space space);

}  // namespace voxcc
