#include "src/options/units.h"

#include "src/options/numbers.h"

#include <array>

namespace voxcc {
namespace {

// In mm, mm2 or mm3.
double in_millimetres(const SizeLimit& limit) {
    const double length = io::converted(1, *limit.unit, io::LengthUnit::mm);
    return limit.amount * length * length * (limit.space == Space::volume ? length : 1);
}

}  // namespace

std::string_view name_of(Units units) {
    constexpr std::array<std::string_view, 5> names{"mm", "um", "nm", "voxel", "unit"};
    return names[std::size_t(units)];
}

std::optional<io::LengthUnit> length_unit_of(Units units) {
    switch (units) {
        case Units::mm: return io::LengthUnit::mm;
        case Units::um: return io::LengthUnit::um;
        case Units::nm: return io::LengthUnit::nm;
        default: return std::nullopt;
    }
}

std::string text_of(const SizeLimit& limit) {
    const std::string number = shortest_text(limit.amount);
    if (!limit.unit) return number;
    return number + std::string(io::name_of(*limit.unit)) + (limit.space == Space::volume ? "3" : "2");
}

bool is_above(const SizeLimit& a, const SizeLimit& b) {
    if (!a.unit || !b.unit) return !a.unit && !b.unit && a.amount > b.amount;
    return a.space == b.space && in_millimetres(a) > in_millimetres(b);
}

std::string text_of(const Distance& distance) { return shortest_text(distance.amount) + std::string(io::name_of(distance.unit)); }

}  // namespace voxcc
