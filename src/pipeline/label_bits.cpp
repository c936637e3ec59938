#include "src/pipeline/label_bits.h"

#include "src/cli/numbers.h"
#include "src/messages/program_error.h"

#include <cmath>
#include <cstring>

namespace voxcc {
namespace {

template <class T>
LabelBits label_of(T value, const io::VolumeInfo& info) {
    if constexpr (std::is_floating_point_v<T>) {
        // Doubles above 2^53 cannot represent every integer, so different labels may have the same value.
        if (!(std::abs(value) <= 0x1p53) || value != std::floor(value))
            throw ProgramError(ErrorKind::invalid_file, info.path,
                               "contains the value " + shortest_text(double(value)) + ", and labels must be whole numbers",
                               "label it first with 'voxcc label', or give a label volume");
    }
    return LabelBits(std::int64_t(value));
}

}  // namespace

void to_label_bits(std::span<const std::byte> raw, const io::VolumeInfo& info, std::span<LabelBits> labels) {
    visit_scalar(info.type, [&]<class T>(std::type_identity<T>) {
        for (std::size_t i = 0; i < labels.size(); ++i) {
            T value;
            std::memcpy(&value, raw.data() + i * sizeof(T), sizeof(T));
            labels[i] = label_of(value, info);
        }
    });
}

std::string label_text(LabelBits label, ScalarType type) {
    return type == ScalarType::u64 ? std::to_string(label) : std::to_string(std::int64_t(label));
}

}  // namespace voxcc
