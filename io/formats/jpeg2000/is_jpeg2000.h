// Recognition of JPEG 2000, which also works in a build without OpenJPEG.
#pragma once
#include <cstddef>
#include <span>

namespace voxcc::io {

/// @return whether a file with these first bytes is a JP2, JPX or JPH file, or a codestream
bool is_jpeg2000(std::span<const std::byte> start);

}  // namespace voxcc::io
