#include "kernels3d/api/memory_source.h"
// Tests the tile engine against the flood fill, on the CPU executor, or with --device cuda through the registry on the device.
#include "kernels/tiles.h"
#include "kernels/volumes.h"

using namespace voxcc;
using namespace voxcc::block_runs::tiles;
using namespace tiles_tests;
using published::all_connectivities;
using volumes::moved;
namespace patterns = volumes::patterns;

namespace {

using Volume = std::vector<std::uint8_t>;

/// Foreground bits in the layout that the CPU packs: each row begins at a new word.
std::vector<std::uint64_t> packed(const Volume& v, oracle::Shape s) {
    const long words = (s.nx + 63) / 64;
    std::vector<std::uint64_t> bits(std::size_t(words * s.ny * s.nz));
    for (long i = 0; i < s.size(); ++i) bits[i / s.nx * words + i % s.nx / 64] |= std::uint64_t(v[i] != 0) << i % s.nx % 64;
    return bits;
}

/// 0 if the results of the engine equal the oracle's, else the number of the first check that failed.
template <Connectivity K, class Source>
int failed_engine(const Source& source, oracle::Shape s, const oracle::Labels& want, Lists lists = Lists::as_they_are,
                  std::optional<block_runs::tiles::Numbering> numbering = {}) {
    exec::CpuExecutor executor(pool());
    Engine<K, exec::CpuExecutor> engine(executor, extent_of(s));
    if (numbering) engine.set_numbering(*numbering);
    if (lists == Lists::as_they_are) engine.label(source);
    else engine.template label<Source, Local<K, Source, 8>, Join<K, 8>>(source);
    if (engine.count() != want.count) return 1;
    std::vector<std::uint32_t> labels(std::size_t(s.size()), 77);
    engine.paint({0, s.ny * s.nz}, nullptr, labels.data());
    return std::equal(labels.begin(), labels.end(), want.of.begin()) ? 0 : 2;
}

int failed_on_bits(const Volume& v, oracle::Shape s, Connectivity c, const oracle::Labels& want) {
    const ForegroundPacker packer(ScalarType::u8, {});
    const auto access = s.nx % 2 ? RowSource::Access::in_order : RowSource::Access::concurrent;
    const auto request = request_for(s, c);
    MemorySource source(reinterpret_cast<const std::byte*>(v.data()), request.extent, packer, best_isa(), access);
    return failed_for_host(*labelled(request, source), s, want);
}

/// As above, with the fastest source for the shape: vector loads if the row length is a multiple of 16.
template <Connectivity K>
int failed_on_voxels(const Volume& v, oracle::Shape s, const oracle::Labels& want) {
    const ForegroundInterval<std::uint8_t> nonzero{0, 0, ForegroundInterval<std::uint8_t>::Side::outside};
    if (s.nx % 16 == 0) return failed_engine<K>(Voxels<std::uint8_t, VoxelLoads::vector>{grid_of(s), v.data(), nonzero}, s, want);
    return failed_engine<K>(Voxels<std::uint8_t, VoxelLoads::element>{grid_of(s), v.data(), nonzero}, s, want);
}

enum class Ways { shortest, all };

void check(const Volume& v, oracle::Shape s, Connectivity c, const oracle::Labels& want, Ways ways = Ways::all) {
    INFO(s.nx << "x" << s.ny << "x" << s.nz << " connectivity " << number_of(c));
    if (on_gpu() || ways == Ways::all) CHECK(failed_on_bits(v, s, c, want) == 0);
    if (on_gpu()) {
        CHECK(failed_with_sums(v, s, c, want) == 0);
        return;
    }
    visit_connectivity(c, [&]<Connectivity K> {
        const std::vector<std::uint64_t> bits = packed(v, s);
        const BitRows rows{grid_of(s), bits.data()};
        if (ways == Ways::shortest) CHECK(failed_engine<K>(rows, s, want) == 0);
        if (ways == Ways::shortest) return;
        CHECK(failed_engine<K>(rows, s, want, Lists::too_short, block_runs::tiles::Numbering::in_phases) == 0);
        CHECK(failed_engine<K>(rows, s, want, Lists::as_they_are, block_runs::tiles::Numbering::in_phases) == 0);
        CHECK(failed_on_voxels<K>(v, s, want) == 0);
    });
}

/// Checks all connectivities, except connectivities that are reduced to others in an image.
void check_all(const Volume& v, oracle::Shape s) {
    for (const Connectivity c : all_connectivities)
        if (reduced(c, extent_of(s)) == c) check(v, s, c, oracle::flood_fill(v, s, number_of(c)));
}

}  // namespace

