// Which voxels are neighbours, and which neighbours join.
#pragma once
#include <voxcc/volume.h>

#include <optional>

namespace voxcc {

/// 6, 18 and 26 neighbours in a volume; 4 and 8 within each z-slice on its own.
enum class Connectivity : std::uint8_t { c4, c8, c6, c18, c26 };

constexpr int number_of(Connectivity c) { return std::array{4, 8, 6, 18, 26}[std::size_t(c)]; }

constexpr std::optional<Connectivity> connectivity_of(int number) {
    for (const Connectivity c : {Connectivity::c4, Connectivity::c8, Connectivity::c6, Connectivity::c18, Connectivity::c26})
        if (number_of(c) == number) return c;
    return std::nullopt;
}

/// Foreground neighbours join: all of them; only if their values are equal; only if their values differ by a given amount at most.
enum class Rule : std::uint8_t { foreground, equal_values, gradient };

/// "foreground", "equal values", "gradient"
constexpr std::string_view name_of(Rule rule) {
    return std::array<std::string_view, 3>{"foreground", "equal values", "gradient"}[std::size_t(rule)];
}

/// In a volume of one slice 6 means 4, and 18 and 26 mean 8: the same neighbours, found with less work.
constexpr Connectivity reduced(Connectivity c, const Extent& extent) {
    if (extent.nz > 1) return c;
    return c == Connectivity::c6 || c == Connectivity::c4 ? Connectivity::c4 : Connectivity::c8;
}

/// The connectivity of the background that is dual to it: holes of a 26-connected object are 6-connected, and so on.
constexpr Connectivity dual(Connectivity c) {
    switch (c) {
        case Connectivity::c4: return Connectivity::c8;
        case Connectivity::c8: return Connectivity::c4;
        case Connectivity::c6: return Connectivity::c26;
        default: return Connectivity::c6;
    }
}

}  // namespace voxcc
