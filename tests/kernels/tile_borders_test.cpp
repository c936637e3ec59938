// Tests the borders between the tiles in which algorithms label a volume first. local_merge.h has tiles of 32x32 and of 32x8x8 voxels;
// the tiles of tm and le-hybrid also begin at multiples of 8, 16 or 32.
#include "kernels/published.h"
#include "kernels/volumes.h"

using namespace voxcc;

namespace {

constexpr std::array<std::array<long, 3>, 13> earlier_steps{{{-1, -1, -1},
                                                             {0, -1, -1},
                                                             {1, -1, -1},
                                                             {-1, 0, -1},
                                                             {0, 0, -1},
                                                             {1, 0, -1},
                                                             {-1, 1, -1},
                                                             {0, 1, -1},
                                                             {1, 1, -1},
                                                             {-1, -1, 0},
                                                             {0, -1, 0},
                                                             {1, -1, 0},
                                                             {-1, 0, 0}}};

/// A path of voxels that winds through the volume: every second row of every second slice, joined at alternating ends.
std::vector<std::uint8_t> snake(oracle::Shape s) {
    std::vector<std::uint8_t> v(s.size());
    const auto set = [&](long x, long y, long z) { v[(z * s.ny + y) * s.nx + x] = 1; };
    long row = 0;  // rows that are filled so far; odd rows are walked from right to left
    for (long z = 0; z < s.nz; z += 2) {
        const long rows = (s.ny + 1) / 2;
        for (long k = 0; k < rows; ++k, ++row) {
            const long y = z % 4 == 0 ? 2 * k : 2 * (rows - 1 - k), end = row % 2 == 0 ? s.nx - 1 : 0;
            for (long x = 0; x < s.nx; ++x) set(x, y, z);
            if (k + 1 < rows) set(end, z % 4 == 0 ? y + 1 : y - 1, z);
            else if (z + 2 < s.nz) set(end, y, z + 1);
        }
    }
    return v;
}

/// The values for a loop: all, or only the last one under a sanitizer.
std::vector<long> few(const std::vector<long>& all) { return sanitized ? std::vector{all.back()} : all; }

}  // namespace

TEST_CASE("published: two voxels across the borders of tiles, in every direction") {
    // The later voxel is beside a border, or far from it, along each axis. A border must not depend on the other axes.
    const auto check = [](const oracle::Shape& s, long x, long y, long z) {
        for (const auto& [dx, dy, dz] : earlier_steps) {
            if (z + dz < 0) continue;
            const long own = (z * s.ny + y) * s.nx + x, earlier = own + (dz * s.ny + dy) * s.nx + dx;
            std::vector<std::uint8_t> v(s.size());
            v[own] = v[earlier] = 1;
            const long steps = std::abs(dx) + std::abs(dy) + std::abs(dz);
            for (const Connectivity c : published::all_connectivities) {
                const bool flat = c == Connectivity::c4 || c == Connectivity::c8;
                const long most = flat ? number_of(c) / 4 : c == Connectivity::c6 ? 1 : c == Connectivity::c18 ? 2 : 3;
                oracle::Labels want{std::vector<std::uint64_t>(s.size()), steps <= most && !(flat && dz != 0) ? 1u : 2u};
                want.of[earlier] = 1;
                want.of[own] = want.count;
                published::check_rows(v, s, c, want);
            }
        }
    };
    for (const long x : few({16, 31, 32})) {
        for (const long y : few({4, 7, 8}))
            for (const long z : few({4, 7, 8})) check({34, 10, 10}, x, y, z);
        for (const long y : few({16, 31, 32})) check({34, 34, 1}, x, y, 0);
    }
}

TEST_CASE("published: volumes of one voxel less and more than tiles") {
    std::mt19937_64 rng(51);
    const auto check = [&](const oracle::Shape& s) {
        for (const int density : {35, 60}) published::check_all(volumes::random(s, density, 1, 1, rng), s);
    };
    for (const long nx : few({31, 32, 33}))
        for (const long ny : few({7, 8, 9}))
            for (const long nz : few({7, 8, 9})) check({nx, ny, nz});
    for (const long nx : few({31, 32, 33, 63, 65}))
        for (const long ny : few({15, 17, 31, 32, 33})) check({nx, ny, 1});
    check({65, 17, 17});
}

TEST_CASE("published: a snake through all tiles") {
    for (const oracle::Shape s : {oracle::Shape{67, 35, 19}, {99, 71, 1}}) {
        const auto v = snake(s);
        for (const int neighbours : {6, 26}) REQUIRE(oracle::flood_fill(v, s, neighbours).count == 1);
        published::check_all(v, s, published::Paths::too_long_to_walk);
    }
}
