// Tests the stored form of sums of intensities: round trips, and words that cannot be sums.
#include <voxcc/parts.h>

#include <voxcc/error.h>

#include <doctest/doctest.h>
#include <bit>
#include <cmath>
#include <random>

using namespace voxcc;

namespace {

constexpr std::uint64_t components = 5;  // the last one has no voxels

template <class T>
IntensitySums drawn(std::mt19937_64& random) {
    IntensitySums sums(scalar_type_of<T>());
    for (std::int64_t y = 0; y < 10; ++y) {
        std::vector<std::uint8_t> numbers;
        std::vector<T> values;
        for (int x = 0; x < 50; ++x) {
            numbers.push_back(std::uint8_t(random() % components));
            if constexpr (std::is_same_v<T, double>) values.push_back(std::bit_cast<double>(random()));
            else values.push_back(T(random()));
        }
        sums.add_row<std::uint8_t>(y, 3, numbers, std::as_bytes(std::span(values)));
    }
    return sums;
}

template <class T>
void check_type() {
    std::mt19937_64 random(3);
    const IntensitySums sums = drawn<T>(random);
    const std::vector<std::uint64_t> words = parts::words_of_intensities(sums, components);
    CHECK(words.size() <= parts::most_intensity_words(components, 500));
    const IntensitySums read = parts::intensities_of_words(sums.type(), words, components, "file");
    CHECK(parts::words_of_intensities(read, components) == words);
    for (std::uint64_t component = 1; component <= components; ++component) {
        const auto got = read.properties(component, {}, std::nullopt), want = sums.properties(component, {}, std::nullopt);
        const auto bits = [](double value) { return std::isnan(value) ? 0 : std::bit_cast<std::uint64_t>(value); };
        CHECK(bits(got.sum) == bits(want.sum));
        CHECK(bits(got.kurtosis) == bits(want.kurtosis));
        CHECK(got.peak == want.peak);
    }
    for (std::size_t length = 0; length < words.size(); ++length)
        CHECK_THROWS_AS(parts::intensities_of_words(sums.type(), std::span(words).first(length), components, "file"), Error);
    std::vector<std::uint64_t> longer = words;
    longer.push_back(0);
    CHECK_THROWS_AS(parts::intensities_of_words(sums.type(), longer, components, "file"), Error);
    // Other words are refused, or are sums whose properties can be computed.
    for (int i = 0; i < 5000; ++i) {
        std::vector<std::uint64_t> other = words;
        for (std::uint64_t k = 1 + random() % 3; k > 0; --k)
            other[random() % other.size()] = random() % 4 == 0 ? ~std::uint64_t{0} : random() >> random() % 64;
        try {
            const IntensitySums damaged = parts::intensities_of_words(sums.type(), other, components, "file");
            for (std::uint64_t component = 1; component <= components; ++component)
                damaged.properties(component, {1e300, -1e-300}, std::nullopt);
        } catch (const Error& error) {
            CHECK(error.kind() == ErrorKind::corrupt_file);
        }
    }
}

}  // namespace

TEST_CASE("sums of intensities are stored in words") {
    check_type<std::uint8_t>();
    check_type<std::int32_t>();
    check_type<std::uint64_t>();
    check_type<double>();
}

TEST_CASE("sums of the largest range have properties") {
    // All units that doubles have, with all bits set.
    for (const std::uint64_t fill : {~std::uint64_t{0}, ~std::uint64_t{0} >> 1, std::uint64_t{1} << 63}) {
        std::vector<std::uint64_t> words{
            ~std::uint64_t{0}, 1, 1, 1, std::bit_cast<std::uint64_t>(-1e308), std::bit_cast<std::uint64_t>(1e308), 0, 0, 0};
        words.push_back(2);
        for (const std::int64_t unit : {-1082, 971}) {
            words.push_back(std::uint64_t(unit));
            words.insert(words.end(), 23, fill);
        }
        const IntensitySums sums = parts::intensities_of_words(ScalarType::f64, words, 1, "file");
        CHECK(sums.properties(1, {1.7e308, 5e-324}, std::nullopt).min == -INFINITY);
        words[10] = std::uint64_t(std::int64_t{-1083});
        CHECK_THROWS_AS(parts::intensities_of_words(ScalarType::f64, words, 1, "file"), Error);
        words[10] = 971;  // twice
        CHECK_THROWS_AS(parts::intensities_of_words(ScalarType::f64, words, 1, "file"), Error);
    }
}
