// Fills the holes of a label volume: background that has one label around it.
#include <voxcc/holes.h>

#include <cstdint>
#include <cstdio>
#include <vector>

int main() {
    // Label 5 has a hole. The background between 5 and 7 touches the border.
    const voxcc::Extent extent{6, 3, 1};
    std::vector<std::uint8_t> labels{5, 5, 5, 0, 7, 7, 5, 0, 5, 0, 0, 7, 5, 5, 5, 0, 7, 7};
    const voxcc::ForegroundPacker nonzero(voxcc::ScalarType::u8, {});
    voxcc::StridedSource rows(voxcc::view(labels.data(), extent), nonzero);
    voxcc::ThreadPool pool(2);
    const voxcc::HoleRule rule{{.connectivity = voxcc::Connectivity::c26}, extent};
    const voxcc::LabelHoles holes(rows, extent, rule, {.pool = &pool});

    constexpr auto filling = voxcc::LabelHoles::Filling::one_label;
    holes.fill({0, extent.rows()}, filling, voxcc::ScalarType::u8, reinterpret_cast<std::byte*>(labels.data()));
    std::printf("filled %d hole, %d voxel\n", int(holes.filled(filling).holes), int(holes.filled(filling).voxels));
    for (std::size_t i = 0; i < labels.size(); ++i) std::printf("%d%s", labels[i], (i + 1) % 6 ? " " : "\n");
}
