#include "io/formats/jpeg2000/is_jpeg2000.h"

#include <algorithm>
#include <string_view>

namespace voxcc::io {

bool is_jpeg2000(std::span<const std::byte> start) {
    using namespace std::string_view_literals;
    const auto starts_with = [&](std::string_view magic) {
        return start.size() >= magic.size() && std::ranges::equal(start.first(magic.size()), std::as_bytes(std::span(magic)));
    };
    return starts_with("\0\0\0\x0cjP  \r\n\x87\n"sv) || starts_with("\xff\x4f\xff\x51"sv);
}

}  // namespace voxcc::io
