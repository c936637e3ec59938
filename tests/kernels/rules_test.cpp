// Tests the rules that connect by value, for every published algorithm that supports them, against flood fills with the same rule.
#include "kernels/published.h"
#include "kernels/volumes.h"
#include "kernels3d/api/label.h"
#include "kernels3d/api/memory_source.h"
#include "kernels3d/engine/request.h"

#include <cmath>

using namespace voxcc;

namespace {

std::vector<Algorithm> algorithms_with(Rule rule) {
    std::vector<Algorithm> found;
    for (const Algorithm& algorithm : published::algorithms())
        if (supports(algorithm, rule)) found.push_back(algorithm);
    return found;
}

/// The foreground for the oracle: voxels that are neither 0 nor NaN.
template <class T>
auto not_zero(const std::vector<T>& v) {
    return [&v](long i) { return v[i] != T{} && v[i] == v[i]; };
}

/// The rule for the oracle: a difference of at most `most`. long double represents all differences of 64-bit integers exactly.
template <class T>
auto within(const std::vector<T>& v, double most) {
    return [&v, most](long i, long j) { return v[i] == v[j] || std::abs((long double)(v[i]) - (long double)(v[j])) <= most; };
}

template <class T>
std::unique_ptr<Labelling> run(const Algorithm& algorithm, const std::vector<T>& v, const block_runs::Request& request,
                               const ForegroundRule& foreground = {}, const Device& device = test_device()) {
    const ForegroundPacker packer(scalar_type_of<T>(), foreground);
    MemorySource source(reinterpret_cast<const std::byte*>(v.data()), request.extent, packer);
    return label(algorithm, device, request, source, published::pool());
}

block_runs::Request request_for(oracle::Shape s, Connectivity c, Rule rule, double gradient = 0) {
    block_runs::Request request;
    request.extent = {s.nx, s.ny, s.nz};
    request.connectivity = c;
    request.rule = rule;
    request.difference = gradient;
    return request;
}

bool equal(Labelling& got, oracle::Shape s, const oracle::Labels& want) {
    std::vector<std::uint64_t> labels(s.size(), 77);
    got.prepare_paint(ScalarType::u64, {});
    got.paint({0, s.ny * s.nz}, reinterpret_cast<std::byte*>(labels.data()), Stores::cached);
    return got.count() == want.count && labels == want.of;
}

constexpr std::array shapes{oracle::Shape{21, 13, 7}, oracle::Shape{35, 18, 1}};

/// Random values: steps of 0 to 2 from a few levels of the type, with its limits and background. Floating-point types have steps of 0.25,
/// and also NaN, infinities and -0.0.
template <class T>
std::vector<T> levels(oracle::Shape s, std::mt19937_64& rng) {
    using Limits = std::numeric_limits<T>;
    std::vector<T> v(s.size());
    for (T& voxel : v) {
        const int step = int(rng() % 3);
        if constexpr (std::is_floating_point_v<T>) {
            constexpr std::array special{Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(), T(-0.0),
                                         Limits::max(),       Limits::lowest()};
            voxel = rng() % 4 ? T(1 + step * 0.25) : special[rng() % special.size()];
        } else {
            switch (rng() % 4) {
                case 0: voxel = T(Limits::max() - T(step)); break;
                case 1: voxel = T(Limits::lowest() + T(step)); break;
                case 2: voxel = T(Limits::max() / 2 + T(step)); break;
                default: voxel = T(step);
            }
        }
    }
    return v;
}

}  // namespace

TEST_CASE_TEMPLATE("published rules: equal values of every type", T, std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t,
                   std::int32_t, std::uint64_t, std::int64_t, float, double) {
    std::mt19937_64 rng(31);
    for (const oracle::Shape& s : shapes) {
        const std::vector<T> v = levels<T>(s, rng);
        for (const Connectivity c : published::all_connectivities) {
            const oracle::Labels want = oracle::flood_fill(v, s, number_of(c));
            const auto request = request_for(s, c, Rule::equal_values);
            const auto peer = run(*find_algorithm("block-runs"), v, request, {}, Device{});
            for (const Algorithm& algorithm : algorithms_with(Rule::equal_values)) {
                INFO(algorithm.name << " connectivity " << number_of(c));
                const auto got = run(algorithm, v, request);
                CHECK(equal(*got, s, want));
                CHECK(got->source_values() == peer->source_values());
            }
        }
    }
}

TEST_CASE_TEMPLATE("published rules: gradient over every type", T, std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t,
                   std::int32_t, std::uint64_t, std::int64_t, float, double) {
    std::mt19937_64 rng(32);
    for (const oracle::Shape& s : shapes) {
        const std::vector<T> v = levels<T>(s, rng);
        for (const double most : {0.0, 0.25, 1.0, 1.5, 1e300}) {
            if (sanitized && most != 1.5) continue;
            for (const Connectivity c : published::all_connectivities) {
                const oracle::Labels want = oracle::flood_fill_by(s, number_of(c), {}, not_zero(v), within(v, most));
                const auto request = request_for(s, c, Rule::gradient, most);
                for (const Algorithm& algorithm : algorithms_with(Rule::gradient)) {
                    INFO(algorithm.name << " connectivity " << number_of(c) << " gradient " << most);
                    const auto got = run(algorithm, v, request);
                    CHECK(equal(*got, s, want));
                    CHECK(got->source_values().empty());
                }
            }
        }
    }
}

