#include "io/jpeg2000/jp2_boxes.h"

#include "io/jpeg2000/big_endian.h"

#include <optional>

namespace voxcc::io {
namespace {

struct Box {
    std::uint32_t type = 0;
    ByteRange content;
};

constexpr std::uint32_t type_of(std::string_view name) {
    std::uint32_t type = 0;
    for (const char c : name) type = type << 8 | static_cast<unsigned char>(c);
    return type;
}

Box read_box(const InputFile& file, std::int64_t at) {
    const auto length = big_endian_at<std::uint32_t>(file, at);
    Box box{big_endian_at<std::uint32_t>(file, at + 4), {at + 8, file.size()}};
    if (length == 0) return box;  // the last box
    std::uint64_t bytes = length;
    if (length == 1) {
        bytes = big_endian_at<std::uint64_t>(file, at + 8);
        box.content.begin += 8;
    }
    if (bytes < std::uint64_t(box.content.begin - at))
        throw Error(ErrorKind::invalid_file, file.path(), "has a box of " + std::to_string(bytes) + " bytes");
    if (bytes > std::uint64_t(file.size() - at))
        throw Error(ErrorKind::truncated_file, file.path(),
                    "a box of " + std::to_string(bytes) + " bytes at byte " + std::to_string(at) + " exceeds the file");
    box.content.end = at + std::int64_t(bytes);
    return box;
}

}  // namespace

ByteRange find_codestream(const InputFile& file) {
    constexpr std::uint16_t start_of_codestream = 0xff4f;
    constexpr int most_boxes = 100'000;
    if (big_endian_at<std::uint16_t>(file, 0) == start_of_codestream) return {0, file.size()};
    std::optional<ByteRange> found;
    int boxes = 0, codestreams = 0;
    for (std::int64_t at = 0; at < file.size();) {
        if (++boxes > most_boxes) throw Error(ErrorKind::invalid_file, file.path(), "has too many boxes");
        const Box box = read_box(file, at);
        at = box.content.end;
        if (box.type != type_of("jp2c")) continue;
        ++codestreams;
        found = box.content;
    }
    if (!found) throw Error(ErrorKind::unsupported_file, file.path(), "contains no image that is one JPEG 2000 codestream");
    if (codestreams > 1)
        throw Error(ErrorKind::unsupported_file, file.path(),
                    "contains " + std::to_string(codestreams) + " images; store each in a file of its own");
    return *found;
}

}  // namespace voxcc::io
