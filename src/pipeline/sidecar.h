// The sidecar of a table: a JSON file that describes its columns in the form of BIDS.
#pragma once
#include "io/files/checked_file.h"
#include "src/pipeline/component_table.h"

namespace voxcc {

/// The description of one column in a sidecar. Empty texts are left out.
struct SidecarEntry {
    std::string name;         // of the column
    std::string long_name;    // "Centroid, i"
    std::string description;  // sentences
    std::string unit;         // in the notation of BIDS: "mm^3"
    std::string formula;
    std::string format;  // of the cells, in the notation of BIDS: "integer"
};

/// The description of the label volume that belongs to a table of BIDS. Empty texts and lists are left out.
struct LabelVolumeEntry {
    std::string description;           // a sentence
    std::vector<std::string> sources;  // URIs of the files from which the labels were computed
    std::string spatial_reference;     // "orig", or the URI of an image with the same grid
    std::string resolution;            // size of the voxels
};

std::vector<SidecarEntry> sidecar_entries(const std::vector<TableColumn>& columns);

/// A JSON object with the members of the label volume, then one object per column, in the same order: {"Sources": [...], ...,
/// "volume_mm3": {"LongName": "Volume", "Description": ..., "Units": "mm^3", "Formula": ...}, ...}
std::string sidecar_text(const std::vector<SidecarEntry>& entries, const LabelVolumeEntry& labels = {});

/// The path of the sidecar of a table: the name of the table with the extension .json, or with .columns.json for a table in JSON.
/// @throw Error unknown_format if the name does not have the extension of a table
// "out/t.csv" -> "out/t.json"; "out/t.json" -> "out/t.columns.json"
std::string sidecar_path(const std::string& table);

/// Writes the sidecar of a table into `outputs` (not published). @throw Error as sidecar_path(), io::OutputFiles::create()
void write_sidecar(const std::string& table, const std::vector<TableColumn>& columns, io::OutputFiles& outputs,
                   const LabelVolumeEntry& labels = {});

}  // namespace voxcc
