// The columns of the table of components: names, units, meanings and formulas, and how each cell is computed. This is their only source:
// the header of the table, its rows, the sidecar and the tables in docs/reference/columns.md follow from it.
#pragma once
#include <voxcc/measure.h>
#include <voxcc/shape.h>
#include "io/table.h"
#include "src/pipeline/table_form.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace voxcc {

/// The columns that options add to the columns of every table.
struct ExtraColumns {
    bool inside = false, source_label = false, sign = false, periodic = false, file = false, volume = false, slice = false;
    std::vector<std::string> images = {};  // the names of the intensity images; an image may have no name
    std::vector<double> percentiles = {};  // of each image
    bool shape = false;
    bool bids = false;  // the columns that BIDS requires, in place of `label`
    TableForm form = {};
};

/// The values of an intensity image in a component.
struct ImageValues {
    IntensityProperties properties;
    std::vector<double> percentiles;
};

/// The values from which the cells of a row are computed. Values of columns that the table does not have are not used. Empty cells are
/// written as n/a.
struct ComponentValues {
    io::Cell label;  // an integer
    Properties properties;
    std::optional<std::array<std::int64_t, 3>> inside;  // i j k of a voxel of the component
    std::array<double, 3> inside_mm{};                  // its position, if the affine is usable
    io::Cell source_label;  // multi-label: the value of the voxels of the component; a double for floating-point input, else an integer
    io::Cell sign;          // --split-signs: 1 or -1
    std::vector<ImageValues> images;
    std::optional<ShapeProperties> shape;
    Space space = Space::volume;  // of the component
    std::optional<double> area;   // in a plane, if the affine is usable
    io::Cell file, volume, slice;
    std::vector<std::optional<std::string>> entities;  // in the order of TableForm::entities
    std::vector<std::string> further;                  // in the order of TableForm::further
};

/// What a column measures. It decides the unit. The names of lengths, areas and volumes end in their unit.
enum class Quantity : std::uint8_t { plain, voxels, squared_voxels, length, area, volume, image };

/// The unit of a quantity.
// volume in mm -> {"mm3", "mm^3"}; voxels -> {"voxels", "voxel"}; plain -> {"", ""}
struct UnitText {
    std::string page, bids;  // in docs/reference/columns.md, in the sidecar
};
UnitText unit_of(Quantity quantity, Units units = Units::mm);

/// Columns with one meaning, which follow each other in the table.
struct ColumnFamily {
    struct Member {
        std::string_view stem;        // the name without the unit
        std::string_view which = {};  // the difference to the other members
    };
    std::string_view title;
    std::vector<Member> members;
    Quantity quantity;
    std::string_view meaning;       // lower case, without a full stop; one row of docs/reference/columns.md
    std::string_view remark = {};   // further sentences for the sidecar
    std::string_view formula = {};  // N: number of voxels, A: affine, A3: its left 3 x 3 part, C: covariance
    std::string_view range = {};    // the possible values, in place of the unit in docs/reference/columns.md
    std::string_view group = {};    // of --columns: size, centroid, ...; empty: in no group
    bool is_brief = false;          // is shown on a terminal without --columns
    bool (*is_present)(const ExtraColumns& extras) = [](const ExtraColumns&) { return true; };
    io::Cell (*cell)(const ComponentValues& values, std::size_t member) = nullptr;
    /// In place of `cell`, for columns of an intensity image. These columns occur once per image.
    io::Cell (*image_cell)(const ImageValues& values, std::size_t member) = nullptr;
    /// percentiles, entities, further: the columns have one member per percentage, per entity of BIDS, or per further column of the list of
    /// inputs. The only member in the list is an example for docs/reference/columns.md.
    enum class Members : std::uint8_t { listed, percentiles, entities, further } repeat = Members::listed;
    /// Whether an infinite result is a value of the file, or stands for a value that does not exist.
    enum class Infinite : std::uint8_t { absent, value } infinite = Infinite::absent;
};

/// For ColumnFamily::is_present of columns that an option adds.
// with<&ExtraColumns::intensity>
template <bool ExtraColumns::*member>
bool with(const ExtraColumns& extras) {
    return extras.*member;
}

/// For ColumnFamily::is_present of columns that only components of one space have.
inline bool has_planes(const ExtraColumns& extras) { return extras.form.spaces.planes; }
inline bool has_volumes(const ExtraColumns& extras) { return extras.form.spaces.volumes; }

/// The cell of a value that depends on the affine: n/a if the affine is not usable.
inline io::Cell in_world(const ComponentValues& v, double value) { return v.properties.has_world ? io::Cell(value) : io::Cell(); }

/// The families of one section of docs/reference/columns.md, in the order of the columns.
struct ColumnSection {
    std::string_view title;
    std::vector<ColumnFamily> families;
};

/// The families of each section.
std::vector<ColumnFamily> columns_of_size_and_position();
std::vector<ColumnFamily> columns_of_second_moments();
std::vector<ColumnFamily> columns_of_intensity();
std::vector<ColumnFamily> columns_of_shape();

/// All columns, in their order.
const std::vector<ColumnSection>& column_sections();

/// @return the name of a column, without the name of an intensity image
// {"volume"} in um -> "volume_um3"; {"centroid_i"} -> "centroid_i"
std::string name_of(const ColumnFamily& family, const ColumnFamily::Member& member, Units units = Units::mm);

}  // namespace voxcc
