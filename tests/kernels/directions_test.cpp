// Tests the sets of directions around a voxel against coordinates.
#include "lab/algorithms/neighbours.h"
#include "lab/algorithms/tiling.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <vector>

using namespace voxcc;
using namespace voxcc::algorithms;

namespace {

struct Step {
    int x, y, z;
    explicit Step(int d) : x(d % 3 - 1), y(d / 3 % 3 - 1), z(d / 9 - 1) {}
};

/// Whether the voxels of two directions are neighbours, or the same voxel.
bool near(Connectivity k, int a, int b) {
    const Step p(a), q(b);
    const int dx = std::abs(p.x - q.x), dy = std::abs(p.y - q.y), dz = std::abs(p.z - q.z);
    if (dx > 1 || dy > 1 || dz > 1) return false;
    switch (k) {
        case Connectivity::c4: return dz == 0 && dx + dy <= 1;
        case Connectivity::c8: return dz == 0;
        case Connectivity::c6: return dx + dy + dz <= 1;
        case Connectivity::c18: return dx + dy + dz <= 2;
        default: return true;
    }
}

template <class F>
void for_connectivities(const F& f) {
    for (const auto k : {Connectivity::c4, Connectivity::c8, Connectivity::c6, Connectivity::c18, Connectivity::c26})
        visit_connectivity(k, f);
}

}  // namespace

TEST_CASE("directions: spread adds the neighbours of every element") {
    for_connectivities([]<Connectivity K> {
        for (int a = 0; a < 27; ++a) {
            Directions want = 0;
            for (int b = 0; b < 27; ++b) want |= Directions(near(K, a, b)) << b;
            CHECK(directions::spread<K>(Directions{1} << a) == want);
        }
        CHECK((directions::neighbours<K> | directions::centre) == directions::spread<K>(directions::centre));
    });
}

TEST_CASE("directions: pieces are the components of a set") {
    std::mt19937 rng(52);
    for_connectivities([&]<Connectivity K> {
        for (int i = 0; i < 500; ++i) {
            const Directions set = rng() & (i % 2 ? rng() : ~0u) & directions::all;
            std::vector<int> piece_of(27, -1);  // by repeated minima, which is independent of spread()
            for (int d = 0; d < 27; ++d)
                if (set >> d & 1) piece_of[d] = d;
            for (int round = 0; round < 27; ++round)
                for (int a = 0; a < 27; ++a)
                    for (int b = 0; b < 27; ++b)
                        if (piece_of[a] >= 0 && piece_of[b] >= 0 && near(K, a, b))
                            piece_of[a] = piece_of[b] = std::min(piece_of[a], piece_of[b]);
            Directions seen = 0;
            int before = -1;
            directions::for_each_piece<K>(set, [&](Directions piece) {
                const int first = exec::lowest_bit(piece);
                CHECK(first > before);
                before = first;
                Directions want = 0;
                for (int d = 0; d < 27; ++d) want |= Directions(piece_of[d] == first) << d;
                CHECK(piece == want);
                seen |= piece;
            });
            CHECK(seen == set);
        }
    });
}

TEST_CASE("directions: within the tile of a voxel") {
    using Tiles = Tiling<32, 8, 4, 256>;
    for (const std::uint32_t x : {32u, 33u, 62u, 63u})
        for (const std::uint32_t y : {8u, 9u, 14u, 15u})
            for (const std::uint32_t z : {4u, 5u, 6u, 7u}) {
                Directions want = 0;
                for (int d = 0; d < 27; ++d) {
                    const Step s(d);
                    const bool within = (x + s.x) / 32 == 1 && (y + s.y) / 8 == 1 && (z + s.z) / 4 == 1;
                    want |= Directions(within) << d;
                }
                CHECK(Tiles::within_tile({x, y, z}) == want);
            }
}

TEST_CASE("tiling: every voxel belongs to one tile, as its voxel v") {
    const Tiling<32, 8, 4, 256> tiles{{70, 17, 9}};
    std::vector<int> visits(std::size_t(tiles.size.cells()));
    for (std::int64_t t = 0; t < tiles.tiles(); ++t)
        for (int v = 0; v < tiles.voxels; ++v) {
            const exec::Cell c = tiles.voxel(tiles.first_voxel(t), v);
            if (tiles.contains(c)) ++visits[(c.z * 17 + c.y) * 70 + c.x];
        }
    CHECK(tiles.tiles() == 3 * 3 * 3);
    CHECK(std::count(visits.begin(), visits.end(), 1) == tiles.size.cells());
}
