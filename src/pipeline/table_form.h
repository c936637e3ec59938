// What the columns of a table must know of its volumes: the unit of lengths, and whether the components have two or three dimensions.
#pragma once
#include "src/options/options.h"

#include <optional>
#include <string>
#include <vector>

namespace voxcc {

/// The spaces of the components of a table. A table of several inputs can have components of both.
struct Spaces {
    bool planes = false, volumes = true;
};
// plane -> {true, false}
Spaces spaces_of(Space space);

/// Whether the rows state the number of their volume: if an input chooses a list of volumes.
enum class VolumeColumn : std::uint8_t { leave_out, add };

struct TableForm {
    Units units = Units::mm;
    Spaces spaces = {};
    VolumeColumn volume = VolumeColumn::leave_out;
    std::vector<std::string> entities = {};  // of BIDS, in the paths of the inputs; empty for the table of one input
    std::vector<std::string> further = {};   // see further_columns()
};

/// The unit of the tables of a volume. @param wanted empty for the unit of the file: micrometres, or nanometres also for smaller units, or
/// mm for larger ones. A file with an unknown unit gives `unit`, and a file without a size of voxels gives `voxel`
/// @throw ProgramError as require_lengths() if a wanted unit of length is not known
Units units_for(const std::optional<Units>& wanted, const io::VolumeInfo& info);

/// A note for tables whose lengths are in voxels or in an unknown unit, although no unit was wanted. Empty for other tables.
// "does not state the size of its voxels, so lengths are in voxels; give the size with --spacing"
std::string note_on_lengths(const std::optional<Units>& wanted, const io::VolumeInfo& info);

/// The form of the table of one volume.
TableForm form_of(const std::optional<Units>& wanted, const io::VolumeInfo& info, Space space);

/// The form of the tables of all inputs of `voxcc label`. Reads the headers of the inputs. Inputs that cannot be read have no effect.
/// @throw Error invalid_argument if the inputs have different units
TableForm common_form(const LabelOptions& options);

}  // namespace voxcc
