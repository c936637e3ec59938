#include "src/cli/units.h"

#include "src/cli/numbers.h"

#include <array>

namespace voxcc {
namespace {

double in_smallest_unit(const SizeLimit& limit) {
    constexpr std::array<double, 3> nanometres{1e6, 1e3, 1};  // mm, um, nm
    if (limit.unit == Units::voxel) return limit.amount;
    const double length = nanometres[std::size_t(limit.unit)];
    return limit.amount * length * length * (limit.space == Space::volume ? length : 1);
}

bool are_comparable(const SizeLimit& a, const SizeLimit& b) {
    if (a.unit == Units::voxel || b.unit == Units::voxel) return a.unit == b.unit;
    return a.space == b.space;
}

}  // namespace

std::string_view name_of(Units units) {
    constexpr std::array<std::string_view, 4> names{"mm", "um", "nm", "voxel"};
    return names[std::size_t(units)];
}

std::string text_of(const SizeLimit& limit) {
    const std::string number = shortest_text(limit.amount);
    if (limit.unit == Units::voxel) return number;
    return number + std::string(name_of(limit.unit)) + (limit.space == Space::volume ? "3" : "2");
}

bool is_above(const SizeLimit& a, const SizeLimit& b) { return are_comparable(a, b) && in_smallest_unit(a) > in_smallest_unit(b); }

std::string text_of(const Distance& distance) { return shortest_text(distance.amount) + std::string(name_of(distance.unit)); }

}  // namespace voxcc
