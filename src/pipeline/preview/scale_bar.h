// The length of the scale bar of a preview.
#pragma once
#include <cstdint>
#include <string>

namespace voxcc::preview {

struct ScaleBar {
    std::int64_t pixels = 0;
    std::string text;  // "50 mm"
};

enum class Unit : std::uint8_t { mm, voxels, unknown };

/// Chooses the longest bar of at most 150 pixels whose length is 1, 2 or 5 times a power of 10.
/// @param unit shorter lengths than 1 mm are written in um or nm
// 2 pixels per mm: a bar of 100 pixels, "50 mm"
ScaleBar scale_bar(double pixels_per_unit, Unit unit);

}  // namespace voxcc::preview
