// Tests the contacts of labels against a count of all pairs of neighbouring voxels.
#include <voxcc/source.h>
#include "kernels/contacts_oracle.h"
#include "kernels/instruction_sets.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

using namespace voxcc;
using contacts_oracle::expected;

namespace {

template <class T>
std::vector<LabelContact> found(const std::vector<T>& labels, const Extent& e, Connectivity connectivity, int threads) {
    const ForegroundPacker packer(scalar_type_of<T>(), {});
    StridedSource source(view(labels.data(), e), packer);
    ThreadPool pool(threads);
    return label_contacts(source, e, connectivity, pool);
}

}  // namespace

TEST_CASE("contacts: the example of the header") {
    const std::vector<std::uint8_t> labels{1, 1, 2, 1, 3, 2};
    const auto contacts = found(labels, {3, 2, 1}, Connectivity::c4, 1);
    CHECK(contacts == std::vector<LabelContact>{{1, 2, {1, 0, 0}, 0}, {1, 3, {1, 1, 0}, 0}, {2, 3, {1, 0, 0}, 0}});
}

TEST_CASE_TEMPLATE("contacts: random labels, every connectivity and number of threads", T, std::uint8_t, std::int8_t, std::int32_t,
                   std::uint64_t) {
    std::mt19937 random(3);
    for (const Extent e : {Extent{5, 4, 3}, Extent{130, 3, 4}, Extent{1, 6, 5}, Extent{70, 1, 1}, Extent{9, 8, 1}})
        for (const unsigned values : {2u, 4u, 30u}) {
            std::vector<T> labels(std::size_t(e.voxels()));
            for (T& label : labels) label = random() % 2 ? T(random() % values) : T(-T(random() % values));
            for (const int neighbours : {4, 8, 6, 18, 26})
                for (const int threads : {1, 3})
                    REQUIRE(found(labels, e, *connectivity_of(neighbours), threads) == expected(labels, e, neighbours));
        }
}

TEST_CASE_TEMPLATE("contacts: cells around random points, with every instruction set", T, std::uint8_t, std::int16_t, std::int32_t,
                   std::uint64_t) {
    std::mt19937 random(7);
    const Isa usual = default_isa();
    for (const std::int64_t nx : {63, 64, 65, 150})
        for (const int points : {2, 3, 25}) {
            const Extent e{nx, 11, 7};
            std::vector<std::array<int, 3>> at(static_cast<std::size_t>(points));
            for (auto& p : at) p = {int(random() % unsigned(nx)), int(random() % 11), int(random() % 7)};
            std::vector<T> labels;
            for (int z = 0; z < 7; ++z)
                for (int y = 0; y < 11; ++y)
                    for (int x = 0; x < nx; ++x) {
                        const auto distance = [&](const std::array<int, 3>& p) {
                            return (p[0] - x) * (p[0] - x) + 9 * (p[1] - y) * (p[1] - y) + 9 * (p[2] - z) * (p[2] - z);
                        };
                        const auto nearest = std::ranges::min_element(at, {}, distance) - at.begin();
                        labels.push_back(random() % 300 == 0 || nearest == 5 ? T(0) : nearest % 2 == 0 ? T(nearest + 1) : T(-nearest));
                    }
            for (const Isa isa : instruction_sets()) {
                set_default_isa(isa);
                for (const int neighbours : {4, 8, 6, 18, 26})
                    CHECK(found(labels, e, *connectivity_of(neighbours), 2) == expected(labels, e, neighbours));
            }
            set_default_isa(usual);
        }
}

TEST_CASE("contacts: long equal stretches, background, floats") {
    std::vector<std::uint16_t> labels(1000, 7);
    CHECK(found(labels, {500, 2, 1}, Connectivity::c8, 2).empty());
    labels[499] = 0, labels[999] = 9;
    CHECK(found(labels, {500, 2, 1}, Connectivity::c8, 2) == expected(labels, {500, 2, 1}, 8));
    CHECK_THROWS_AS(found(std::vector<float>(4), {4, 1, 1}, Connectivity::c6, 1), Error);
}

TEST_CASE("contacts are the same with every instruction set") {
    const Extent e{140, 9, 6};
    std::mt19937 random(5);
    std::vector<std::int32_t> labels(std::size_t(e.voxels()));
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = random() % 4 == 0 ? 0 : std::int32_t(i / 40 % 500);
    const Isa usual = default_isa();
    for (const Isa isa : instruction_sets()) {
        set_default_isa(isa);
        CHECK(found(labels, e, Connectivity::c26, 1) == expected(labels, e, 26));
    }
    set_default_isa(usual);
}

namespace {

/// Fails if slices are not fetched once, in ascending order, by one thread.
class SlicesInOrder : public StridedSource {
public:
    using StridedSource::StridedSource;
    Access access() const override { return Access::in_order; }
    const std::byte* fetch(RowRange rows, std::vector<std::byte>& buffer) override {
        CHECK(rows.first == next_);
        next_ = rows.end();
        buffer.resize(std::size_t(copied_bytes(rows)));
        copy(rows, buffer.data());
        return buffer.data();
    }
    const std::byte* values(const std::byte* fetched, RowRange, std::int64_t index) const override {
        return fetched + copied_bytes({0, index});
    }

private:
    std::int64_t next_ = 0;
};

}  // namespace

TEST_CASE("contacts: a source that is read in order") {
    const Extent e{70, 5, 9};
    std::mt19937 random(8);
    std::vector<std::uint32_t> labels(std::size_t(e.voxels()));
    for (std::uint32_t& label : labels) label = random() % 5;
    const ForegroundPacker packer(ScalarType::u32, {});
    SlicesInOrder source(view(labels.data(), e), packer);
    ThreadPool pool(4);
    CHECK(label_contacts(source, e, Connectivity::c26, pool) == expected(labels, e, 26));
}

TEST_CASE("contacts: areas of faces, and the memory limit") {
    const World sheared{{{{2, 0, 0, 10}, {0, 0, -5, 0}, {1, 3, 0, 0}}}};
    CHECK(face_areas({{{{2, 0, 0, 10}, {0, -3, 0, 0}, {0, 0, 5, 0}}}}) == std::array<double, 3>{15, 10, 6});
    CHECK(face_areas(sheared)[0] == doctest::Approx(15));
    CHECK(face_areas(sheared)[1] == doctest::Approx(5 * std::sqrt(5)));
    CHECK(face_areas(sheared)[2] == doctest::Approx(6));
    const std::vector<std::uint8_t> labels{1, 2, 3, 4, 5};
    const ForegroundPacker packer(ScalarType::u8, {});
    StridedSource source(view(labels.data(), {5, 1, 1}), packer);
    ThreadPool pool(1);
    MemoryLimit limit(200);
    CHECK_THROWS_AS(label_contacts(source, {5, 1, 1}, Connectivity::c6, pool, &limit), MemoryLimitReached);
    CHECK(limit.used() == 0);
}
