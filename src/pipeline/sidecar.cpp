#include "src/pipeline/sidecar.h"
#include "src/messages/text_file.h"

#include <nlohmann/json.hpp>
#include "io/anndata.h"

#include <cctype>
#include <filesystem>

namespace voxcc {
namespace {

// "volume" -> "Volume"
std::string capitalised(std::string_view text) {
    std::string capital(text);
    capital.front() = char(std::toupper(static_cast<unsigned char>(capital.front())));
    return capital;
}

SidecarEntry entry_of(const TableColumn& column) {
    const ColumnFamily& family = *column.family;
    SidecarEntry entry{.name = column.name,
                       .long_name = capitalised(family.title) + (column.which.empty() ? "" : ", " + column.which),
                       .description = capitalised(family.meaning) + ".",
                       .unit = unit_of(family.quantity, column.units).bids,
                       .formula = std::string(family.formula),
                       .format = family.range == "integer" ? "integer" : ""};
    if (!family.remark.empty()) entry.description += " " + std::string(family.remark);
    std::erase(entry.description, '`');  // Markdown
    return entry;
}

}  // namespace

std::vector<SidecarEntry> sidecar_entries(const std::vector<TableColumn>& columns) {
    std::vector<SidecarEntry> entries;
    for (const TableColumn& column : columns) entries.push_back(entry_of(column));
    return entries;
}

std::string sidecar_text(const std::vector<SidecarEntry>& entries, const LabelVolumeEntry& labels) {
    const auto add = [](nlohmann::ordered_json& to, const char* key, const std::string& text) {
        if (!text.empty()) to[key] = text;
    };
    auto sidecar = nlohmann::ordered_json::object();
    add(sidecar, "Description", labels.description);
    if (!labels.sources.empty()) sidecar["Sources"] = labels.sources;
    add(sidecar, "SpatialReference", labels.spatial_reference);
    add(sidecar, "Resolution", labels.resolution);
    for (const SidecarEntry& entry : entries) {
        auto& column = sidecar[entry.name] = nlohmann::ordered_json::object();
        add(column, "LongName", entry.long_name);
        add(column, "Description", entry.description);
        add(column, "Format", entry.format);
        add(column, "Units", entry.unit);
        add(column, "Formula", entry.formula);
    }
    return sidecar.dump(2) + "\n";
}

std::string sidecar_path(const std::string& table) {
    std::filesystem::path path(table);
    const bool is_json = !io::is_anndata_path(table) && io::table_format(table) == io::TableFormat::json;
    return path.replace_extension(is_json ? ".columns.json" : ".json").string();
}

void write_sidecar(const std::string& table, const std::vector<TableColumn>& columns, io::OutputFiles& outputs,
                   const LabelVolumeEntry& labels) {
    write_text(sidecar_path(table), sidecar_text(sidecar_entries(columns), labels), outputs);
}

}  // namespace voxcc
