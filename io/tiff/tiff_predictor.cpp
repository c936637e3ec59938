#include "io/tiff/tiff_predictor.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

namespace voxcc::io {
namespace {

// samples = [5, 1, 0, 2]  ->  [5, 6, 6, 8]
template <class T>
void accumulate(std::span<std::byte> row) {
    T sum = 0;
    for (std::size_t i = 0; i + sizeof(T) <= row.size(); i += sizeof(T)) {
        T difference;
        std::memcpy(&difference, row.data() + i, sizeof difference);
        sum = T(sum + difference);
        std::memcpy(row.data() + i, &sum, sizeof sum);
    }
}

}  // namespace

void undo_differences(std::span<std::byte> rows, std::int64_t row_bytes, std::int64_t sample_bytes) {
    const auto bytes = std::size_t(row_bytes);
    for (std::size_t at = 0; at + bytes <= rows.size(); at += bytes) switch (sample_bytes) {
            case 1: accumulate<std::uint8_t>(rows.subspan(at, bytes)); break;
            case 2: accumulate<std::uint16_t>(rows.subspan(at, bytes)); break;
            case 4: accumulate<std::uint32_t>(rows.subspan(at, bytes)); break;
            case 8: accumulate<std::uint64_t>(rows.subspan(at, bytes)); break;
            default: break;
        }
}

void undo_byte_differences(std::span<std::byte> rows, std::int64_t row_bytes, std::int64_t sample_bytes) {
    const auto bytes = std::size_t(row_bytes), sample = std::size_t(sample_bytes), samples = bytes / sample;
    std::vector<std::byte> planes(bytes);
    for (std::size_t at = 0; at + bytes <= rows.size(); at += bytes) {
        const std::span row = rows.subspan(at, bytes);
        accumulate<std::uint8_t>(row);
        std::copy(row.begin(), row.end(), planes.begin());
        for (std::size_t byte = 0; byte < sample; ++byte) {
            const std::size_t plane = std::endian::native == std::endian::little ? sample - 1 - byte : byte;
            for (std::size_t i = 0; i < samples; ++i) row[i * sample + byte] = planes[plane * samples + i];
        }
    }
}

}  // namespace voxcc::io
