#include "io/formats/png/png.h"

namespace voxcc::io {

bool is_png(const UnknownFile& file) { return file.is_plain() && file.starts_with("\x89PNG\r\n\x1a\n"); }

}  // namespace voxcc::io
