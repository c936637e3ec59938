#include "io/formats/tiff/tiff_predictor.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

namespace voxcc::io {
namespace {

// samples = [5, 1, 0, 2], step = 1  ->  [5, 6, 6, 8]; step = 2  ->  [5, 1, 5, 3]
template <class T>
void accumulate(std::span<std::byte> row, std::int64_t step) {
    const std::size_t back = std::size_t(step) * sizeof(T);
    for (std::size_t i = back; i + sizeof(T) <= row.size(); i += sizeof(T)) {
        T before, difference;
        std::memcpy(&before, row.data() + i - back, sizeof before);
        std::memcpy(&difference, row.data() + i, sizeof difference);
        const T sum = T(before + difference);
        std::memcpy(row.data() + i, &sum, sizeof sum);
    }
}

}  // namespace

void undo_differences(std::span<std::byte> rows, const PredictedRows& layout) {
    const auto bytes = std::size_t(layout.row_bytes);
    for (std::size_t at = 0; at + bytes <= rows.size(); at += bytes) switch (layout.sample_bytes) {
            case 1: accumulate<std::uint8_t>(rows.subspan(at, bytes), layout.interleaved); break;
            case 2: accumulate<std::uint16_t>(rows.subspan(at, bytes), layout.interleaved); break;
            case 4: accumulate<std::uint32_t>(rows.subspan(at, bytes), layout.interleaved); break;
            case 8: accumulate<std::uint64_t>(rows.subspan(at, bytes), layout.interleaved); break;
            default: break;
        }
}

void undo_byte_differences(std::span<std::byte> rows, const PredictedRows& layout) {
    const auto bytes = std::size_t(layout.row_bytes), sample = std::size_t(layout.sample_bytes), samples = bytes / sample;
    std::vector<std::byte> planes(bytes);
    for (std::size_t at = 0; at + bytes <= rows.size(); at += bytes) {
        const std::span row = rows.subspan(at, bytes);
        accumulate<std::uint8_t>(row, layout.interleaved);
        std::copy(row.begin(), row.end(), planes.begin());
        for (std::size_t byte = 0; byte < sample; ++byte) {
            const std::size_t plane = std::endian::native == std::endian::little ? sample - 1 - byte : byte;
            for (std::size_t i = 0; i < samples; ++i) row[i * sample + byte] = planes[plane * samples + i];
        }
    }
}

}  // namespace voxcc::io