TEST_CASE("tiles: all 2^18 volumes of 3x3x2, side by side") {
    for (std::uint32_t first = 0; first < (sanitized ? patterns::count : 1u << 18); first += patterns::count) {
        const Volume v = patterns::from(first);
        for (const Connectivity c : all_connectivities) {
            oracle::Labels want = oracle::flood_fill(v, patterns::shape, number_of(c));
            const bool odd = first / patterns::count % 2 == 1;
            if (on_gpu() || !odd) check(v, patterns::shape, c, want, Ways::shortest);
            if (!on_gpu() && !odd) continue;
            const long by = patterns::at(1, 1, 1);
            want.of = moved(want.of, by);  // the labels do not change, because the order of first voxels does not
            check(moved(v, by), patterns::shape, c, want, Ways::shortest);
        }
    }
}

TEST_CASE("tiles: every shape from 1x1x1 to 5x5x5") {
    std::mt19937_64 rng(31);
    for (long nz = 1; nz <= 5; ++nz)
        for (long ny = 1; ny <= 5; ++ny)
            for (long nx = 1; nx <= 5; nx += sanitized ? 2 : 1) {
                const oracle::Shape s{nx, ny, nz};
                check_all(volumes::random(s, std::array{20, 31, 50, 80, 100}[rng() % 5], 1, 1, rng), s);
            }
}

TEST_CASE("tiles: shapes around the borders of tiles") {
    std::mt19937_64 rng(32);
    const long step = sanitized ? 2 : 1;
    for (const long nx : {63, 64, 65, 127, 128, 129})
        for (long dy = -1; dy <= 1; dy += step)
            for (long dz = -1; dz <= 1; dz += step)
                for (const oracle::Shape& s : {oracle::Shape{nx, 16 + dy, 16 + dz}, {nx, 8 + dy, 8 + dz}, {nx, 32 + dy, 9}})
                    check_all(volumes::random(s, std::array{10, 25, 35, 50, 70, 90}[rng() % 6], 1 + int(rng() % 2), 1, rng), s);
    for (const long ny : {63, 64, 65, 127, 128, 129})
        for (const long nx : {63, 64, 65, 128}) {
            const oracle::Shape s{nx, ny, 1 + long(rng() % 2)};
            check_all(volumes::random(s, 30 + int(rng() % 40), 1, 1, rng), s);
        }
}

TEST_CASE("tiles: random volumes of every density and granularity, several tiles along each axis") {
    std::mt19937_64 rng(33);
    for (int density = 0; density <= 100; density += sanitized ? 50 : 10)
        for (int granularity = 1; granularity <= 8; granularity *= 2) {
            const oracle::Shape s = granularity % 3 == 1 ? oracle::Shape{135, 37, 21} : oracle::Shape{144, 33, 35};
            check_all(volumes::random(s, density, granularity, 1, rng), s);
            const oracle::Shape flat{97 + long(rng() % 100), 280, 1};
            check_all(volumes::random(flat, density, granularity, 1, rng), flat);
        }
}

