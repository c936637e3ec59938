#include "io/formats/metaimage/metaimage.h"
#include "io/formats/metaimage/metaimage_header.h"
#include "io/formats/stored/stored_reader.h"
#include "io/header_text.h"

#include <algorithm>

namespace voxcc::io {

bool is_metaimage(std::span<const std::byte> start) {
    constexpr std::size_t most = 256;
    const std::string text = lower_case(trim({reinterpret_cast<const char*>(start.data()), std::min(start.size(), most)}));
    for (const std::string_view first : {"objecttype", "ndims", "objectsubtype", "comment"})
        if (text.starts_with(first)) {
            const std::string_view rest = trim(std::string_view(text).substr(first.size()));
            return rest.starts_with('=') || rest.starts_with(':');
        }
    return false;
}

std::unique_ptr<VolumeReader> open_metaimage(const std::string& path, const OpenOptions& options) {
    return open_stored(parse_metaimage(path, options.external), options);
}

VolumeInfo describe_metaimage(const std::string& path, const OpenOptions& options) { return parse_metaimage(path, options.external).info; }

std::vector<std::string> files_of_metaimage(const std::string& path, const OpenOptions& options) {
    return {path, data_file_of_metaimage(InputFile(path), options.external)};
}

}  // namespace voxcc::io
