// The names of the volumes on the page, and the texts behind # in links to them.
#pragma once
#include "src/report/volumes.h"

namespace voxcc::report {

/// All anchors of a page are different.
struct VolumeName {
    std::string name;    // for people
    std::string anchor;  // for links
};

/// The name of a volume is the name of its file, with the number of the volume of a 4D file. If two files have the same name, the names
/// of all volumes have as many folders as are necessary to distinguish them. Volumes without a column `file` have the name of their table
/// without its extension. An anchor is the name without known extensions of files.
// "a/scan.nii.gz", "b/scan.nii.gz", volume 3  ->  {"a/scan.nii.gz", "a/scan"}, {"b/scan.nii.gz, volume 3", "b/scan_3"}
std::vector<VolumeName> names_of(const std::vector<TableVolume>& volumes);

}  // namespace voxcc::report
