#include "src/pipeline/label_bits.h"

#include "src/errors/program_error.h"
#include "src/options/numbers.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

namespace voxcc {
namespace {

// Doubles above 2^53 cannot represent every integer, so different labels may have the same value.
constexpr double most_exact = 0x1p53;

[[noreturn]] void refuse(double value, const io::VolumeInfo& info) {
    const std::string scaled = info.scaling.is_identity() ? "" : " (with slope and intercept)";
    throw ProgramError(ErrorKind::invalid_file, info.path,
                       "contains the value " + shortest_text(value) + scaled + ", and labels must be whole numbers",
                       "label it first with 'voxcc label', or give a label volume");
}

template <class T>
LabelBits label_of(T stored, const io::VolumeInfo& info) {
    const double value = double(stored) * info.scaling.slope + info.scaling.intercept;
    if (std::abs(value) <= most_exact && value == std::floor(value)) return LabelBits(std::int64_t(value));  // the usual case
    const std::optional<double> label = whole_label(value, info.scaling);
    if (!label) refuse(value, info);
    return LabelBits(std::int64_t(*label));
}

bool is_stored_integer(const io::VolumeInfo& info) {
    return info.scaling.is_identity() && visit_scalar(info.type, []<class T>(std::type_identity<T>) { return std::is_integral_v<T>; });
}

}  // namespace

ScalarType label_type(const io::VolumeInfo& info) { return is_stored_integer(info) ? info.type : ScalarType::i64; }

std::optional<double> whole_label(double value, const io::Scaling& scaling) {
    constexpr double rounding = 1e-6, farthest = 0.01;
    double near = rounding;
    if (!scaling.is_identity()) near = std::min({rounding * std::max(1.0, std::abs(value)), std::abs(scaling.slope) / 4, farthest});
    const double whole = std::round(value);
    if (!(std::abs(value) <= most_exact) || std::abs(value - whole) > near) return std::nullopt;
    return whole;
}

void to_label_bits(std::span<const std::byte> raw, const io::VolumeInfo& info, std::span<LabelBits> labels) {
    visit_scalar(info.type, [&]<class T>(std::type_identity<T>) {
        const auto convert = [&](const auto& label) {
            for (std::size_t i = 0; i < labels.size(); ++i) {
                T value;
                std::memcpy(&value, raw.data() + i * sizeof(T), sizeof(T));
                labels[i] = label(value);
            }
        };
        if (is_stored_integer(info)) convert([](T stored) { return LabelBits(std::int64_t(stored)); });
        else convert([&](T stored) { return label_of(stored, info); });
    });
}

std::vector<std::size_t> ascending_labels(const std::vector<LabelBits>& labels, ScalarType type) {
    std::vector<std::size_t> order(labels.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
        return type == ScalarType::u64 ? labels[a] < labels[b] : std::int64_t(labels[a]) < std::int64_t(labels[b]);
    });
    return order;
}

std::uint64_t largest_label(ScalarType type) {
    return visit_scalar(type, []<class T>(std::type_identity<T>) {
        if constexpr (std::is_integral_v<T>) return std::uint64_t(std::numeric_limits<T>::max());
        else return std::numeric_limits<std::uint64_t>::max();
    });
}

std::string label_text(LabelBits label, ScalarType type) {
    return type == ScalarType::u64 ? std::to_string(label) : std::to_string(std::int64_t(label));
}

}  // namespace voxcc