TEST_CASE_TEMPLATE("published rules: colours of three and four channels", T, std::uint32_t, std::uint64_t) {
    // A colour has four channels; in an image of three channels, the last channel is 0.
    constexpr int bits = sizeof(T) * 2;
    constexpr T largest = (T{1} << bits) - 1;
    const auto channel = [](T colour, int c) { return std::int64_t(colour >> (c * bits) & largest); };
    std::mt19937_64 rng(35);
    for (const oracle::Shape& s : shapes)
        for (const int channels : {3, 4}) {
            std::vector<T> v(s.size());
            for (T& voxel : v)
                for (int c = 0; rng() % 8 != 0 && c < channels; ++c)
                    voxel |= T(std::array<T, 4>{0, 1, 3, largest}[rng() % 4]) << (c * bits);
            for (const double most : {0.0, 1.0, 2.5, 4.0, double(largest), 4.0 * double(largest), 1e300}) {
                if (sanitized && most != 2.5) continue;
                for (const Connectivity c : published::all_connectivities) {
                    const oracle::Labels want = oracle::flood_fill_by(s, number_of(c), {}, not_zero(v), [&](long i, long j) {
                        std::int64_t difference = 0;
                        for (int k = 0; k < channels; ++k) difference += std::abs(channel(v[i], k) - channel(v[j], k));
                        return double(difference) <= most;
                    });
                    const auto request = request_for(s, c, Rule::colour, most);
                    for (const Algorithm& algorithm : algorithms_with(Rule::colour)) {
                        INFO(algorithm.name << " connectivity " << number_of(c) << " difference " << most);
                        CHECK(equal(*run(algorithm, v, request), s, want));
                    }
                }
            }
        }
}

TEST_CASE("published rules: colours must be words of 32 or 64 bits") {
    const std::vector<std::uint16_t> v(8, 1);
    const auto request = request_for({2, 2, 2}, Connectivity::c26, Rule::colour, 1);
    const auto algorithms = algorithms_with(Rule::colour);
    CHECK(algorithms.size() == algorithms_with(Rule::gradient).size());
    for (const Algorithm& algorithm : algorithms) CHECK_THROWS_AS(run(algorithm, v, request), Error);
}

TEST_CASE("published rules: zero and negative values can be foreground by a threshold") {
    std::mt19937_64 rng(33);
    const oracle::Shape s{21, 13, 7};
    std::vector<std::int16_t> v(s.size());
    for (auto& voxel : v) voxel = std::int16_t(int(rng() % 9) - 4);
    const ForegroundRule foreground{.kind = ForegroundRule::Kind::at_least, .low = -2};
    const auto takes_part = [&](long i) { return v[i] >= -2; };
    for (const double most : {0.0, 1.0, 3.0})
        for (const Connectivity c : published::all_connectivities) {
            const oracle::Labels want = oracle::flood_fill_by(s, number_of(c), {}, takes_part, within(v, most));
            for (const Algorithm& algorithm : algorithms_with(Rule::gradient)) {
                INFO(algorithm.name << " connectivity " << number_of(c) << " gradient " << most);
                const auto gradient = request_for(s, c, Rule::gradient, most);
                CHECK(equal(*run(algorithm, v, gradient, foreground), s, want));
                const auto equal_values = request_for(s, c, Rule::equal_values);
                if (most == 0) CHECK(equal(*run(algorithm, v, equal_values, foreground), s, want));
            }
        }
}

TEST_CASE("published rules: long slopes and several rows of tiles") {
    // Every component is a slope along x, which is far longer than the reach of one pass. Rows of 0 separate some components.
    const oracle::Shape s{150, sanitized ? 5 : 9, sanitized ? 3 : 5};
    std::vector<std::uint16_t> v(s.size());
    for (long i = 0; i < s.size(); ++i) v[i] = std::uint16_t(i / s.nx % 3 == 2 ? 0 : 1 + i % s.nx * 2 + i / s.nx % s.ny * 1000);
    for (const double most : {1.0, 2.0, 1000.0})
        for (const Connectivity c : published::all_connectivities) {
            const oracle::Labels want = oracle::flood_fill_by(s, number_of(c), {}, not_zero(v), within(v, most));
            const auto request = request_for(s, c, Rule::gradient, most);
            for (const Algorithm& algorithm : algorithms_with(Rule::gradient)) {
                INFO(algorithm.name << " connectivity " << number_of(c) << " gradient " << most);
                CHECK(equal(*run(algorithm, v, request), s, want));
            }
        }
}

TEST_CASE("sanitizer: rules by value") {
    std::mt19937_64 rng(34);
    const oracle::Shape s{35, 7, 3};
    const std::vector<std::uint8_t> v = volumes::random(s, 80, 1, 5, rng);
    const oracle::Labels want = oracle::flood_fill_by(s, 26, {}, not_zero(v), within(v, 1));
    const auto gradient = request_for(s, Connectivity::c26, Rule::gradient, 1);
    for (const Algorithm& algorithm : algorithms_with(Rule::gradient)) CHECK(equal(*run(algorithm, v, gradient), s, want));
    const auto equal_values = request_for(s, Connectivity::c26, Rule::equal_values);
    for (const Algorithm& algorithm : algorithms_with(Rule::equal_values))
        CHECK(equal(*run(algorithm, v, equal_values), s, oracle::flood_fill(v, s, 26)));
}
