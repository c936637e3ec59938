// Which neighbouring voxels are connected, and the question that a labelling answers.
#pragma once
#include <voxcc/foreground.h>

#include <optional>

namespace voxcc {

/// The number of neighbours of a voxel. c6, c18 and c26 connect voxels in a volume. c4 and c8 connect voxels within a z-slice only.
enum class Connectivity : std::uint8_t { c4, c8, c6, c18, c26 };

// c26 -> 26
constexpr int number_of(Connectivity c) { return std::array{4, 8, 6, 18, 26}[std::size_t(c)]; }

// 26 -> c26; 7 -> nothing
constexpr std::optional<Connectivity> connectivity_of(int number) {
    for (const Connectivity c : {Connectivity::c4, Connectivity::c8, Connectivity::c6, Connectivity::c18, Connectivity::c26})
        if (number_of(c) == number) return c;
    return std::nullopt;
}

/// Which neighbouring foreground voxels are connected. foreground: all; equal_values: voxels with the same value; gradient: voxels whose
/// stored values differ by at most a given amount; colour: voxels whose colours differ by at most a given amount, which is the sum of the
/// absolute differences of the channels. A colour is a stored value of type u32 with four channels of 8 bits, or u64 with four channels of
/// 16 bits; channels that an image does not have are 0.
enum class Rule : std::uint8_t { foreground, equal_values, gradient, colour };

/// "foreground", "equal values", "gradient", "colour"
constexpr std::string_view name_of(Rule rule) {
    return std::array<std::string_view, 4>{"foreground", "equal values", "gradient", "colour"}[std::size_t(rule)];
}

/// The connectivity with which a volume of this extent is labelled. If nz is 1, c4 finds the same neighbours as c6, and c8 the same
/// neighbours as c18 and c26, with less work.
// c26, {5, 5, 1} -> c8; c26, {5, 5, 2} -> c26
constexpr Connectivity reduced(Connectivity c, const Extent& extent) {
    if (extent.nz > 1) return c;
    return c == Connectivity::c6 || c == Connectivity::c4 ? Connectivity::c4 : Connectivity::c8;
}

/// The connectivity of the background if the foreground has connectivity `c`: a cavity in a 26-connected component is 6-connected.
// c4 -> c8, c8 -> c4, c6 -> c26, c18 and c26 -> c6
constexpr Connectivity dual(Connectivity c) {
    switch (c) {
        case Connectivity::c4: return Connectivity::c8;
        case Connectivity::c8: return Connectivity::c4;
        case Connectivity::c6: return Connectivity::c26;
        default: return Connectivity::c6;
    }
}

/// Rounds the largest difference that connects voxels to the precision of their values, as thresholds are rounded. A limit past the largest
/// float becomes infinity for f32.
/// @param most at least 0, in units of the stored values
// f32, 0.1 -> 0.100000001490, so 0.1f and 0.2f are connected; f64, 0.1 -> 0.1
inline Bound difference_limit(ScalarType type, const Bound& most) {
    if (type != ScalarType::f32) return most;
    return most.real > double(std::numeric_limits<float>::max()) ? std::numeric_limits<double>::infinity() : double(float(most.real));
}

/// Which voxels are foreground, and which of them are connected.
struct Question {
    Connectivity connectivity = Connectivity::c26;  // c4 and c8 label each z-slice separately; the numbers continue in the next slice
    Rule rule = Rule::foreground;                   // equal_values: connects only voxels with equal values (multi-label)
    Bound difference = {};                          // gradient, colour: connects voxels whose values differ by at most this; >= 0
    AxisSet periodic = {};                          // axes along which the volume wraps around: see Sections
    ForegroundRule foreground = {};                 // default: voxels that are not 0. Row sources have their own foreground
};

}  // namespace voxcc
