#include "io/formats/jpeg2000/jpeg2000_image.h"

namespace voxcc::io {
namespace {

std::string size_text(std::int64_t nx, std::int64_t ny, std::int64_t components) {
    return std::to_string(nx) + " x " + std::to_string(ny) + " pixels of " + std::to_string(components) +
           (components == 1 ? " component" : " components");
}

void compare_sizes(const InputFile& file, const Jp2Header& header, const Codestream& codestream) {
    const std::string in_box = size_text(header.nx, header.ny, header.components);
    const std::string in_codestream = size_text(codestream.extent.nx, codestream.extent.ny, std::int64_t(codestream.components.size()));
    if (in_box != in_codestream)
        throw Error(ErrorKind::invalid_file, file.path(), "its header box states " + in_box + ", but its codestream has " + in_codestream);
}

}  // namespace

Jpeg2000Image read_jpeg2000_image(const InputFile& file) {
    const Jp2Parts parts = find_parts(file);
    const Jp2Header header = parts.header.value_or(Jp2Header{});
    Codestream codestream = read_codestream(file, parts.codestream);
    if (parts.header) compare_sizes(file, header, codestream);
    Channels channels = channels_of(file, header, codestream);
    return {std::move(codestream), std::move(channels)};
}

}  // namespace voxcc::io
