#include "io/formats/jpeg/jpeg.h"

#include <algorithm>

namespace voxcc::io {

bool is_jpeg(const UnknownFile& file) { return file.is_plain() && file.starts_with("\xff\xd8\xff"); }

void check_jpeg(const InputFile& file) {
    constexpr std::string_view marker = "\xff\xd9";
    std::array<char, 1024> end{};
    const std::size_t got =
        file.read_some(std::max<std::int64_t>(0, file.size() - std::int64_t(end.size())), std::as_writable_bytes(std::span(end)));
    if (std::string_view(end.data(), got).rfind(marker) == std::string_view::npos)
        throw Error(ErrorKind::truncated_file, file.path(), "has no end marker");
}

}  // namespace voxcc::io
