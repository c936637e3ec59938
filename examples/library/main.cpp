// Labels two boxes in a volume of 8 x 6 x 4 voxels and prints the size and the centre of each.
#include <voxcc/label.h>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <vector>

int main() {
    // The volume: x is the fastest index, so voxel (x, y, z) is voxels[x + nx * (y + ny * z)]. Voxels that are not 0 are foreground.
    const voxcc::Extent extent{8, 6, 4};
    std::vector<std::uint8_t> voxels(std::size_t(extent.voxels()), 0);
    const auto index = [&](std::int64_t x, std::int64_t y, std::int64_t z) { return std::size_t(x + extent.nx * (y + extent.ny * z)); };
    for (std::int64_t z = 0; z < 2; ++z) voxels[index(1, 1, z)] = voxels[index(2, 1, z)] = 1;  // 4 voxels
    for (std::int64_t x = 4; x < 7; ++x) voxels[index(x, 5, 3)] = 1;                           // 3 voxels

    // Label it. The components have the labels 1 to count(), in the order of their first voxels; the background has the label 0.
    auto labelling = voxcc::label(voxcc::view(voxels.data(), extent), {.connectivity = voxcc::Connectivity::c26});
    std::printf("%d components\n", int(labelling->count()));

    // Write one label per voxel. Any unsigned integer type that can hold count() may be used.
    std::vector<std::uint32_t> labels(voxels.size());
    labelling->paint(labels.data());
    std::printf("label at (5, 5, 3): %d\n", int(labels[index(5, 5, 3)]));

    // Measure the components: row k - 1 belongs to label k.
    const auto table = labelling->measure();
    for (std::size_t row = 0; row < table.size(); ++row) {
        const auto component = voxcc::describe(table[row], extent, std::nullopt);  // std::nullopt: no affine, so no values in mm
        std::printf("label %d: %d voxels, centre (%g, %g, %g)\n", int(row + 1), int(component.voxels), component.centroid[0],
                    component.centroid[1], component.centroid[2]);
    }
}
