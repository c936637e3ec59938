// The image and the label volumes that belong to a volume of a table.
#pragma once
#include "src/messages/report.h"
#include "src/options/options.h"
#include "src/pipeline/naming.h"
#include "src/report/picture.h"
#include "src/report/volumes.h"

namespace voxcc::report {

/// The files of volumes that the options name: the image, the label volume, and the label volume beside it. Options that are not given are
/// left out. The names may contain words in braces.
std::vector<NamedFile> named_volumes(const ReportOptions& options);

/// Replaces {file} by the cell of the column `file`, {stem} by its name without folders and extensions, and {volume} by the number of the
/// volume. For a table without the column, {stem} is the name of the table without folders and extensions.
/// @param named the option is the subject of the error
/// @throw Error invalid_argument if {file} is used and the table does not have the column
// "out/{stem}.nii.gz", file "scans/a.nii.gz"  ->  "out/a.nii.gz"
std::string file_of(const NamedFile& named, const TableVolume& volume);

/// Checks that no two volumes have the same image or the same label volumes. @throw Error invalid_argument
void require_own_files(const std::vector<TableVolume>& volumes, const ReportOptions& options);

/// Opens the image and the label volumes. --dataset and --volume apply to the image. @throw Error as io::open_volume(); invalid_file if a
/// component of the table is outside, or if their grids differ
PictureFiles open_files(const TableVolume& volume, const ReportOptions& options);

/// The labels and sizes of the rows. @throw Error invalid_file if a label is not a whole number
PictureComponents picture_components(const TableVolume& volume);

/// Prints the warnings of the readers. Warns if the table and the label volume do not have the same labels. The label volume beside it may
/// have any labels.
void warn_of_files(const Picture& picture, const TableVolume& volume, const PictureFiles& files, const Reporter& reporter);

}  // namespace voxcc::report
