#include "io/formats/png/png.h"

#include "io/formats/itk/itk_reader.h"
#include "io/formats/png/png_chunks.h"

namespace voxcc::io {
namespace {

constexpr ItkOnly png{ItkFormat::png, check_png_chunks};

}  // namespace

bool is_png(const UnknownFile& file) { return file.is_plain() && file.starts_with("\x89PNG\r\n\x1a\n"); }

std::unique_ptr<VolumeReader> open_png(const std::string& path, const OpenOptions& options) { return open_with_itk(path, png, options); }

VolumeInfo describe_png(const std::string& path, const OpenOptions& options) { return describe_with_itk(path, png, options); }

}  // namespace voxcc::io
