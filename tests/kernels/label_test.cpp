// Tests the functions of <voxcc/label.h> against a flood fill.
#include <voxcc/label.h>
#include "kernels3d/api/memory_source.h"

#include "device.h"
#include "kernels/instruction_sets.h"
#include "kernels/oracle.h"

#include <doctest/doctest.h>

#include <random>
#include <thread>

using namespace voxcc;

namespace {

const Extent extent{13, 7, 5};

template <class T>
std::vector<T> random_voxels(unsigned seed, int values = 2) {
    std::mt19937 random(seed);
    std::vector<T> voxels(std::size_t(extent.voxels()));
    for (T& voxel : voxels) voxel = T(random() % unsigned(values));
    return voxels;
}

oracle::Shape shape_of(const Extent& e) { return {long(e.nx), long(e.ny), long(e.nz)}; }

// The expected labels of binary voxels.
template <class T>
oracle::Labels expected(const std::vector<T>& voxels, const Extent& e, int neighbours) {
    std::vector<int> ones;
    for (const T v : voxels) ones.push_back(v != T{});
    return oracle::flood_fill(ones, shape_of(e), neighbours);
}

template <class Label>
std::vector<std::uint64_t> painted(Labelling& labelling) {
    std::vector<Label> labels(std::size_t(labelling.extent().voxels()), Label(77));
    labelling.paint(labels.data());
    return {labels.begin(), labels.end()};
}

}  // namespace

TEST_CASE("label: the example of the header") {
    std::vector<std::uint8_t> voxels{1, 1, 0, 1, 0, 0, 0, 1};
    auto labelling = voxcc::label(voxcc::view(voxels.data(), {4, 2, 1}), {.connectivity = voxcc::Connectivity::c26});
    CHECK(labelling->count() == 2);
    std::vector<std::uint32_t> labels(voxels.size());
    labelling->paint(labels.data());
    CHECK(labels == std::vector<std::uint32_t>{1, 1, 0, 2, 0, 0, 0, 2});
    const SumTable table = labelling->measure();
    REQUIRE(table.size() == 2);
    CHECK(describe(table[1], {4, 2, 1}, std::nullopt).centroid == std::array{3.0, 0.5, 0.0});
}

TEST_CASE("label: every type of voxel, of label, and connectivity") {
    for (int type = 0; type <= int(ScalarType::f64); ++type)
        visit_scalar(ScalarType(type), [&]<class T>(std::type_identity<T>) {
            const auto voxels = random_voxels<T>(unsigned(type));
            for (const int neighbours : {4, 8, 6, 18, 26}) {
                auto labelling = label(view(voxels.data(), extent), {.connectivity = *connectivity_of(neighbours)}, {.threads = 3});
                const auto right = expected(voxels, extent, neighbours);
                CHECK(labelling->count() == right.count);
                CHECK(painted<std::uint8_t>(*labelling) == right.of);
                CHECK(painted<std::uint16_t>(*labelling) == right.of);
                CHECK(painted<std::uint32_t>(*labelling) == right.of);
                CHECK(painted<std::uint64_t>(*labelling) == right.of);
                std::uint64_t total = 0;
                const SumTable sums = labelling->measure();
                for (std::size_t row = 0; row < sums.size(); ++row) total += sums.voxels(row);
                CHECK(sums.size() == right.count);
                CHECK(total == std::uint64_t(std::count_if(voxels.begin(), voxels.end(), [](T v) { return v != T{}; })));
            }
        });
}

TEST_CASE("label: strided voxels and labels, forwards and backwards") {
    const auto voxels = random_voxels<std::int16_t>(3);
    // The same memory with x and z exchanged. The components are numbered in the raster order of the new axes.
    const Extent exchanged{extent.nz, extent.ny, extent.nx};
    std::vector<std::int16_t> copy(voxels.size());
    for (std::int64_t z = 0, i = 0; z < extent.nx; ++z)
        for (std::int64_t y = 0; y < extent.ny; ++y)
            for (std::int64_t x = 0; x < extent.nz; ++x, ++i)
                copy[std::size_t(i)] = voxels[std::size_t((x * extent.ny + y) * extent.nx + z)];
    const Strides apart{extent.nx * extent.ny, extent.nx, 1};
    auto labelling = label(view(voxels.data(), exchanged, apart), {.connectivity = Connectivity::c18});
    CHECK(painted<std::uint32_t>(*labelling) == expected(copy, exchanged, 18).of);

    // Labels with the strides of the voxels, in the same memory order.
    std::vector<std::uint32_t> labels(voxels.size());
    labelling->paint({reinterpret_cast<std::byte*>(labels.data()), ScalarType::u32, {4 * apart[0], 4 * apart[1], 4 * apart[2]}}, {});
    const auto right = expected(copy, exchanged, 18).of;
    for (std::int64_t z = 0, i = 0; z < extent.nx; ++z)
        for (std::int64_t y = 0; y < extent.ny; ++y)
            for (std::int64_t x = 0; x < extent.nz; ++x, ++i)
                REQUIRE(labels[std::size_t((x * extent.ny + y) * extent.nx + z)] == right[std::size_t(i)]);

    // Negative strides: from the last voxel to the first.
    const std::vector<std::int16_t> reversed(voxels.rbegin(), voxels.rend());
    auto back = label(view(&voxels.back(), extent, {-1, -extent.nx, -extent.nx * extent.ny}), {.connectivity = Connectivity::c6});
    CHECK(painted<std::uint32_t>(*back) == expected(reversed, extent, 6).of);
}