TEST_CASE("tiles: ten thousand random volumes of random shapes") {
    std::mt19937_64 rng(35);
    const auto up_to = [&](std::uint64_t n) { return 1 + long(rng() % n); };
    for (int i = 0; i < (on_gpu() ? 10000 : sanitized ? 20 : 300); ++i) {
        const bool flat = i % 4 == 0;
        const oracle::Shape s = flat ? oracle::Shape{up_to(200), up_to(150), 1} : oracle::Shape{up_to(140), up_to(36), up_to(20)};
        const Volume v = volumes::random(s, int(up_to(99)), int(up_to(4)), 1, rng);
        constexpr std::array flat_ones{Connectivity::c4, Connectivity::c8};
        const Connectivity c = flat ? flat_ones[rng() % 2] : all_connectivities[rng() % all_connectivities.size()];
        check(v, s, reduced(c, extent_of(s)), oracle::flood_fill(v, s, number_of(c)));
    }
}

TEST_CASE("tiles: degenerate, empty and full volumes") {
    for (const oracle::Shape s : {oracle::Shape{1, 1, 1}, {1, 500, 1}, {500, 1, 1}, {1, 1, 500}, {65, 1, 33}, {1, 65, 33}, {64, 64, 16}})
        for (const std::uint8_t value : {0, 1, 255}) check_all(Volume(s.size(), value), s);
    for (int corner = 0; corner < 8; ++corner) {  // a single voxel in each corner
        const oracle::Shape s{130, 33, 18};
        Volume v(s.size());
        v[(corner & 1 ? s.nx - 1 : 0) + s.nx * ((corner & 2 ? s.ny - 1 : 0) + s.ny * (corner & 4 ? s.nz - 1 : 0))] = 1;
        check_all(v, s);
    }
}

TEST_CASE("tiles: spirals, checkerboards, combs and Hilbert curves") {
    for (const Extent& extent : {Extent{141, 147, 1}, {77, 41, 39}})
        for (const TestVolumeKind kind : {TestVolumeKind::spiral, TestVolumeKind::checkerboard}) {
            TestVolumeRecipe recipe;
            recipe.kind = kind;
            recipe.extent = extent;
            check_all(volumes::made(recipe), {extent.nx, extent.ny, extent.nz});
        }
    TestVolumeRecipe hilbert;
    hilbert.kind = TestVolumeKind::hilbert;
    hilbert.order = sanitized ? 4 : 6;
    const std::int64_t edge = std::int64_t{2} << hilbert.order;
    hilbert.extent = {edge, edge, edge};
    check_all(volumes::made(hilbert), {edge, edge, edge});
    const oracle::Shape s{165, 34, 19};  // combs: teeth that are connected only in the last row
    for (int axis = 0; axis < 3; ++axis) {
        Volume comb(s.size());
        for (long i = 0; i < s.size(); ++i) {
            const std::array<long, 3> at{i % s.nx, i / s.nx % s.ny, i / s.nx / s.ny}, size{s.nx, s.ny, s.nz};
            const int other = (axis + 1) % 3;
            comb[i] = at[axis] % 2 == 0 || at[other] == size[other] - 1;
        }
        check_all(comb, s);
    }
}

TEST_CASE_TEMPLATE("tiles: voxels of every size, inside an interval or outside", T, std::uint8_t, std::int8_t, std::uint16_t, std::int32_t,
                   float, std::uint64_t, double) {
    if (on_gpu()) return;  // on a GPU, the host packs the bits
    std::mt19937_64 rng(34);
    constexpr Connectivity K = Connectivity::c26;
    using Side = typename ForegroundInterval<T>::Side;
    for (const oracle::Shape s : {oracle::Shape{80, 9, 5}, {81, 9, 5}, {70, 5, 9}})
        for (const Side side : {Side::inside, Side::outside}) {
            // 16-byte loads need an aligned first voxel.
            std::unique_ptr<T[], void (*)(T*)> voxels(static_cast<T*>(std::aligned_alloc(64, (s.size() * sizeof(T) + 63) / 64 * 64)),
                                                      [](T* p) { std::free(p); });
            Volume v(s.size());
            for (long i = 0; i < s.size(); ++i) {
                const int value = int(rng() % 8);
                voxels[i] = T(value * 13);
                v[i] = (value * 13 >= 26 && value * 13 <= 65) == (side == Side::inside);
                if (std::is_floating_point_v<T> && value == 7) voxels[i] = std::numeric_limits<T>::quiet_NaN(), v[i] = 0;
            }
            const oracle::Labels want = oracle::flood_fill(v, s, number_of(K));
            const ForegroundInterval<T> interval{T(26), T(65), side};
            CHECK(failed_engine<K>(Voxels<T, VoxelLoads::element>{grid_of(s), voxels.get(), interval}, s, want) == 0);
            if (s.nx % 16) continue;
            CHECK(failed_engine<K>(Voxels<T, VoxelLoads::vector>{grid_of(s), voxels.get(), interval}, s, want) == 0);
        }
}

