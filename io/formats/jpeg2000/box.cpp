#include "io/formats/jpeg2000/box.h"

#include "io/formats/jpeg2000/big_endian.h"

namespace voxcc::io {
namespace {

Box read_box(const InputFile& file, std::int64_t at, std::int64_t end) {
    const auto exceeds = [&](std::uint64_t bytes) {
        const std::string cause = "a box of " + std::to_string(bytes) + " bytes at byte " + std::to_string(at) + " exceeds ";
        if (end == file.size()) return Error(ErrorKind::truncated_file, file.path(), cause + "the file");
        return Error(ErrorKind::corrupt_file, file.path(), cause + "its outer box");
    };
    constexpr std::int64_t least = 8;
    if (end - at < least) throw exceeds(least);
    const auto length = big_endian_at<std::uint32_t>(file, at);
    Box box{big_endian_at<std::uint32_t>(file, at + 4), {at + least, end}};
    if (length == 0) return box;
    std::uint64_t bytes = length;
    if (length == 1) {
        if (end - at < 2 * least) throw exceeds(2 * least);
        bytes = big_endian_at<std::uint64_t>(file, at + least);
        box.content.begin += least;
    }
    if (bytes < std::uint64_t(box.content.begin - at))
        throw Error(ErrorKind::invalid_file, file.path(), "has a box of " + std::to_string(bytes) + " bytes");
    if (bytes > std::uint64_t(end - at)) throw exceeds(bytes);
    box.content.end = at + std::int64_t(bytes);
    return box;
}

}  // namespace

std::vector<Box> boxes_in(const InputFile& file, ByteRange range) {
    constexpr std::size_t most_boxes = 100'000;
    std::vector<Box> boxes;
    for (std::int64_t at = range.begin; at < range.end; at = boxes.back().content.end) {
        if (boxes.size() == most_boxes) throw Error(ErrorKind::invalid_file, file.path(), "has too many boxes");
        boxes.push_back(read_box(file, at, range.end));
    }
    return boxes;
}

}  // namespace voxcc::io
