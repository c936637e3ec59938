#include "io/formats/biorad/biorad.h"

#include "io/binary_numbers.h"
#include "io/shared_by_formats.h"

namespace voxcc::io {
namespace {

constexpr std::size_t header_bytes = 76;

std::int64_t field(std::span<const std::byte> header, std::size_t offset) {
    return std::int64_t(number_at<std::uint16_t>(header, offset, std::endian::little));
}

}  // namespace

bool is_biorad(const UnknownFile& file) {
    constexpr std::int64_t id = 12345;
    constexpr std::size_t offset = 54;
    return file.is_plain() && file.start.size() >= offset + sizeof(std::uint16_t) && field(file.start, offset) == id &&
           has_extension(file.file.path(), {".pic"});
}

void check_biorad(const InputFile& file) {
    std::array<std::byte, header_bytes> header{};  // zeros if the file is shorter
    file.read_some(0, header);
    const std::int64_t is_byte = field(header, 14);
    if (is_byte > 1) throw Error(ErrorKind::several_values, file.path(), "voxels of type " + std::to_string(is_byte) + " are not read");
    const std::int64_t voxels = checked_bytes({field(header, 0), field(header, 2), field(header, 4)}, is_byte == 1 ? 1 : 2, file.path());
    require_bytes(file, header_bytes, voxels);
}

}  // namespace voxcc::io