TEST_CASE("tiles: limits on the numbers of voxels, tiles and rows") {
    CHECK(why_too_large<Connectivity::c26>({1625, 1625, 1625}).empty());
    CHECK_FALSE(why_too_large<Connectivity::c26>({1626, 1626, 1626}).empty());
    CHECK_FALSE(why_too_large<Connectivity::c8>({1 << 16, 1 << 16, 1}).empty());
    CHECK(why_too_large<Connectivity::c26>({16, 1 << 16, (1 << 11) - 1}).empty());  // the number of rows
    CHECK_FALSE(why_too_large<Connectivity::c26>({16, 1 << 16, 1 << 11}).empty());
    CHECK(why_too_large<Connectivity::c6>({1, 1, (1 << 24) - 8}).empty());
    CHECK_FALSE(why_too_large<Connectivity::c6>({1, 1, 1 << 24}).empty());
    CHECK(why_too_large<Connectivity::c26, Rule::equal_values>({1290, 1290, 1290}).empty());
    CHECK_FALSE(why_too_large<Connectivity::c26, Rule::equal_values>({1291, 1291, 1291}).empty());
    CHECK(why_too_large<Connectivity::c26, Rule::equal_values>({1, 1, (1 << 23) - 8}).empty());
    CHECK_FALSE(why_too_large<Connectivity::c26, Rule::equal_values>({1, 1, 1 << 23}).empty());
}

TEST_CASE("tiles: images and slices of many tiles") {
    std::mt19937_64 rng(37);
    for (const oracle::Shape s : {oracle::Shape{64 * 33 + 3, 64 * 5 + 7, 1}, {64 * 4, 64 * 17 + 5, 1}, {64 * 2 + 1, 64 * 3 + 1, 9}})
        for (const int density : {2, 10, 40, 60, 100})
            for (const Connectivity c : {Connectivity::c4, Connectivity::c8}) {
                const Volume v = volumes::random(s, density, 1 + int(rng() % 2), 1, rng);
                check(v, s, c, oracle::flood_fill(v, s, number_of(c)));
            }
}

TEST_CASE("tiles: thousands of tiles, for which phase local sets the marks") {
    if (!on_gpu()) return;  // check() chooses this way on the CPU
    std::mt19937_64 rng(38);
    const auto check_random = [&](Connectivity c, oracle::Shape s) {
        for (const int density : {3, 25, 60, 100}) {
            const Volume v = volumes::random(s, density, 1, 1, rng);
            check(v, s, c, oracle::flood_fill(v, s, number_of(c)));
        }
    };
    for (const Connectivity c : {Connectivity::c18, Connectivity::c26}) check_random(c, {5, 16 * 65 - 3, 16 * 64});
    check_random(Connectivity::c26, {66, 16 * 46, 16 * 46 - 5});
    check_random(Connectivity::c6, {66, 8 * 46, 8 * 46 - 3});
    for (const Connectivity c : {Connectivity::c4, Connectivity::c8}) check_random(c, {3, 128 * 65 - 7, 64});
}