TEST_CASE_TEMPLATE("label: many labels have the same values at every address", T, std::uint32_t, std::uint64_t) {
    // More than 32 MiB of labels are written past the caches. Rows with a gap are not, so they are the expectation.
    const Isa before = default_isa();
    for (const Extent& e : {Extent{1001, 131, 67}, Extent{256, 257, 128}}) {
        std::mt19937 random(5);
        std::vector<std::uint8_t> voxels(std::size_t(e.voxels()));
        for (std::uint8_t& voxel : voxels) voxel = random() % 16 == 0;
        for (const Isa isa : instruction_sets()) {
            set_default_isa(isa);
            auto labelling = label(view(voxels.data(), e), {.connectivity = Connectivity::c6});
            const std::int64_t pitch = e.nx + 1, bytes = sizeof(T);
            std::vector<T> apart(std::size_t(pitch * e.rows()));
            const Strides with_gap{bytes, pitch * bytes, pitch * e.ny * bytes};
            labelling->paint({reinterpret_cast<std::byte*>(apart.data()), scalar_type_of<T>(), with_gap}, {});
            constexpr std::size_t around = 64;  // labels before and after that must not change
            std::vector<T> labels(voxels.size() + 2 * around);
            for (const std::size_t offset : {std::size_t{0}, std::size_t{1}, 16 / sizeof(T)}) {
                std::fill(labels.begin(), labels.end(), T(77));
                T* const first = labels.data() + around + offset;
                labelling->paint(first);
                std::int64_t wrong = 0;
                for (std::int64_t row = 0; row < e.rows(); ++row)
                    wrong += !std::equal(first + row * e.nx, first + (row + 1) * e.nx, apart.data() + row * pitch);
                CHECK(wrong == 0);
                CHECK(std::count(labels.data(), first, T(77)) == first - labels.data());
                CHECK(std::count(first + e.voxels(), labels.data() + labels.size(), T(77)) == std::int64_t(around - offset));
            }
        }
    }
    set_default_isa(before);
}

TEST_CASE_TEMPLATE("label: labels in every order of axes, in one piece and slab by slab", T, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t) {
    const Extent e{71, 130, 67};  // more rows along y and z than are painted at a time
    std::mt19937 random(8);
    std::vector<std::uint8_t> voxels(std::size_t(e.voxels()));
    for (std::int64_t i = 0; i < e.voxels(); ++i) voxels[std::size_t(i)] = i % 5003 < 5000 && random() % 32 > 0;
    const ForegroundPacker packer(ScalarType::u8, {});
    for (const std::int64_t slices : {0, 5}) {
        MemorySource source(reinterpret_cast<const std::byte*>(voxels.data()), e, packer);
        auto labelling = slices ? label(source, e, {.connectivity = Connectivity::c6}, {.slices_per_slab = slices})
                                : label(view(voxels.data(), e), {.connectivity = Connectivity::c6});
        REQUIRE(labelling->count() < 256);
        std::vector<T> expected(voxels.size());
        labelling->paint(expected.data());
        std::array<int, 3> order{0, 1, 2};  // from the axis with the smallest stride to the axis with the largest
        do {
            Strides strides;
            std::int64_t stride = sizeof(T);
            for (const int axis : order) {
                strides[std::size_t(axis)] = stride;
                stride *= std::array{e.nx, e.ny, e.nz}[std::size_t(axis)];
            }
            for (const bool backwards : {false, true}) {
                std::vector<T> labels(voxels.size(), T(77));
                T* const first = backwards ? &labels.back() : labels.data();
                if (backwards)
                    for (std::int64_t& s : strides) s = -s;
                labelling->paint({reinterpret_cast<std::byte*>(first), scalar_type_of<T>(), strides}, {});
                std::int64_t wrong = 0;
                for (std::int64_t z = 0, i = 0; z < e.nz; ++z)
                    for (std::int64_t y = 0; y < e.ny; ++y)
                        for (std::int64_t x = 0; x < e.nx; ++x, ++i)
                            wrong += first[(x * strides[0] + y * strides[1] + z * strides[2]) / std::int64_t(sizeof(T))] !=
                                     expected[std::size_t(i)];
                CHECK(wrong == 0);
            }
        } while (std::next_permutation(order.begin(), order.end()));
    }
}

