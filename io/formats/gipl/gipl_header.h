// Recognition of GIPL files.
#pragma once
#include <cstddef>
#include <span>

namespace voxcc::io {

constexpr std::size_t gipl_header_bytes = 256;

/// @return whether `start`, the first bytes of a file, has one of the two magic numbers of GIPL
bool has_gipl_magic(std::span<const std::byte> start);

}  // namespace voxcc::io
