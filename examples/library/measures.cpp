// Measures two boxes that touch: their shapes, the contact between them, and the values of an image inside them.
#include <voxcc/contacts.h>
#include <voxcc/label.h>
#include <voxcc/measure.h>
#include <voxcc/shape.h>

#include <cstdint>
#include <cstdio>
#include <vector>

int main() {
    // Two boxes with the values 1 and 2. Each box has 2 x 2 x 2 voxels, and they touch at x = 2.
    const voxcc::Extent extent{6, 4, 4};
    std::vector<std::uint16_t> voxels(std::size_t(extent.voxels()), 0);
    std::vector<float> image(voxels.size(), 0);
    const auto index = [&](std::int64_t x, std::int64_t y, std::int64_t z) { return std::size_t(x + extent.nx * (y + extent.ny * z)); };
    for (std::int64_t z = 1; z < 3; ++z)
        for (std::int64_t y = 1; y < 3; ++y)
            for (std::int64_t x = 1; x < 5; ++x) {
                voxels[index(x, y, z)] = x < 3 ? 1 : 2;
                image[index(x, y, z)] = float(x);
            }

    // Voxels are connected if they have the same value, so there are two components.
    const voxcc::Question question{.connectivity = voxcc::Connectivity::c26, .rule = voxcc::Rule::equal_values};
    voxcc::ThreadPool pool(2);
    const auto labelling = voxcc::label(voxcc::view(voxels.data(), extent), question, {.pool = &pool});
    const voxcc::SumTable sums = labelling->measure();
    const std::vector<std::uint64_t> values = labelling->source_values();

    // Voxels of 1 x 1 x 2 mm.
    const voxcc::World world{{{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 2, 0}}}};
    const voxcc::ShapeTable shapes = voxcc::measure_shape(*labelling, {question, extent, world}, sums, pool);
    const voxcc::ShapeScale scale(world, voxcc::Space::volume);

    std::vector<std::uint32_t> labels(voxels.size());
    labelling->paint(labels.data());
    voxcc::IntensitySums intensities(voxcc::ScalarType::f32);
    for (std::int64_t row = 0; row < extent.rows(); ++row) {
        const auto first = std::size_t(row * extent.nx), count = std::size_t(extent.nx);
        intensities.add_row(row % extent.ny, row / extent.ny, std::span<const std::uint32_t>(labels).subspan(first, count),
                            std::as_bytes(std::span(image).subspan(first, count)));
    }
    for (std::size_t row = 0; row < sums.size(); ++row) {
        const auto component = voxcc::describe(sums[row], extent, world);
        const auto shape = voxcc::describe_shape(component, shapes.counts(row), shapes.feret_mm(row), scale);
        std::printf("label %d: value %d, %g mm3, %g mm2 of faces, mean of the image %g\n", int(row + 1), int(values[row]),
                    component.volume_mm3, *shape.surface_faces_mm2, intensities.properties(row + 1, {}, world).mean);
    }

    // The contact is counted in the label volume: 4 pairs of voxels share a face across x.
    const voxcc::ForegroundPacker nonzero(voxcc::ScalarType::u32, {});
    voxcc::StridedSource rows(voxcc::view(labels.data(), extent), nonzero);
    for (const voxcc::LabelContact& contact : voxcc::label_contacts(rows, extent, voxcc::Connectivity::c6, pool))
        std::printf("labels %d and %d share %d faces\n", int(contact.a), int(contact.b), int(contact.faces[0]));
}
