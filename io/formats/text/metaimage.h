// Writing of MetaImage: the functions of its row in the table of formats. See Reading and Writing in io/format.h.
#pragma once
#include "io/io.h"

namespace voxcc::io {

std::unique_ptr<LabelWriter> create_metaimage(const LabelVolume& volume, OutputFiles& outputs);

/// The files that create_metaimage() creates: a .mha, or a .mhd with its .raw or .zraw file.
std::vector<std::string> files_of_metaimage_output(const std::string& path, int compress, Content content);

}  // namespace voxcc::io
