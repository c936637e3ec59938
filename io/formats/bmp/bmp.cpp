#include "io/formats/bmp/bmp.h"

#include "io/binary_numbers.h"
#include "io/shared_by_formats.h"

#include <cstdlib>

namespace voxcc::io {

bool is_bmp(const UnknownFile& file) { return file.is_plain() && file.starts_with("BM") && has_extension(file.file.path(), {".bmp"}); }

void check_bmp(const InputFile& file) {
    std::array<std::byte, 34> header{};  // zeros if the file is shorter
    file.read_some(0, header);
    const auto offset = std::int64_t(number_at<std::uint32_t>(header, 10, std::endian::little));
    const auto width = std::int64_t(number_at<std::int32_t>(header, 18, std::endian::little));
    const auto height = std::abs(std::int64_t(number_at<std::int32_t>(header, 22, std::endian::little)));
    const auto bits = number_at<std::uint16_t>(header, 28, std::endian::little);
    const auto compression = number_at<std::uint32_t>(header, 30, std::endian::little);
    if (bits != 8 && bits != 24 && bits != 32)
        throw Error(ErrorKind::unsupported_file, file.path(),
                    "a picture of " + std::to_string(bits) + " bits per pixel; 8 (grey values), 24 and 32 (colours) are read");
    if (compression != 0) throw Error(ErrorKind::unsupported_file, file.path(), "a compressed BMP is not read; convert it to PNG");
    const std::int64_t row_bytes = (width * (bits / 8) + 3) / 4 * 4;
    require_bytes(file, offset, checked_bytes({row_bytes, height, 1}, 1, file.path()));
}

}  // namespace voxcc::io
