// The value of --raw: the layout of a file without a header.
#pragma once
#include "io/io.h"

#include <string>

namespace voxcc {

/// "TYPE,XxYxZ", then in any order "little" or "big", and "offset=N". TYPE is a name of numpy. XxY is a 2D image, and XxYxZxN has N
/// volumes.
/// @throw Error invalid_argument
// "uint16,512x512x300,big,offset=128" -> {u16, {512, 512, 300}, 1, big, 128}
io::RawLayout parse_raw(const std::string& text);

/// @return the text that parse_raw() reads as `layout`, in one form
std::string text_of(const io::RawLayout& layout);

}  // namespace voxcc
