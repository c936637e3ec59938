// Tests local maxima against a search by definition.
#include <voxcc/measure.h>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

using namespace voxcc;

namespace {

template <class T>
struct Image {
    Extent e;
    std::vector<std::uint32_t> components;
    std::vector<T> values;
};

template <class T>
std::vector<LocalMaximum> found(const Image<T>& image, LocalMaxima::Greater greater = LocalMaxima::Greater::higher) {
    LocalMaxima maxima(scalar_type_of<T>(), image.e, greater, nullptr);
    for (std::int64_t at = 0; at < image.e.voxels(); at += image.e.nx)
        maxima.add_row<std::uint32_t>(std::span(image.components).subspan(std::size_t(at), std::size_t(image.e.nx)),
                                      std::as_bytes(std::span(image.values).subspan(std::size_t(at), std::size_t(image.e.nx))));
    return maxima.finish();
}

/// Floods each plateau, and looks for greater neighbours.
template <class T>
std::vector<LocalMaximum> expected(const Image<T>& image, bool lower) {
    const Extent& e = image.e;
    std::vector<bool> seen(image.values.size());
    std::vector<LocalMaximum> maxima;
    for (std::int64_t start = 0; start < e.voxels(); ++start) {
        const std::uint32_t component = image.components[std::size_t(start)];
        const T value = image.values[std::size_t(start)];
        if (seen[std::size_t(start)] || component == 0 || value != value) continue;
        bool is_maximum = true;
        std::vector<std::int64_t> plateau{start};
        seen[std::size_t(start)] = true;
        while (!plateau.empty()) {
            const std::int64_t at = plateau.back(), x = at % e.nx, y = at / e.nx % e.ny, z = at / e.nx / e.ny;
            plateau.pop_back();
            for (std::int64_t w = std::max<std::int64_t>(z - 1, 0); w <= std::min(z + 1, e.nz - 1); ++w)
                for (std::int64_t v = std::max<std::int64_t>(y - 1, 0); v <= std::min(y + 1, e.ny - 1); ++v)
                    for (std::int64_t u = std::max<std::int64_t>(x - 1, 0); u <= std::min(x + 1, e.nx - 1); ++u) {
                        const auto i = std::size_t((w * e.ny + v) * e.nx + u);
                        if (image.components[i] != component) continue;
                        if (lower ? image.values[i] < value : image.values[i] > value) is_maximum = false;
                        if (image.values[i] == value && !seen[i]) seen[i] = true, plateau.push_back(std::int64_t(i));
                    }
        }
        if (is_maximum)
            maxima.push_back({component,
                              {std::uint32_t(start % e.nx), std::uint32_t(start / e.nx % e.ny), std::uint32_t(start / e.nx / e.ny)},
                              double(value)});
    }
    std::ranges::stable_sort(maxima, [&](const LocalMaximum& a, const LocalMaximum& b) {
        if (a.component != b.component) return a.component < b.component;
        return lower ? a.stored < b.stored : a.stored > b.stored;
    });
    return maxima;
}

template <class T>
Image<T> row_of(const std::vector<T>& values) {
    return {{std::int64_t(values.size()), 1, 1}, std::vector<std::uint32_t>(values.size(), 1), values};
}

}  // namespace

TEST_CASE("local maxima: the example of the header, constant values, NaN") {
    const auto maxima = found(row_of<std::int16_t>({1, 3, 3, 1, 2, 1, 0, 0}));
    CHECK(maxima == std::vector<LocalMaximum>{{1, {1, 0, 0}, 3}, {1, {4, 0, 0}, 2}});
    CHECK(found(row_of<std::uint8_t>({5, 5, 5})) == std::vector<LocalMaximum>{{1, {0, 0, 0}, 5}});
    CHECK(found(row_of<float>({NAN, 1, NAN, -INFINITY, NAN})).size() == 2);
    CHECK(found(row_of<float>({NAN, NAN})).empty());
}