TEST_CASE("label: values, thresholds, periodic axes, algorithms") {
    const auto voxels = random_voxels<std::int32_t>(4, 4);
    auto by_value = label(view(voxels.data(), extent), {.connectivity = Connectivity::c6, .rule = Rule::equal_values});
    const auto right = oracle::flood_fill(voxels, shape_of(extent), 6);
    CHECK(painted<std::uint32_t>(*by_value) == right.of);
    const auto values = by_value->source_values();
    for (std::size_t i = 0; i < voxels.size(); ++i)
        if (right.of[i]) REQUIRE(values[std::size_t(right.of[i] - 1)] == std::uint64_t(voxels[i]));

    std::vector<int> above;
    for (const int v : voxels) above.push_back(v > 2);
    auto by_threshold = label(view(voxels.data(), extent), {.foreground = {.kind = ForegroundRule::Kind::above, .low = 2}});
    CHECK(painted<std::uint32_t>(*by_threshold) == oracle::flood_fill(above, shape_of(extent), 26).of);

    auto wrapped = label(view(above.data(), extent), {.periodic = {{true, false, true}}});
    CHECK(painted<std::uint32_t>(*wrapped) == oracle::flood_fill(above, shape_of(extent), 26, {true, false, true}).of);

    for (const char* name : {"uf", "ke"}) {
        auto published = label(view(above.data(), extent), {.connectivity = Connectivity::c6}, {.algorithm = name});
        CHECK(painted<std::uint32_t>(*published) == oracle::flood_fill(above, shape_of(extent), 6).of);
    }
}

TEST_CASE("label: painted labels are the final numbers of a selection") {
    std::vector<std::uint8_t> voxels{1, 0, 1, 1, 1, 0, 1, 1};
    auto labelling = label(view(voxels.data(), {8, 1, 1}));
    std::vector<Candidate> candidates;
    const SumTable sums = labelling->measure();
    for (std::size_t row = 0; row < sums.size(); ++row) candidates.push_back({sums.voxels(row)});
    Criteria criteria;
    criteria.min_voxels = 2;
    criteria.numbering = Numbering::by_size;
    const Selection selection = select(candidates, criteria);
    std::vector<std::uint8_t> labels(8);
    labelling->paint({reinterpret_cast<std::byte*>(labels.data()), ScalarType::u8, dense(labelling->extent(), 1)}, selection.final_numbers);
    CHECK(labels == std::vector<std::uint8_t>{0, 0, 1, 1, 1, 0, 2, 2});
}

TEST_CASE("label: row sources, in one piece and slab by slab") {
    const auto voxels = random_voxels<std::uint8_t>(5);
    const ForegroundPacker packer(ScalarType::u8, {});
    const auto right = expected(voxels, extent, 26);
    for (const std::int64_t slices : {0, 1, 2, 3, 5, 9}) {
        MemorySource source(reinterpret_cast<const std::byte*>(voxels.data()), extent, packer);
        auto labelling = label(source, extent, {}, {.slices_per_slab = slices});
        CHECK(labelling->count() == right.count);
        CHECK(painted<std::uint16_t>(*labelling) == right.of);
    }
}

TEST_CASE("label_slices: slices across each axis, with the threads of the labelling") {
    const auto voxels = random_voxels<std::uint8_t>(9);
    const ForegroundPacker packer(ScalarType::u8, {});
    for (const Axis across : {Axis::x, Axis::y, Axis::z})
        for (const int neighbours : {4, 8})
            for (const std::int64_t slices : {1, 2, 5, 9}) {
                MemorySource source(reinterpret_cast<const std::byte*>(voxels.data()), extent, packer);
                auto labelling = label_slices(source, extent, {.connectivity = *connectivity_of(neighbours)}, across,
                                              {.threads = 2, .slices_per_slab = slices});
                // The expectation: the volume with exchanged axes, whose z-slices are labelled. Its labels are put back.
                const Extent other = exchanged(extent, across);
                const auto place = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
                    const auto [i, j, k] = restore_axes(std::array{x, y, z}, across);
                    return std::size_t((k * extent.ny + j) * extent.nx + i);
                };
                std::vector<std::uint8_t> turned;
                for (std::int64_t z = 0; z < other.nz; ++z)
                    for (std::int64_t y = 0; y < other.ny; ++y)
                        for (std::int64_t x = 0; x < other.nx; ++x) turned.push_back(voxels[place(x, y, z)]);
                const auto right = expected(turned, other, neighbours);
                std::vector<std::uint64_t> labels(voxels.size());
                for (std::int64_t z = 0, i = 0; z < other.nz; ++z)
                    for (std::int64_t y = 0; y < other.ny; ++y)
                        for (std::int64_t x = 0; x < other.nx; ++x, ++i) labels[place(x, y, z)] = right.of[std::size_t(i)];
                CHECK(labelling->count() == right.count);
                REQUIRE(labelling->extent() == extent);
                CHECK(painted<std::uint32_t>(*labelling) == labels);
            }
}

