// Makes the volumes of a bench by name, and the sets and families of the papers.
#include "bench/evaluations/volumes.h"

#include <voxcc/test_volumes.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>

namespace voxcc::bench {
namespace {

std::vector<std::uint8_t> voxels_of(const TestVolumeRecipe& recipe) {
    const Extent& e = recipe.extent;
    std::vector<std::uint8_t> voxels(std::size_t(e.voxels()));
    const auto volume = make_test_volume(recipe);
    for (std::int64_t r = 0; r < e.rows(); ++r)
        volume->fill_row(r % e.ny, r / e.ny, std::span(voxels).subspan(std::size_t(r * e.nx), std::size_t(e.nx)));
    return voxels;
}

Volume volume_of(std::string name, std::string parameters, const TestVolumeRecipe& recipe) {
    const bool path = recipe.kind == TestVolumeKind::hilbert || recipe.kind == TestVolumeKind::spiral;
    return {std::move(name), std::move(parameters), recipe.extent, [recipe] { return voxels_of(recipe); },
            path ? Volume::Form::path : Volume::Form::any};
}

/// An image with a spiral of the given edge in its first corner.
Volume spiral_in(const Extent& image, std::int64_t edge, std::string parameters) {
    return {"spiral", std::move(parameters), image,
            [image, edge] {
                std::vector<std::uint8_t> voxels(std::size_t(image.voxels()));
                if (edge == 0) return voxels;
                const auto spiral = voxels_of({.kind = TestVolumeKind::spiral, .extent = {edge, edge, 1}});
                for (std::int64_t y = 0; y < edge; ++y) std::copy_n(spiral.begin() + y * edge, edge, voxels.begin() + y * image.nx);
                return voxels;
            },
            Volume::Form::path};
}

/// n tenths as text: 3  ->  "0.3".
std::string tenths(int n) { return n == 10 ? "1" : n == 0 ? "0" : "0." + std::to_string(n); }

}  // namespace

Volume named_volume(const std::string& name, const Extent& extent) {
    TestVolumeRecipe recipe{.extent = extent};
    int number = 0, grain = 1, read = -1;
    const auto matches = [&](const char* form, int* second = nullptr) {
        read = -1;
        if (second) std::sscanf(name.c_str(), form, &number, second, &read);
        else std::sscanf(name.c_str(), form, &number, &read);
        return read == int(name.size());
    };
    std::string parameters;
    if (matches("random-%d-g%d%n", &grain)) {
        recipe.kind = TestVolumeKind::random, recipe.granularity = grain;
        parameters = "density=" + std::to_string(number) + " granularity=" + std::to_string(grain);
    } else if (matches("blobs-%d%n")) {
        recipe.kind = TestVolumeKind::blobs;
        parameters = "density=" + std::to_string(number);
    } else if (matches("hilbert-%d%n")) {
        recipe.kind = TestVolumeKind::hilbert, recipe.order = number;
        parameters = "order=" + std::to_string(number);
    } else if (name == "spiral") {
        recipe.kind = TestVolumeKind::spiral;
    } else if (name == "checkerboard") {
        recipe.kind = TestVolumeKind::checkerboard;
    } else if (name != "solid") {
        throw Error(ErrorKind::invalid_argument, "--volumes",
                    "'" + name + "' is not a volume; use a name such as random-50-g1, blobs-50, hilbert-6, spiral");
    }
    recipe.density = number / 100.0;
    return volume_of(name, parameters, recipe);
}

std::vector<Volume> default_set(const Extent& extent) {
    std::vector<Volume> set;
    for (const char* name : {"random-10-g1", "random-50-g1", "random-90-g1", "blobs-50"}) set.push_back(named_volume(name, extent));
    if (extent.nz == 1) {
        set.push_back(named_volume("spiral", extent));
    } else if (extent.nx == extent.ny && extent.ny == extent.nz && extent.nx > 1) {  // a Hilbert curve needs a cube
        const int order = std::min(6, int(std::bit_width(std::uint64_t(extent.nx))) - 1);
        set.push_back(named_volume("hilbert-" + std::to_string(order), extent));
    }
    return set;
}

std::vector<Volume> random_grid(const Extent& extent, std::span<const int> granularities) {
    std::vector<Volume> grid;
    for (const int granularity : granularities)
        for (int density = 0; density <= 100; density += 10)
            grid.push_back(named_volume("random-" + std::to_string(density) + "-g" + std::to_string(granularity), extent));
    return grid;
}

std::vector<Volume> families(std::int64_t edge) {
    const int n = std::countr_zero(std::uint64_t(edge));
    const Extent image{edge, edge, 1};
    std::vector<Volume> all;
    const auto add = [&](const char* name, const std::string& parameters, const RidgeRecipe& ridge) {
        all.push_back(volume_of(name, parameters, {.kind = TestVolumeKind::ridge, .extent = image, .ridge = ridge}));
    };
    for (int level = 1; level < n; ++level)
        add("leveling", "level=" + std::to_string(level), {.family = RidgeFamily::leveling, .level = level});
    for (int i = 0; i <= 10; ++i)
        add("scaling", "level=2 factor=" + tenths(i), {.family = RidgeFamily::scaling, .level = 2, .factor = i / 10.0});
    constexpr int level = 3;
    const int most = std::min(n - level - 1, 15);
    for (int s = 0; s <= most; ++s)
        add("subdivision", "level=3 subdivisions=" + std::to_string(s),
            {.family = RidgeFamily::subdivision, .level = level, .subdivisions = s});
    const int subdivisions = std::min(5, most);
    for (const auto& [name, family] :
         {std::pair("random-instancing", RidgeFamily::random_instancing), {"random-merging", RidgeFamily::random_merging}})
        for (int i = 0; i <= 10; ++i)
            add(name, "level=3 subdivisions=" + std::to_string(subdivisions) + " probability=" + tenths(i),
                {.family = family, .level = level, .subdivisions = subdivisions, .probability = i / 10.0});
    for (int i = 0; i <= 10; ++i) all.push_back(spiral_in(image, edge * i / 10, "factor=" + tenths(i)));
    return all;
}

}  // namespace voxcc::bench
