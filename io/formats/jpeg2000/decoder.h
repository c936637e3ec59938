// Decoding with OpenJPEG. This header includes openjpeg.h, so only files of this folder may include it.
#pragma once
#include "io/formats/jpeg2000/codestream.h"

#include <openjpeg.h>
#include <memory>

namespace voxcc::io {

struct DestroyImage {
    void operator()(opj_image_t* image) const { opj_image_destroy(image); }
};
using DecodedImage = std::unique_ptr<opj_image_t, DestroyImage>;

/// Decodes all components. Must be called in a child process, because hostile data have made OpenJPEG crash.
/// @return an image whose components have the extent and the samples of `codestream`
/// @throw Error about the content, also if OpenJPEG warns that it leaves data out; out_of_memory; as InputFile::read_some()
DecodedImage decode_jpeg2000(const InputFile& file, const Codestream& codestream);

}  // namespace voxcc::io