TEST_CASE("tiles: periodic axes, by foreground and by equal values") {
    std::mt19937_64 rng(36);
    for (int i = 0; i < (sanitized ? 20 : 200); ++i) {
        const oracle::Shape s{1 + long(rng() % 140), 1 + long(rng() % 34), 1 + long(rng() % 20)};
        const bool by_value = i % 2;
        const Volume v = volumes::random(s, 1 + int(rng() % 60), 1, by_value ? 3 : 1, rng);
        const std::array<bool, 3> axes{bool(rng() % 2), bool(rng() % 2), bool(rng() % 2)};
        for (const Connectivity c : all_connectivities) {
            if (reduced(c, extent_of(s)) != c) continue;
            auto request = request_for(s, c);
            request.periodic.axes = axes;
            if (by_value) request.rule = Rule::equal_values;
            const ForegroundPacker packer(ScalarType::u8, {});
            MemorySource source(reinterpret_cast<const std::byte*>(v.data()), request.extent, packer);
            INFO(s.nx << "x" << s.ny << "x" << s.nz << " connectivity " << number_of(c));
            CHECK(failed_for_host(*labelled(request, source), s, oracle::flood_fill(v, s, number_of(c), axes)) == 0);
        }
    }
}

TEST_CASE("tiles: unsupported requests are refused with a remedy") {
    const Volume v(8, 1);
    const ForegroundPacker packer(ScalarType::u8, {});
    for (int i = 0; i < (on_gpu() ? 1 : 3); ++i) {  // on a GPU, volumes that are too large are cut into slabs
        auto request = request_for({2, 2, 2}, Connectivity::c26);
        if (i == 0) request.rule = Rule::colour;
        if (i == 1) request.extent = {1, 1, 1 << 23};
        if (i == 1) request.rule = Rule::equal_values;
        if (i == 2) request.extent = {1, 1, 1 << 24};
        if (i == 2) request.connectivity = Connectivity::c6;
        MemorySource source(reinterpret_cast<const std::byte*>(v.data()), request.extent, packer);
        try {
            labelled(request, source);
            CHECK(i < 0);  // not reached
        } catch (const Error& e) {
            const bool names_others = request.rule == Rule::colour && test_device().kind == Device::Kind::cuda;
            CHECK(e.kind() == (names_others ? ErrorKind::unsupported_by_algorithm : ErrorKind::unsupported_by_device));
            CHECK((e.choices().find("ziegler") != std::string::npos) == names_others);
        }
    }
}

TEST_CASE("tiles: second moments beyond 64 bits are summed on the host") {
    const oracle::Shape s{1 << 22, 1, 1};  // the sum of x^2 is about 2^64.4
    const Volume v(s.size(), 1);
    const ForegroundPacker packer(ScalarType::u8, {});
    const auto request = request_for(s, Connectivity::c6);
    MemorySource source(reinterpret_cast<const std::byte*>(v.data()), request.extent, packer);
    const SumTable table = labelled(request, source)->measure();
    REQUIRE(table.size() == 1);
    const uint128 n = s.size();
    CHECK(bool(table[0].xx == (n - 1) * n * (2 * n - 1) / 6));
}

TEST_CASE("tiles: labels are painted by several threads at once") {
    std::mt19937_64 rng(36);
    const oracle::Shape s{70, 40, 21};
    const Volume v = volumes::random(s, 30, 1, 1, rng);
    const ForegroundPacker packer(ScalarType::u8, {});
    const auto request = request_for(s, Connectivity::c18);
    MemorySource source(reinterpret_cast<const std::byte*>(v.data()), request.extent, packer);
    const auto labelling = labelled(request, source);
    labelling->prepare_paint(ScalarType::u32, {});
    std::vector<std::uint32_t> labels(v.size(), 77);
    ThreadPool painters(3);
    painters.for_each(s.ny * s.nz, [&](std::int64_t row) {
        labelling->paint({row, 1}, reinterpret_cast<std::byte*>(labels.data() + row * s.nx), Stores::cached);
    });
    CHECK(std::equal(labels.begin(), labels.end(), oracle::flood_fill(v, s, 18).of.begin()));
}

TEST_CASE("sanitizer: tiles") {
    std::mt19937_64 rng(35);
    for (const oracle::Shape& s : {oracle::Shape{70, 19, 18}, {70, 133, 1}, {64 * 8 + 1, 64 * 8 + 1, 1}}) {
        check_all(volumes::random(s, 45, 1, 1, rng), s);
        check_all(volumes::random(s, 60, 3, 1, rng), s);
    }
}