TEST_CASE_TEMPLATE("local maxima: random volumes with plateaus", T, std::uint8_t, std::int16_t, std::uint32_t, std::int64_t, float,
                   double) {
    std::mt19937 random(11);
    for (const Extent e : {Extent{9, 8, 7}, Extent{1, 1, 9}, Extent{30, 1, 1}, Extent{12, 11, 1}, Extent{3, 3, 30}})
        for (const int values : {1, 2, 3, 5, 200})
            for (const unsigned components : {1u, 3u})
                for (int i = 0; i < 15; ++i) {
                    Image<T> image{e, {}, {}};
                    for (std::int64_t at = 0; at < e.voxels(); ++at) {
                        image.components.push_back(random() % 5 == 0 ? 0 : 1 + std::uint32_t(at / 16 * 7 % components));
                        image.values.push_back(T(random() % unsigned(values)));
                    }
                    REQUIRE(found(image) == expected(image, false));
                    REQUIRE(found(image, LocalMaxima::Greater::lower) == expected(image, true));
                }
}

TEST_CASE("local maxima: many plateaus are discarded") {
    // Steps of flat areas, which are compacted, below one maximum per component.
    const Extent e{200, 200, 40};
    Image<std::int16_t> image{e, std::vector<std::uint32_t>(std::size_t(e.voxels()), 1), {}};
    for (std::int64_t at = 0; at < e.voxels(); ++at) {
        const std::int64_t x = at % e.nx, y = at / e.nx % e.ny, z = at / e.nx / e.ny;
        image.values.push_back(std::int16_t((x * 7 + y * 3) % 11 / 4 + z / 5));
        if (x == 100) image.components[std::size_t(at)] = 2;
    }
    CHECK(found(image) == expected(image, false));
}

TEST_CASE("local maxima: memory limit") {
    MemoryLimit limit(100);
    LocalMaxima maxima(ScalarType::u8, {4, 1, 1}, LocalMaxima::Greater::higher, &limit);
    const std::vector<std::uint8_t> values{1, 2, 1, 0};
    maxima.add_row<std::uint64_t>(std::vector<std::uint64_t>{1, 1, 1, 1}, std::as_bytes(std::span(values)));
    CHECK_THROWS_AS(maxima.finish(), MemoryLimitReached);
}

TEST_CASE("maxima are kept apart by a distance in mm") {
    const World world{{{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 2.5, 0}}}};
    const std::vector<LocalMaximum> line{{1, {0, 0, 0}, 9}, {1, {2, 0, 0}, 8}, {1, {4, 0, 0}, 7}, {2, {1, 0, 0}, 3}};
    CHECK(keep_apart(line, world, 3) == std::vector<LocalMaximum>{line[0], line[2], line[3]});
    CHECK(keep_apart(line, world, 2) == line);
    CHECK(keep_apart(line, world, 0) == line);
    std::mt19937 random(2);
    const auto below = [&](unsigned n) { return std::uint32_t(random() % n); };
    std::vector<LocalMaximum> maxima;
    for (std::uint32_t component = 1; component <= 3; ++component)
        for (int i = 0; i < 300; ++i) maxima.push_back({component, {below(60), below(60), below(30)}, 1000.0 - i});
    for (const double distance : {0.5, 4.0, 15.0, 1e6}) {
        std::vector<LocalMaximum> kept;
        for (const LocalMaximum& m : maxima) {
            const bool near = std::ranges::any_of(kept, [&](const LocalMaximum& k) {
                const double dx = double(m.at[0]) - k.at[0], dy = double(m.at[1]) - k.at[1], dz = 2.5 * (double(m.at[2]) - k.at[2]);
                return k.component == m.component && std::sqrt(dx * dx + dy * dy + dz * dz) < distance;
            });
            if (!near) kept.push_back(m);
        }
        CHECK(keep_apart(maxima, world, distance) == kept);
    }
}
