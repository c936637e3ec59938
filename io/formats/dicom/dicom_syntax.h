// The transfer syntaxes of DICOM (PS3.5, annex A; PS3.6, annex A), and the objects that hold no pixels.
#pragma once
#include "io/formats/dicom/dicom_elements.h"

namespace voxcc::io {

struct DicomSyntax {
    /// native: samples without compression. stored: the same, in fragments. library: a codec of GDCM.
    enum class Codec : std::uint8_t { native, deflated, stored, rle, library };
    /// Whether the codec changes values. stated: the element Lossy Image Compression decides.
    enum class Loss : std::uint8_t { never, stated, always };
    std::string_view uid, name;  // the name as VolumeInfo::compression
    Codec codec = Codec::native;
    Loss loss = Loss::never;
    DicomEncoding encoding{};
};

/// @param path named in errors @throw Error unsupported_file, naming the syntax
const DicomSyntax& syntax_named(std::string_view uid, const std::string& path);

/// @param sop_class UID of the class of an object
/// @return what an object without pixels is, as "structured report"; empty for a class of images and for an unknown class
std::string_view kind_without_pixels(std::string_view sop_class);

}  // namespace voxcc::io
