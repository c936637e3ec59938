// Tests moments against sums that are added voxel by voxel.
#include <voxcc/measure.h>

#include <doctest/doctest.h>

#include <array>
#include <random>
#include <vector>

using namespace voxcc;

namespace {

template <class Int>
using Voxels = std::vector<std::array<Int, 3>>;

template <class Moments, class Int>
Moments voxel_by_voxel(const Voxels<Int>& voxels) {
    using First = decltype(Moments::n);
    using Second = decltype(Moments::xx);
    Moments s;
    for (const auto& [vx, vy, vz] : voxels) {
        const First x = First(vx), y = First(vy), z = First(vz);
        const Second X = Second(x), Y = Second(y), Z = Second(z);
        s.n += 1, s.x += x, s.y += y, s.z += z;
        s.xx += X * X, s.yy += Y * Y, s.zz += Z * Z, s.xy += X * Y, s.xz += X * Z, s.yz += Y * Z;
    }
    return s;
}

template <class Int>
Voxels<Int> shifted(Voxels<Int> voxels, Int dx, Int dy, Int dz) {
    for (auto& [x, y, z] : voxels) x += dx, y += dy, z += dz;
    return voxels;
}

template <class Int>
Voxels<Int> stretch_of_voxels(Int first, Int length) {
    Voxels<Int> voxels;
    for (Int i = 0; i < length; ++i) voxels.push_back({Int(first + i), 0, 0});
    return voxels;
}

std::uint64_t draw(std::mt19937_64& random, std::uint64_t end) { return random() % end; }

}  // namespace

TEST_CASE_TEMPLATE("moments: stretches at any place equal their voxels", M, Moments<std::uint64_t>, Moments<std::uint64_t, uint128>,
                   Moments<uint128>) {
    using Int = decltype(M::n);
    std::mt19937_64 random(20261122);
    // The sums of products exceed 64 bits only with the last limit.
    for (const std::uint64_t limit : {std::uint64_t{4}, std::uint64_t{1000}, std::uint64_t{1} << 20, std::uint64_t{1} << 40})
        for (int i = 0; i < 100; ++i) {
            const Int first = draw(random, limit), length = 1 + draw(random, 200);
            const Int dx = draw(random, limit), dy = draw(random, limit), dz = draw(random, limit);
            const Voxels<Int> voxels = stretch_of_voxels(first, length);
            REQUIRE((M::stretch(first, length) == voxel_by_voxel<M>(voxels)));
            REQUIRE((M::stretch(first, length).shifted(dx, dy, dz) == voxel_by_voxel<M>(shifted(voxels, dx, dy, dz))));
        }
}

TEST_CASE("moments: 32-bit stretches and shifts equal their voxels") {
    std::mt19937_64 random(32);
    for (int i = 0; i < 1000; ++i) {
        const auto first = std::uint32_t(draw(random, 64)), length = std::uint32_t(1 + draw(random, 64));
        const auto dx = std::uint32_t(draw(random, 64)), dy = std::uint32_t(draw(random, 64)), dz = std::uint32_t(draw(random, 64));
        using M = Moments<std::uint32_t>;
        const auto voxels = shifted(stretch_of_voxels(first, length), dx, dy, dz);
        REQUIRE((M::stretch(first, length).shifted(dx, dy, dz) == voxel_by_voxel<M>(voxels)));
    }
}

TEST_CASE("moments: the longest stretches whose second moments fit 64 bits") {
    for (const std::uint64_t length : {2'097'151u, 2'097'152u, 2'097'153u, 2'642'245u}) {
        uint128 x = 0, xx = 0;
        for (std::uint64_t i = 0; i < length; ++i) x += i, xx += uint128(i) * i;
        const auto s = Moments<std::uint64_t>::stretch(0, length);
        CHECK(s.n == length);
        CHECK((s.x == x));
        CHECK((s.xx == xx));
        CHECK((Moments<std::uint64_t, uint128>::stretch(0, length).xx == xx));
    }
}

TEST_CASE("moments: shifts of voxels in both directions, with signed and unsigned types") {
    std::mt19937_64 random(7);
    for (int i = 0; i < 300; ++i) {
        Voxels<std::int32_t> near;
        for (std::uint64_t n = draw(random, 40); n > 0; --n)
            near.push_back({std::int32_t(draw(random, 33)) - 16, std::int32_t(draw(random, 33)) - 16, std::int32_t(draw(random, 33)) - 16});
        const auto d = [&] { return std::int32_t(draw(random, 129)) - 64; };
        const std::int32_t dx = d(), dy = d(), dz = d();
        const auto s = voxel_by_voxel<Moments<std::int32_t>>(near);
        REQUIRE((s.shifted(dx, dy, dz) == voxel_by_voxel<Moments<std::int32_t>>(shifted(near, dx, dy, dz))));

        // Negative coordinates wrap in unsigned types until a shift makes them positive.
        const std::uint64_t X = 16 + draw(random, 1u << 20), Y = 16 + draw(random, 1u << 20), Z = 16 + draw(random, 1u << 20);
        Voxels<std::uint64_t> far;
        for (const auto& [x, y, z] : near) far.push_back({X + std::uint64_t(x), Y + std::uint64_t(y), Z + std::uint64_t(z)});
        const auto narrow = voxel_by_voxel<Moments<std::uint64_t>>(far);
        const auto wide = voxel_by_voxel<Moments<uint128>>(far);
        REQUIRE((s.as<std::uint64_t>().shifted(X, Y, Z) == narrow));
        REQUIRE((s.as<uint128>().shifted(X, Y, Z) == wide));
        REQUIRE((narrow.shifted(-X, -Y, -Z).as<std::int32_t>() == s));
        REQUIRE((wide.shifted(-uint128(X), -uint128(Y), -uint128(Z)).as<std::int32_t>() == s));
    }
}

TEST_CASE("moments: merged sets equal their union") {
    std::mt19937_64 random(11);
    Voxels<std::uint64_t> all;
    Moments<std::uint64_t> narrow;
    Moments<std::uint64_t, uint128> wide;
    for (int i = 0; i < 50; ++i) {
        Voxels<std::uint64_t> part;
        for (int n = 0; n < i; ++n) part.push_back({draw(random, 500), draw(random, 500), draw(random, 500)});
        all.insert(all.end(), part.begin(), part.end());
        const auto moments = voxel_by_voxel<Moments<std::uint64_t>>(part);
        narrow += moments, wide += moments;
        REQUIRE((narrow == voxel_by_voxel<Moments<std::uint64_t>>(all)));
        REQUIRE((wide == voxel_by_voxel<Moments<std::uint64_t, uint128>>(all)));
    }
}

TEST_CASE_TEMPLATE("moments: sums moved along z equal the sums of the moved voxels", Wide, std::uint64_t, uint128) {
    const Voxels<std::uint64_t> voxels{{3, 5, 2}, {4, 5, 2}, {4, 6, 9}};
    const Sums<std::uint64_t> sums{voxel_by_voxel<Moments<std::uint64_t>>(voxels), 3, 5, 2, 4, 6, 9};
    const Sums<Wide> want{voxel_by_voxel<Moments<std::uint64_t, Wide>>(shifted<std::uint64_t>(voxels, 0, 0, 1000)), 3, 5, 1002, 4, 6, 1009};
    CHECK((sums.template moved_up<Wide>(1000) == want));
}
