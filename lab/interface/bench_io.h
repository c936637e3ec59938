// What a bench reads and writes: volumes, the table of results, messages.
#pragma once
#include <voxcc/volume.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace voxcc::bench {

struct Volume {
    std::string name, parameters;  // "random-50-g1", "density=50 granularity=1"
    Extent extent;
    std::function<std::vector<std::uint8_t>()> voxels;  // [z][y][x], 0 is background
    /// path: the foreground is one thin path. Algorithms that propagate labels from voxel to voxel need as many passes as the path has
    /// voxels or turns.
    enum class Form { any, path } form = Form::any;
    std::string data_set = {};  // the data set to which the volume belongs; empty: none
    /// Stored values for criteria that compare values: [z][y][x] of value_type. Null: the result of voxels() holds the values.
    std::function<std::vector<std::byte>()> values = nullptr;
    ScalarType value_type = ScalarType::u8;
    int channels = 1;  // 3 or 4: the values are packed colours
};

/// Receives the table as text, one or more complete lines per call.
using Sink = std::function<void(std::string_view)>;

/// Receives progress and messages of a bench.
struct Listener {
    std::function<void(std::int64_t done, std::int64_t total)> progress;  // in voxels
    std::function<void(const std::string&)> note;                         // receives messages about omitted measurements
};

}  // namespace voxcc::bench
