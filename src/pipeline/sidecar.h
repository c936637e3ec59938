// The sidecar of a table: a JSON file that describes its columns in the form of BIDS.
#pragma once
#include "io/checked_file.h"
#include "src/pipeline/component_table.h"

namespace voxcc {

/// The description of one column in a sidecar. Empty texts are left out.
struct SidecarEntry {
    std::string name;         // of the column
    std::string long_name;    // "Centroid, i"
    std::string description;  // sentences
    std::string unit;         // in the notation of BIDS: "mm^3"
    std::string formula;
};

std::vector<SidecarEntry> sidecar_entries(const std::vector<TableColumn>& columns);

/// A JSON object with one object per column, in the same order: {"volume_mm3": {"LongName": "Volume", "Description": ..., "Units":
/// "mm^3", "Formula": ...}, ...}
std::string sidecar_text(const std::vector<SidecarEntry>& entries);

/// The path of the sidecar of a table: the name of the table with the extension .json, or with .columns.json for a table in JSON.
/// @throw Error unknown_format if the name does not have the extension of a table
// "out/t.csv" -> "out/t.json"; "out/t.json" -> "out/t.columns.json"
std::string sidecar_path(const std::string& table);

/// Writes the sidecar of a table into `outputs` (not published). @throw Error as sidecar_path(), io::OutputFiles::create()
void write_sidecar(const std::string& table, const std::vector<TableColumn>& columns, io::OutputFiles& outputs);

}  // namespace voxcc
