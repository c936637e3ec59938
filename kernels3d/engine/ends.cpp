// Sections of components, and the voxels at the ends of axes.
#include <voxcc/label.h>
#include "kernels3d/engine/periodic.h"
#include "kernels3d/engine/request.h"

#include <algorithm>
#include <cstring>

namespace voxcc {

AxisSet Sections::wraps_of(std::uint64_t component) const {
    const auto at = std::ranges::lower_bound(wraps, component, {}, &std::pair<std::uint64_t, AxisSet>::first);
    return at != wraps.end() && at->first == component ? at->second : AxisSet{};
}

KeptSections keep_sections(const Sections& sections, std::span<const std::uint64_t> final_numbers, std::uint64_t count) {
    KeptSections kept{{count, {}, {}}, {final_numbers.begin(), final_numbers.end()}};
    if (final_numbers.empty())
        for (std::uint64_t component = 1; component <= sections.components; ++component) kept.final_numbers.push_back(component);
    for (const Section& section : sections.shifted) {
        const std::uint64_t component = kept.final_numbers[std::size_t(section.component - 1)];
        if (component > 0) kept.sections.shifted.push_back({component, section.shift});
        kept.final_numbers.push_back(component > 0 ? kept.sections.count() : 0);
    }
    return kept;
}

std::array<std::int64_t, 3> periods(const Extent& extent, const AxisSet& axes) {
    const std::array n{extent.nx, extent.ny, extent.nz};
    std::array<std::int64_t, 3> periods{};
    for (std::size_t axis = 0; axis < 3; ++axis) periods[axis] = axes.axes[axis] ? n[axis] : 0;
    return periods;
}

namespace block_runs {
namespace {

using std::int64_t;

/// The number of voxels in the ends of each axis.
std::array<int64_t, 3> voxels_at_ends(const Extent& e, const AxisSet& axes) {
    const std::array layers{2 * e.ny * e.nz, 2 * e.nx * e.nz, 2 * e.nx * e.ny};
    std::array<int64_t, 3> voxels{};
    for (std::size_t axis = 0; axis < 3; ++axis) voxels[axis] = axes.axes[axis] ? layers[axis] : 0;
    return voxels;
}

}  // namespace

AxisSet crossed_axes(const Request& request, Axis slices) {
    const std::array n{request.extent.nx, request.extent.ny, request.extent.nz};
    const bool crosses_slices = request.connectivity != Connectivity::c4 && request.connectivity != Connectivity::c8;
    AxisSet crossed;
    for (std::size_t axis = 0; axis < 3; ++axis)
        crossed.axes[axis] = request.periodic.axes[axis] && n[axis] > 1 && (crosses_slices || Axis(axis) != slices);
    return crossed;
}

Ends::Ends(const Extent& extent, const AxisSet& axes, int element_bytes, MemoryLimit* memory)
    : extent_(extent), axes_(axes), element_bytes_(element_bytes), memory_(std::make_unique<TakenMemory>(memory)) {
    memory_->take(bytes(extent, axes, element_bytes));
    const auto voxels = voxels_at_ends(extent, axes);
    for (std::size_t axis = 0; axis < 3; ++axis) layers_[axis].resize(std::size_t(voxels[axis] * element_bytes));
}

int64_t Ends::bytes(const Extent& extent, const AxisSet& axes, int element_bytes) {
    const auto voxels = voxels_at_ends(extent, axes);
    return (voxels[0] + voxels[1] + voxels[2]) * element_bytes;
}

bool Ends::has(int64_t row) const {
    const int64_t y = row % extent_.ny, z = row / extent_.ny;
    return axes_.axes[0] || (axes_.axes[1] && (y == 0 || y == extent_.ny - 1)) || (axes_.axes[2] && (z == 0 || z == extent_.nz - 1));
}

void Ends::set_row(int64_t row, const std::byte* elements) {
    const int64_t nx = extent_.nx, ny = extent_.ny, nz = extent_.nz, y = row % ny, z = row / ny, bytes = element_bytes_;
    const auto copy = [&](std::size_t axis, int64_t at, const std::byte* from, int64_t count) {
        if (axes_.axes[axis]) std::memcpy(layers_[axis].data() + at * bytes, from, std::size_t(count * bytes));
    };
    copy(0, 2 * row, elements, 1);
    copy(0, 2 * row + 1, elements + (nx - 1) * bytes, 1);
    for (const int64_t end : {0, 1}) {
        if (y == end * (ny - 1)) copy(1, (2 * z + end) * nx, elements, nx);
        if (z == end * (nz - 1)) copy(2, (end * ny + y) * nx, elements, nx);
    }
}

const std::byte* Ends::at(const std::array<int64_t, 3>& voxel) const {
    const auto [x, y, z] = voxel;
    const int64_t nx = extent_.nx, ny = extent_.ny, bytes = element_bytes_;
    if (axes_.axes[0] && (x == 0 || x == nx - 1)) return layers_[0].data() + (2 * (z * ny + y) + (x != 0)) * bytes;
    if (axes_.axes[1] && (y == 0 || y == ny - 1)) return layers_[1].data() + ((2 * z + (y != 0)) * nx + x) * bytes;
    return layers_[2].data() + (((z != 0) * ny + y) * nx + x) * bytes;
}

void paint_ends(RowRange rows, const PaintRows& paint, Ends& to, ThreadPool& pool) {
    constexpr int64_t rows_per_task = 64;
    const int64_t row_bytes = to.extent().nx * to.element_bytes();
    pool.for_each((rows.count + rows_per_task - 1) / rows_per_task, [&](int64_t task) {
        const int64_t begin = rows.first + task * rows_per_task, end = std::min(begin + rows_per_task, rows.end());
        std::vector<std::byte> painted;
        for (int64_t row = begin, next = row; row < end; row = next) {
            while (next < end && to.has(next)) ++next;
            painted.resize(std::size_t((next - row) * row_bytes));
            if (next > row) paint({row, next - row}, painted.data());
            for (int64_t r = row; r < next; ++r) to.set_row(r, painted.data() + (r - row) * row_bytes);
            while (next < end && !to.has(next)) ++next;
        }
    });
}

Ends read_ends(Labelling& labelling, const Request& request, ThreadPool& pool) {
    if (auto* const reads = dynamic_cast<ReadsEnds*>(&labelling)) return reads->read_ends(request, pool);
    const bool is_wide = labelling.count() > ~std::uint32_t{0};
    Ends ends(request.extent, request.periodic, is_wide ? 8 : 4, request.memory);
    labelling.prepare_paint(is_wide ? ScalarType::u64 : ScalarType::u32, {});
    const auto paint_rows = [&labelling](RowRange rows, std::byte* out) { labelling.paint(rows, out, Stores::cached); };
    paint_ends({0, request.extent.rows()}, paint_rows, ends, pool);
    return ends;
}

}  // namespace block_runs
}  // namespace voxcc
