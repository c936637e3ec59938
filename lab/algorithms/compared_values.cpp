// Stored values as words, for rules that compare values.
#include "lab/algorithms/compared_values.h"

#include "kernels3d/base/near_values.h"
#include "kernels3d/engine/value_bits.h"

#include <cstring>

namespace voxcc {
namespace {

/// Four channels of 8 bits as four channels of 16 bits.
// 0x01020304  ->  0x0001'0002'0003'0004
std::uint64_t wide_channels(std::uint64_t colour) {
    std::uint64_t wide = 0;
    for (int channel = 0; channel < 4; ++channel) wide |= (colour >> (8 * channel) & 0xff) << (16 * channel);
    return wide;
}

template <class T>
std::uint64_t word_of(Rule rule, T value) {
    const std::uint64_t word = block_runs::value_bits(value);
    if (rule == Rule::gradient) {
        if constexpr (std::is_same_v<T, float>) return block_runs::value_bits(double(value));
        else if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) return word ^ std::uint64_t{1} << 63;  // keeps the order
    }
    return rule == Rule::colour && sizeof(T) == 4 ? wide_channels(word) : word;
}

}  // namespace

void check_compared_type(Rule rule, ScalarType type) {
    if (rule == Rule::colour && type != ScalarType::u32 && type != ScalarType::u64)
        throw Error(ErrorKind::invalid_argument, "rule", "colours must be values of type uint32 or uint64");
}

void append_words(Rule rule, ScalarType type, const std::byte* values, std::int64_t n, std::vector<std::uint64_t>& words) {
    visit_scalar(type, [&]<class T>(std::type_identity<T>) {
        for (std::int64_t i = 0; i < n; ++i) {
            T value;
            std::memcpy(&value, values + i * std::int64_t(sizeof value), sizeof value);
            words.push_back(word_of(rule, value));
        }
    });
}

ComparedValues compare_values(Rule rule, const Bound& most, ScalarType type, std::span<const std::byte> values) {
    check_compared_type(rule, type);
    ComparedValues compared{.rule = rule, .most = most, .type = type, .words = {}};
    if (rule == Rule::foreground) return compared;
    const std::int64_t n = std::int64_t(values.size()) / size_of(type);
    compared.words.reserve(std::size_t(n));
    append_words(rule, type, values.data(), n, compared.words);
    return compared;
}

algorithms::Values values_for(const ComparedValues& values) {
    using Kind = algorithms::Values::Kind;
    if (values.rule == Rule::foreground) return {};
    if (values.rule == Rule::equal_values) return {Kind::integer, values.words.data(), 0};
    const std::uint64_t most = whole_limit<std::uint64_t>(values.most);
    if (values.rule == Rule::colour) return {Kind::colour, values.words.data(), most};
    if (values.type == ScalarType::f32 || values.type == ScalarType::f64)
        return {Kind::real, values.words.data(), std::bit_cast<std::uint64_t>(values.most.real)};
    return {Kind::integer, values.words.data(), most};
}

}  // namespace voxcc
