// The sets and families of volumes.
#include "lab/evaluations/volumes.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace voxcc::bench {
namespace {

/// An image with a spiral of the given edge in its first corner.
Volume spiral_in(const Extent& image, std::int64_t edge, std::string parameters) {
    return {"spiral", std::move(parameters), image,
            [image, edge] {
                std::vector<std::uint8_t> voxels(std::size_t(image.voxels()));
                if (edge == 0) return voxels;
                const auto spiral = volume_of({}, {}, {.kind = TestVolumeKind::spiral, .extent = {edge, edge, 1}}).voxels();
                for (std::int64_t y = 0; y < edge; ++y) std::copy_n(spiral.begin() + y * edge, edge, voxels.begin() + y * image.nx);
                return voxels;
            },
            Volume::Form::path};
}

}  // namespace

std::vector<Volume> default_set(const Extent& extent) {
    std::vector<std::string> names{"random-10-g1", "random-50-g1", "random-90-g1", "blobs-50"};
    if (extent.nz == 1) {
        names.push_back("spiral");
    } else if (extent.nx == extent.ny && extent.ny == extent.nz && extent.nx > 1) {  // a Hilbert curve needs a cube
        const int order = std::min(6, int(std::bit_width(std::uint64_t(extent.nx))) - 1);
        names.push_back("hilbert-" + std::to_string(order));
    }
    std::vector<Volume> set;
    for (const std::string& name : names)
        for (Volume& volume : named_volumes(name, extent)) set.push_back(std::move(volume));
    return set;
}

std::vector<Volume> families(std::int64_t edge) {
    const Extent image{edge, edge, 1};
    const int most = std::countr_zero(std::uint64_t(edge)) - 3 - 1;  // subdivisions that fit at level 3
    const std::string of_random = "-3-" + std::to_string(std::min(5, most)) + "-*";
    std::vector<Volume> all;
    for (const auto& [family, members] : {std::pair<std::string, std::string>("leveling", "-*"),
                                          {"scaling", "-2-*"},
                                          {"subdivision", "-3-*"},
                                          {"random-instancing", of_random},
                                          {"random-merging", of_random}})
        for (Volume& volume : named_volumes(family + members, image)) {
            volume.name = family;
            all.push_back(std::move(volume));
        }
    for (int percent = 0; percent <= 100; percent += 10)
        all.push_back(spiral_in(image, edge * percent / 100, "factor=" + share_text(percent)));
    return all;
}

}  // namespace voxcc::bench
