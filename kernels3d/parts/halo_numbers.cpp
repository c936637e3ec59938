#include "kernels3d/parts/halo_numbers.h"
#include "kernels3d/measure/labelled_slice.h"

#include <algorithm>

namespace voxcc::parts {
namespace {

void sort_unique(std::vector<std::uint64_t>& numbers) {
    std::ranges::sort(numbers);
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    if (!numbers.empty() && numbers.front() == 0) numbers.erase(numbers.begin());
}

}  // namespace

HaloedPart::Numbers::Numbers(const Rules& rules, std::int64_t part, LabelledPart& labelled, std::span<const std::uint64_t> known,
                             const FinalFace& face)
    : labelled_(labelled), count_(rules.grid.box(part).count) {
    const Extent& volume = rules.grid.volume();
    const std::array lengths{volume.nx, volume.ny, volume.nz};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        Step step{};
        step[axis] = 1;
        next_[axis] = lengths[axis] > 1 && rules.grid.neighbour(part, step, rules.periodic) ? 1 : 0;
    }
    std::array<std::vector<std::uint64_t>, 3> planes;
    read_planes(rules, part, face, planes);
    compact_all(planes, known);
    labelled.prepare_paint(ScalarType::u32, of_part_);
}

/// Each plane is copied from the faces of one to four parts: the plane beyond the end of x has also the next voxels in y and z.
void HaloedPart::Numbers::read_planes(const Rules& rules, std::int64_t part, const FinalFace& face,
                                      std::array<std::vector<std::uint64_t>, 3>& planes) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (next_[axis] == 0) continue;
        const std::size_t u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2;
        const std::int64_t nu = count_[u] + (u > axis ? next_[u] : 0), nv = count_[v] + (v > axis ? next_[v] : 0);
        planes[axis].resize(std::size_t(nu * nv));
        for (std::int64_t dv = 0; dv <= (v > axis ? next_[v] : 0); ++dv)
            for (std::int64_t du = 0; du <= (u > axis ? next_[u] : 0); ++du) {
                Step step{};
                step[axis] = 1, step[u] = int(du), step[v] = int(dv);
                const std::int64_t neighbour = rules.grid.neighbour(part, step, rules.periodic).value();
                const std::vector<std::uint64_t> numbers = face(neighbour, int(2 * axis));
                const std::int64_t stride = rules.grid.box(neighbour).count[u];
                const std::int64_t u0 = du * count_[u], u1 = du ? nu : count_[u], v0 = dv * count_[v], v1 = dv ? nv : count_[v];
                for (std::int64_t at = v0; at < v1; ++at)
                    std::copy_n(numbers.begin() + (at - v0) * stride, u1 - u0, planes[axis].begin() + at * nu + u0);
            }
    }
}

void HaloedPart::Numbers::compact_all(const std::array<std::vector<std::uint64_t>, 3>& planes, std::span<const std::uint64_t> known) {
    for (const auto& plane : planes) finals_.insert(finals_.end(), plane.begin(), plane.end());
    sort_unique(finals_);
    finals_.shrink_to_fit();
    std::vector<std::uint64_t> others;
    for (const std::uint64_t number : known)
        if (!std::ranges::binary_search(finals_, number)) others.push_back(number);
    sort_unique(others);
    if (finals_.size() + others.size() >= LabelledSlice::several)
        throw Error(ErrorKind::out_of_memory, "parts", "have more than 2^32 - 2 components, for which no shape can be measured");
    beyond_ = std::uint32_t(finals_.size());
    finals_.insert(finals_.end(), others.begin(), others.end());
    for (std::size_t axis = 0; axis < 3; ++axis) {
        planes_[axis].resize(planes[axis].size());
        std::ranges::transform(planes[axis], planes_[axis].begin(), [this](std::uint64_t number) { return compact(number); });
    }
    of_part_.resize(known.size());
    std::ranges::transform(known, of_part_.begin(), [this](std::uint64_t number) { return compact(number); });
}

std::uint32_t HaloedPart::Numbers::compact(std::uint64_t final_number) const {
    const auto middle = finals_.begin() + beyond_;
    for (const auto& [first, end] : {std::pair(finals_.begin(), middle), std::pair(middle, finals_.end())})
        if (const auto at = std::lower_bound(first, end, final_number); at != end && *at == final_number)
            return std::uint32_t(at - finals_.begin() + 1);
    return 0;
}

std::vector<HaloedPart::Numbers::View> HaloedPart::Numbers::views() const {
    std::vector<View> views;
    for (int only = 0; only < 8; ++only) {  // bit a: only the next voxels along axis a
        View view{{}, 1, only == 0 ? count() : beyond()};
        bool exists = true;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const bool is_thin = (only >> axis & 1) != 0;
            if (is_thin && next_[axis] == 0) exists = false;
            view.box.first[axis] = is_thin ? count_[axis] : 0;
            view.box.count[axis] = is_thin ? 1 : count_[axis] + next_[axis];
            if (is_thin) view.sign = -view.sign;
        }
        if (exists) views.push_back(view);
    }
    return views;
}

void HaloedPart::Numbers::read(const Box& box, RowRange rows, std::uint32_t* to) const {
    const auto& [nx, ny, nz] = count_;
    const std::int64_t x0 = box.first[0], x1 = x0 + box.count[0], inside = std::min(x1, nx);
    const bool is_whole = x0 == 0 && inside == nx;
    std::vector<std::uint32_t> row(is_whole ? 0 : std::size_t(nx));
    for (std::int64_t r = rows.first; r < rows.end(); ++r, to += box.count[0]) {
        const std::int64_t y = box.first[1] + r % box.count[1], z = box.first[2] + r / box.count[1];
        if (x0 < inside) {
            if (y == ny) {
                std::copy_n(planes_[1].begin() + z * nx + x0, inside - x0, to);
            } else if (z == nz) {
                std::copy_n(planes_[2].begin() + y * nx + x0, inside - x0, to);
            } else if (is_whole) {
                labelled_.paint({z * ny + y, 1}, reinterpret_cast<std::byte*>(to));
            } else {
                labelled_.paint({z * ny + y, 1}, reinterpret_cast<std::byte*>(row.data()));
                std::copy_n(row.begin() + x0, inside - x0, to);
            }
        }
        if (x1 > nx) to[nx - x0] = planes_[0][std::size_t(z * (ny + next_[1]) + y)];
    }
}

}  // namespace voxcc::parts
