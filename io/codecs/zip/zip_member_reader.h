// The decoded bytes of one member of a ZIP archive.
#pragma once
#include "io/codecs/decoder.h"
#include "io/codecs/zip/zip_directory.h"

namespace voxcc::io {

/// @param file must outlive the decoder. @param member must be from read_zip_directory(file)
/// @throw Error unsupported_file for another method than stored and deflate. The functions of the decoder throw if the data are truncated,
/// if their length or CRC is wrong, or if bytes follow them inside the member.
std::unique_ptr<Decoder> open_zip_member(const InputFile& file, const ZipMember& member);

}  // namespace voxcc::io
