#include "io/geff.h"

#include "io/shared_by_formats.h"

#include <nlohmann/json.hpp>

#include <bit>

namespace voxcc::io {
namespace {

static_assert(std::endian::native == std::endian::little, "values are written as they are in memory");

using Json = nlohmann::ordered_json;

std::string folder_of(std::string path) {
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    return path;
}

Json group(const Json& attributes = Json::object()) { return {{"zarr_format", 3}, {"node_type", "group"}, {"attributes", attributes}}; }

template <class T>
constexpr const char* type_name() {
    if constexpr (std::is_same_v<T, double>) return "float64";
    else return std::is_signed_v<T> ? "int64" : "uint64";
}

std::string type_of(const GraphProperty& property) {
    return std::visit([]<class T>(const std::vector<T>&) { return std::string(type_name<T>()); }, property.values);
}

Json metadata_of(const std::vector<GraphProperty>& properties) {
    Json metadata = Json::object();
    for (const GraphProperty& property : properties)
        metadata[property.name] = {{"identifier", property.name}, {"dtype", type_of(property)}};
    return metadata;
}

Json geff_of(const Graph& graph) {
    Json axes = Json::array();
    for (const GraphAxis& axis : graph.axes) {
        axes.push_back({{"name", axis.name}, {"type", axis.type == GraphAxis::Type::time ? "time" : "space"}});
        if (!axis.unit.empty()) axes.back()["unit"] = axis.unit;
    }
    return {{"geff_version", "1.1"},
            {"directed", true},
            {"axes", axes},
            {"node_props_metadata", metadata_of(graph.of_nodes)},
            {"edge_props_metadata", metadata_of(graph.of_edges)},
            {"track_node_props", {{"tracklet", graph.tracklet}, {"lineage", graph.lineage}}}};
}

/// Writes the parts of a store.
class GeffWriter {
public:
    explicit GeffWriter(OutputFolder& folder) : folder_(folder) {}
    void put_group(const std::string& path, const Json& json) { folder_.write(in(path, "zarr.json"), json.dump(2) + "\n"); }
    /// One chunk. @param bytes in C order
    void put_array(const std::string& path, const char* type, const std::vector<std::size_t>& shape, std::span<const std::byte> bytes) {
        std::vector<std::size_t> chunk = shape;
        chunk[0] = std::max<std::size_t>(chunk[0], 1);
        const Json codecs = Json::array({{{"name", "bytes"}, {"configuration", {{"endian", "little"}}}}});
        put_group(path, {{"zarr_format", 3},
                         {"node_type", "array"},
                         {"shape", shape},
                         {"data_type", type},
                         {"chunk_grid", {{"name", "regular"}, {"configuration", {{"chunk_shape", chunk}}}}},
                         {"chunk_key_encoding", {{"name", "default"}, {"configuration", {{"separator", "/"}}}}},
                         {"fill_value", type == std::string_view("float64") ? Json(0.0) : Json(0)},
                         {"codecs", codecs},
                         {"attributes", Json::object()}});
        if (!bytes.empty()) folder_.write(in(path, shape.size() == 1 ? "c/0" : "c/0/0"), bytes);
    }
    void put_properties(const std::string& path, const std::vector<GraphProperty>& properties) {
        put_group(path, group());
        for (const GraphProperty& property : properties) {
            put_group(in(path, property.name), group());
            std::visit(
                [&]<class T>(const std::vector<T>& values) {
                    put_array(in(path, property.name) + "/values", type_name<T>(), {values.size()}, std::as_bytes(std::span(values)));
                },
                property.values);
        }
    }

private:
    static std::string in(const std::string& folder, const std::string& name) { return folder.empty() ? name : folder + "/" + name; }
    OutputFolder& folder_;
};

}  // namespace

bool is_geff(const std::string& path) { return has_extension(folder_of(path), {".geff"}); }

void check_geff(const std::string& path, const OutputFiles& outputs) { outputs.check_zarr_folder(folder_of(path)); }

void write_geff(const std::string& path, const Graph& graph, OutputFiles& outputs) {
    OutputFolder& folder = outputs.create_zarr_folder(folder_of(path));
    GeffWriter writer(folder);
    writer.put_group("", group({{"geff", geff_of(graph)}}));
    writer.put_group("nodes", group());
    std::vector<std::uint64_t> ids(graph.nodes);
    for (std::size_t node = 0; node < ids.size(); ++node) ids[node] = node;
    writer.put_array("nodes/ids", "uint64", {ids.size()}, std::as_bytes(std::span(ids)));
    writer.put_properties("nodes/props", graph.of_nodes);
    writer.put_group("edges", group());
    writer.put_array("edges/ids", "uint64", {graph.edges.size(), 2}, std::as_bytes(std::span(graph.edges)));
    writer.put_properties("edges/props", graph.of_edges);
    folder.complete();
}

}  // namespace voxcc::io
