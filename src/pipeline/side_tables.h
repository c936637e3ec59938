// The columns and rows of the tables of contacts (--contacts) and of local maxima (--local-maxima).
#pragma once
#include <voxcc/contacts.h>
#include "io/table.h"
#include "src/pipeline/image_values.h"

#include <optional>
#include <string>
#include <vector>

namespace voxcc {

/// The columns that tell where a row comes from.
struct OriginColumns {
    bool file = false, volume = false;
    std::vector<std::string> entities = {};  // of BIDS: see TableForm
    std::vector<std::string> further = {};   // of the list of inputs: see TableForm
};

/// Their cells. Cells of columns that the table does not have are not used.
struct OriginCells {
    io::Cell file, volume;
    std::vector<std::optional<std::string>> entities;
    std::vector<std::string> further;
};

/// Adds the names of these columns.
// {.file = true, .entities = {"sub"}} -> {..., "file", "sub"}
void add_names(std::vector<std::string>& columns, const OriginColumns& origin);
/// Adds the cells of these columns.
void add_cells(std::vector<io::Cell>& row, const OriginColumns& origin, const OriginCells& cells);

/// The cell of a label. @param bits see LabelBits @param type of the label volume
io::Cell label_cell(std::uint64_t bits, ScalarType type);

/// The contacts of one volume.
struct VolumeContacts {
    const std::vector<LabelContact>& contacts;  // in the order of the rows
    ScalarType type;                            // of the labels
    Connectivity connectivity;                  // the contacts that were counted; columns of other contacts are n/a
    std::optional<World> world;
};

/// Whether the table has columns for edges and corners.
enum class ContactColumns : std::uint8_t { faces, all };

// mm -> {label_a, label_b, faces, area_mm2, edges, corners, file, sub, volume}
std::vector<std::string> contact_columns(ContactColumns which, const OriginColumns& origin, Units units);
/// Adds one row per pair of labels.
void add_contacts(const VolumeContacts& volume, ContactColumns which, const OriginColumns& origin, const OriginCells& cells,
                  io::TableWriter& table);

// mm -> {label, value, i, j, k, x_mm, y_mm, z_mm, intensity, file, volume}; `intensity` is the name of the image, if there are several
// images
std::vector<std::string> local_maxima_columns(const IntensityOptions& options, const OriginColumns& origin, Units units);
/// Adds the rows of one component: the greatest first.
/// @param component number of the component in `image` @param label the cell of its label
void add_local_maxima(const MeasuredImage& image, std::uint64_t component, const io::Cell& label, const std::optional<World>& world,
                      const IntensityOptions& options, const OriginColumns& origin, const OriginCells& cells, io::TableWriter& table);

}  // namespace voxcc
