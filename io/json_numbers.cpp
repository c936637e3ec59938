#include "io/json_numbers.h"

#include <cmath>

namespace voxcc::io {

nlohmann::ordered_json with_written_numbers(nlohmann::ordered_json json) {
    if (json.is_structured())
        for (auto& member : json) member = with_written_numbers(std::move(member));
    if (!json.is_number_float()) return json;
    const double value = json.get<double>();
    if (std::isnan(value)) return nullptr;
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return value == 0 ? 0.0 : value;
}

}  // namespace voxcc::io
