// Generates volumes with values.
#include "lab/evaluations/value_images.h"

#include <cstring>
#include <random>

namespace voxcc::bench {
namespace {

/// A random value of one channel, in [1, 255].
std::uint32_t random_channel(std::mt19937_64& engine) { return std::uint32_t(1 + engine() % 255); }

/// A random value with this number of channels; the first channel is in the lowest bits.
std::uint32_t random_value(std::mt19937_64& engine, int channels) {
    std::uint32_t value = 0;
    for (int c = 0; c < channels; ++c) value |= random_channel(engine) << (8 * c);
    return value;
}

/// Calls set(index, x, y, z) for all voxels in raster order.
template <class F>
void for_voxels(const Extent& e, const F& set) {
    std::size_t index = 0;
    for (std::int64_t z = 0; z < e.nz; ++z)
        for (std::int64_t y = 0; y < e.ny; ++y)
            for (std::int64_t x = 0; x < e.nx; ++x) set(index++, x, y, z);
}

/// Points of a grid that are `edge` voxels apart, from voxel 0 past the last voxel.
struct Lattice {
    std::int64_t edge, nx, ny, nz;  // number of points along each axis
    Lattice(const Extent& e, std::int64_t spacing)
        : edge(spacing), nx(e.nx / spacing + 2), ny(e.ny / spacing + 2), nz(e.nz / spacing + 2) {}
    std::int64_t points() const { return nx * ny * nz; }
    std::size_t at(std::int64_t x, std::int64_t y, std::int64_t z) const { return std::size_t((z * ny + y) * nx + x); }
};

std::vector<std::uint32_t> random_voxels(const ValueRecipe& recipe) {
    std::mt19937_64 engine(recipe.seed);
    std::vector<std::uint32_t> palette(std::size_t(recipe.values));
    for (std::uint32_t& value : palette) value = random_value(engine, recipe.channels);
    const Lattice cubes(recipe.extent, recipe.edge);
    std::vector<std::uint32_t> value_of_cube(std::size_t(cubes.points()));
    for (std::uint32_t& value : value_of_cube) value = palette[engine() % palette.size()];
    std::vector<std::uint32_t> voxels(std::size_t(recipe.extent.voxels()));
    for_voxels(recipe.extent, [&](std::size_t i, std::int64_t x, std::int64_t y, std::int64_t z) {
        voxels[i] = value_of_cube[cubes.at(x / cubes.edge, y / cubes.edge, z / cubes.edge)];
    });
    return voxels;
}

/// The linear interpolation between the 8 points around a voxel, rounded down.
std::uint32_t interpolated(const Lattice& lattice, const std::vector<std::uint32_t>& points, std::int64_t x, std::int64_t y,
                           std::int64_t z) {
    const std::int64_t edge = lattice.edge;
    std::uint64_t sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
        const std::int64_t dx = corner & 1, dy = corner >> 1 & 1, dz = corner >> 2;
        const auto weight = [edge](std::int64_t at, std::int64_t step) { return std::uint64_t(step ? at % edge : edge - at % edge); };
        sum += weight(x, dx) * weight(y, dy) * weight(z, dz) * points[lattice.at(x / edge + dx, y / edge + dy, z / edge + dz)];
    }
    return std::uint32_t(sum / std::uint64_t(edge * edge * edge));
}

std::vector<std::uint32_t> smooth_voxels(const ValueRecipe& recipe) {
    std::mt19937_64 engine(recipe.seed);
    const Lattice lattice(recipe.extent, recipe.edge);
    std::vector<std::uint32_t> points(std::size_t(lattice.points())), voxels(std::size_t(recipe.extent.voxels()));
    for (int channel = 0; channel < recipe.channels; ++channel) {
        for (std::uint32_t& point : points) point = random_channel(engine);
        for_voxels(recipe.extent, [&](std::size_t i, std::int64_t x, std::int64_t y, std::int64_t z) {
            voxels[i] |= interpolated(lattice, points, x, y, z) << (8 * channel);
        });
    }
    return voxels;
}

/// The values as bytes of type u8 (one channel) or u32.
std::vector<std::byte> stored(const std::vector<std::uint32_t>& voxels, int channels) {
    if (channels > 1) {
        std::vector<std::byte> bytes(voxels.size() * sizeof voxels[0]);
        std::memcpy(bytes.data(), voxels.data(), bytes.size());
        return bytes;
    }
    std::vector<std::byte> bytes;
    for (const std::uint32_t value : voxels) bytes.push_back(std::byte(value));
    return bytes;
}

void check(const ValueRecipe& recipe) {
    const auto in_range = [](const std::string& member, int value, int highest) {
        if (value < 1 || value > highest)
            throw Error(ErrorKind::invalid_argument, "--volumes",
                        member + " " + std::to_string(value) + " is not in the range 1 to " + std::to_string(highest));
    };
    in_range("number of values", recipe.values, 65536);
    in_range(recipe.kind == ValueRecipe::Kind::random ? "granularity" : "scale", recipe.edge, 1024);
}

}  // namespace

Volume value_volume(std::string name, std::string parameters, const ValueRecipe& recipe) {
    check(recipe);
    Volume volume{std::move(name), std::move(parameters), recipe.extent,
                  [n = recipe.extent.voxels()] { return std::vector<std::uint8_t>(std::size_t(n), 1); }};
    volume.channels = recipe.channels;
    volume.value_type = recipe.channels == 1 ? ScalarType::u8 : ScalarType::u32;
    volume.values = [recipe] {
        return stored(recipe.kind == ValueRecipe::Kind::random ? random_voxels(recipe) : smooth_voxels(recipe), recipe.channels);
    };
    return volume;
}

}  // namespace voxcc::bench
