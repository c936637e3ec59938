#include "io/formats/jpeg2000/jp2_boxes.h"

#include "io/formats/jpeg2000/big_endian.h"

#include <algorithm>

namespace voxcc::io {
namespace {

Error invalid(const InputFile& file, const std::string& cause) { return {ErrorKind::invalid_file, file.path(), cause}; }

Error unsupported(const InputFile& file, const std::string& cause) { return {ErrorKind::unsupported_file, file.path(), cause}; }

auto has_type(std::uint32_t type) {
    return [type](const Box& box) { return box.type == type; };
}

// The content is not checked further: is_jpeg2000() has compared the signature, and readers must accept other brands than JP2.
void check_start(const InputFile& file, const std::vector<Box>& boxes) {
    constexpr std::int64_t brand_and_version = 8, per_brand = 4;
    if (boxes.empty() || boxes[0].type != box_type("jP  ")) throw invalid(file, "does not start with the signature box of JPEG 2000");
    if (boxes.size() < 2 || boxes[1].type != box_type("ftyp")) throw invalid(file, "its second box is not the file type box");
    const std::int64_t bytes = boxes[1].content.size();
    if (bytes < brand_and_version || bytes % per_brand != 0)
        throw invalid(file, "has a file type box of " + std::to_string(bytes) + " bytes");
}

}  // namespace

Jp2Parts find_parts(const InputFile& file) {
    constexpr std::uint16_t start_of_codestream = 0xff4f;
    if (big_endian_at<std::uint16_t>(file, 0) == start_of_codestream) return {{0, file.size()}, {}};
    const std::vector<Box> boxes = boxes_in(file, {0, file.size()});
    check_start(file, boxes);
    const auto codestreams = std::ranges::count_if(boxes, has_type(box_type("jp2c")));
    if (codestreams == 0) throw unsupported(file, "contains no image that is one JPEG 2000 codestream");
    if (codestreams > 1) throw unsupported(file, "contains " + std::to_string(codestreams) + " images; store each in a file of its own");
    const auto codestream = std::ranges::find_if(boxes, has_type(box_type("jp2c")));
    const auto header = std::ranges::find_if(boxes, has_type(box_type("jp2h")));
    if (header == boxes.end() || header > codestream) throw invalid(file, "has no header box (jp2h) before its image");
    if (std::ranges::count_if(boxes, has_type(box_type("jp2h"))) > 1) throw invalid(file, "has several header boxes (jp2h)");
    return {codestream->content, read_jp2_header(file, header->content)};
}

}  // namespace voxcc::io
