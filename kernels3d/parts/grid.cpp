// The division of a volume into parts.
#include <voxcc/parts.h>

#include <algorithm>

namespace voxcc::parts {

Grid::Grid(const Extent& volume, const std::array<std::int64_t, 3>& part) : volume_(volume), part_(part) {
    const std::array lengths{volume.nx, volume.ny, volume.nz};
    for (std::size_t a = 0; a < 3; ++a) counts_[a] = (lengths[a] - 1) / part_[a] + 1;
}

std::array<std::int64_t, 3> Grid::place(std::int64_t part) const {
    return {part % counts_[0], part / counts_[0] % counts_[1], part / counts_[0] / counts_[1]};
}

Box Grid::box(std::int64_t part) const {
    const std::array lengths{volume_.nx, volume_.ny, volume_.nz};
    const auto at = place(part);
    Box box;
    for (std::size_t a = 0; a < 3; ++a) {
        box.first[a] = at[a] * part_[a];
        box.count[a] = std::min(part_[a], lengths[a] - box.first[a]);
    }
    return box;
}

std::optional<std::int64_t> Grid::neighbour(std::int64_t part, const Step& step, const AxisSet& periodic) const {
    const std::array lengths{volume_.nx, volume_.ny, volume_.nz};
    auto at = place(part);
    for (std::size_t a = 0; a < 3; ++a) {
        at[a] += step[a];
        if (at[a] >= 0 && at[a] < counts_[a]) continue;
        if (!periodic.axes[a] || lengths[a] == 1) return std::nullopt;
        at[a] = at[a] < 0 ? counts_[a] - 1 : 0;
    }
    return at[0] + counts_[0] * (at[1] + counts_[1] * at[2]);
}

Step Grid::ends_crossed(std::int64_t part, const Step& step) const {
    const auto at = place(part);
    Step crossed{};
    for (std::size_t a = 0; a < 3; ++a)
        if (at[a] + step[a] < 0 || at[a] + step[a] >= counts_[a]) crossed[a] = step[a];
    return crossed;
}

}  // namespace voxcc::parts
