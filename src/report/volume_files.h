// The image and the label volume that belong to a volume of a table.
#pragma once
#include "src/messages/report.h"
#include "src/options/options.h"
#include "src/report/picture.h"
#include "src/report/volumes.h"

namespace voxcc::report {

/// Replaces {file} by the cell of the column `file`, {stem} by its name without folders and extensions, and {volume} by the number of the
/// volume. For a table without the column, {stem} is the name of the table without folders and extensions.
/// @param option the option that gave the template, subject of the error
/// @throw Error invalid_argument if {file} is used and the table does not have the column
// "out/{stem}.nii.gz", file "scans/a.nii.gz"  ->  "out/a.nii.gz"
std::string file_of(const std::string& path_template, const TableVolume& volume, const std::string& option);

/// Checks that no two volumes have the same image or the same label volume. @throw Error invalid_argument
void require_own_files(const std::vector<TableVolume>& volumes, const ReportOptions& options);

/// Opens the image and the label volume. --dataset and --volume apply to the image. @throw Error as io::open_volume(); invalid_file if a
/// component of the table is outside
PictureFiles open_files(const TableVolume& volume, const ReportOptions& options);

/// The labels and sizes of the rows. @throw Error invalid_file if a label is not a whole number
PictureComponents picture_components(const TableVolume& volume);

/// Prints the warnings of the readers. Warns if the table and the label volume do not have the same labels.
void warn_of_files(const Picture& picture, const TableVolume& volume, const PictureFiles& files, const Reporter& reporter);

}  // namespace voxcc::report