TEST_CASE("label: the thread pool of the caller is used") {
    struct Counting : ThreadPool {
        int size() const override { return 4; }
        void for_each(std::int64_t count, const std::function<void(std::int64_t)>& task) override {
            ++calls;
            for (std::int64_t i = 0; i < count; ++i) task(i);
        }
        int calls = 0;
    } pool;
    const auto voxels = random_voxels<std::uint8_t>(6);
    auto labelling = label(view(voxels.data(), extent), {}, {.pool = &pool});
    CHECK(painted<std::uint32_t>(*labelling) == expected(voxels, extent, 26).of);
    CHECK(pool.calls > 0);
}

TEST_CASE("label: labellings of one process do not affect each other") {
    std::atomic<int> right = 0;
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < 4; ++t)
        threads.emplace_back([&right, t] {
            for (unsigned round = 0; round < 20; ++round) {
                const auto voxels = random_voxels<std::uint8_t>(100 * t + round);
                auto labelling = label(view(voxels.data(), extent), {.connectivity = Connectivity::c6}, {.threads = 2});
                right += painted<std::uint32_t>(*labelling) == expected(voxels, extent, 6).of;
            }
        });
    threads.clear();
    CHECK(right == 80);
}

TEST_CASE("label: invalid requests are errors with an exit code") {
    const auto kind = [](auto&& action) -> std::optional<ErrorKind> {
        try {
            action();
        } catch (const Error& error) {
            return error.kind();
        }
        return std::nullopt;
    };
    std::vector<std::uint8_t> voxels(1000);
    for (std::size_t i = 0; i < voxels.size(); i += 2) voxels[i] = 1;
    const Extent row{1000, 1, 1};
    CHECK(kind([&] { label(view(voxels.data(), {0, 1, 1})); }) == ErrorKind::invalid_extent);
    CHECK(kind([&] { label(view(voxels.data(), {1 << 30, 1 << 30, 1 << 30})); }) == ErrorKind::invalid_extent);
    CHECK(kind([&] { label(view(voxels.data(), row), {}, {.algorithm = "none"}); }) == ErrorKind::no_such_algorithm);
    CHECK(kind([&] { label(view(voxels.data(), row), {.rule = Rule::colour}); }) == ErrorKind::unsupported_by_algorithm);
    CHECK(kind([&] { label(view(voxels.data(), row), {}, {.slices_per_slab = 1}); }) == ErrorKind::unsupported);
    CHECK(kind([&] { label(view(voxels.data(), row), {}, {.device = {Device::Kind::cuda, {1023}}}); }) == ErrorKind::no_device);
    const ForegroundPacker packer(ScalarType::u8, {});
    MemorySource source(reinterpret_cast<const std::byte*>(voxels.data()), row, packer);
    const Question in_slices{.connectivity = Connectivity::c4};
    const auto slices = [&](const Question& question, const Execution& execution) {
        return kind([&] { label_slices(source, row, question, Axis::x, execution); });
    };
    CHECK(slices({}, {.slices_per_slab = 1}) == ErrorKind::invalid_argument);
    CHECK(slices(in_slices, {}) == ErrorKind::invalid_argument);
    CHECK(slices({.connectivity = Connectivity::c4, .rule = Rule::colour}, {.slices_per_slab = 1}) == ErrorKind::unsupported_by_algorithm);
    CHECK(slices(in_slices, {.algorithm = "none", .slices_per_slab = 1}) == ErrorKind::no_such_algorithm);
    CHECK(slices(in_slices, {.algorithm = "uf", .slices_per_slab = 1}) == ErrorKind::unsupported);
    CHECK(slices(in_slices, {.device = {Device::Kind::cuda, {0}}, .slices_per_slab = 1}) == ErrorKind::unsupported);
    CHECK(slices(in_slices, {.slices_per_slab = 1}) == std::nullopt);
    auto labelling = label(view(voxels.data(), row));
    CHECK(labelling->count() == 500);
    CHECK(kind([&] { painted<std::uint8_t>(*labelling); }) == ErrorKind::labels_too_large);
    CHECK(kind([&] { labelling->paint({nullptr, ScalarType::f32, dense(row, 4)}, {}); }) == ErrorKind::invalid_argument);
}
