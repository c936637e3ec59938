// The options of `voxcc map` for a volume whose new numbers are written in parts.
#pragma once
#include "src/options/options.h"

#include <string>

namespace voxcc {

/// One step: it writes parts, or the output from all parts.
struct MapParts {
    MapOptions map;
    std::string state;                // folder of the files of all parts
    std::int64_t parts = 0;           // of the volume; 0: it is written in one piece
    std::optional<PartRange> chosen;  // below `parts`, of the step that writes parts; empty: all
    enum class Step : std::uint8_t { parts, finish } step = Step::parts;
};

/// @throw ProgramError, Error, as run_map()
int run_map_parts(const MapParts& options);

}  // namespace voxcc
