// Writes graphs in the Graph Exchange File Format (GEFF 1.1, github.com/live-image-tracking-tools/geff): a folder with a Zarr v3 group.
//
//   tracks.geff/zarr.json                 the axes, and the properties of nodes and edges
//   tracks.geff/nodes/ids                 0, 1, ...
//   tracks.geff/nodes/props/t/values      one value per node
//   tracks.geff/edges/ids                 two nodes per edge
//   tracks.geff/edges/props/iou/values    one value per edge
#pragma once
#include "io/files/checked_file.h"

#include <array>
#include <variant>

namespace voxcc::io {

/// One value per node, or one per edge.
struct GraphProperty {
    std::string name;  // letters, digits and '_'
    std::variant<std::vector<std::uint64_t>, std::vector<std::int64_t>, std::vector<double>> values;
};

/// A property of the nodes that is a position.
struct GraphAxis {
    std::string name;  // of the property
    enum class Type : std::uint8_t { time, space } type = Type::space;
    std::string unit;  // a word of NGFF, "frame" or "pixel"; empty: not known
};

/// A directed graph. Node k has the id k.
struct Graph {
    std::vector<GraphAxis> axes = {};
    std::vector<GraphProperty> of_nodes = {};
    std::vector<std::array<std::uint64_t, 2>> edges = {};
    std::vector<GraphProperty> of_edges = {};
    std::string tracklet = {}, lineage = {};  // properties of nodes: the number of the path without branches, and of the connected graph
    std::size_t nodes = 0;
};

/// Whether a path is the name of a GEFF output: it ends in ".geff".
bool is_geff(const std::string& path);

/// Checks before any work whether write_geff() can write to `path`. @throw Error as OutputFiles::check_zarr_folder()
void check_geff(const std::string& path, const OutputFiles& outputs);

/// Writes a graph into a folder of `outputs`, which publishes it. @throw Error io_error, disk_full; as check_geff()
void write_geff(const std::string& path, const Graph& graph, OutputFiles& outputs);

}  // namespace voxcc::io
