#include "io/formats/dicom/dicom_syntax.h"

#include <algorithm>

namespace voxcc::io {
namespace {

using Codec = DicomSyntax::Codec;
using Loss = DicomSyntax::Loss;

constexpr DicomEncoding implied_types{DicomEncoding::Types::implied, std::endian::little};
constexpr DicomEncoding big_endian{DicomEncoding::Types::written, std::endian::big};

constexpr std::array syntaxes{
    DicomSyntax{"1.2.840.10008.1.2", "none", Codec::native, Loss::never, implied_types},
    DicomSyntax{"1.2.840.10008.1.2.1", "none"},
    DicomSyntax{"1.2.840.10008.1.2.1.98", "none", Codec::stored},
    DicomSyntax{"1.2.840.10008.1.2.1.99", "deflate", Codec::deflated},
    DicomSyntax{"1.2.840.10008.1.2.2", "none", Codec::native, Loss::never, big_endian},
    DicomSyntax{"1.2.840.10008.1.2.4.50", "jpeg", Codec::library, Loss::always},
    DicomSyntax{"1.2.840.10008.1.2.4.51", "jpeg", Codec::library, Loss::always},
    DicomSyntax{"1.2.840.10008.1.2.4.57", "lossless jpeg", Codec::library},
    DicomSyntax{"1.2.840.10008.1.2.4.70", "lossless jpeg", Codec::library},
    DicomSyntax{"1.2.840.10008.1.2.4.80", "jpeg-ls", Codec::library},
    DicomSyntax{"1.2.840.10008.1.2.4.81", "jpeg-ls", Codec::library, Loss::stated},
    DicomSyntax{"1.2.840.10008.1.2.4.90", "jpeg2000", Codec::library},
    DicomSyntax{"1.2.840.10008.1.2.4.91", "jpeg2000", Codec::library, Loss::stated},
    DicomSyntax{"1.2.840.10008.1.2.4.201", "htj2k", Codec::library},
    DicomSyntax{"1.2.840.10008.1.2.4.202", "htj2k", Codec::library},
    DicomSyntax{"1.2.840.10008.1.2.4.203", "htj2k", Codec::library, Loss::stated},
    DicomSyntax{"1.2.840.10008.1.2.5", "rle", Codec::rle},
};

struct Unread {
    std::string_view start, name;  // of the UID
};

// The first start that fits is used.
constexpr std::array unread{
    Unread{"1.2.840.10008.1.2.4.100", "MPEG-2 video"},    Unread{"1.2.840.10008.1.2.4.101", "MPEG-2 video"},
    Unread{"1.2.840.10008.1.2.4.102", "MPEG-4 video"},    Unread{"1.2.840.10008.1.2.4.103", "MPEG-4 video"},
    Unread{"1.2.840.10008.1.2.4.104", "MPEG-4 video"},    Unread{"1.2.840.10008.1.2.4.105", "MPEG-4 video"},
    Unread{"1.2.840.10008.1.2.4.106", "MPEG-4 video"},    Unread{"1.2.840.10008.1.2.4.107", "HEVC video"},
    Unread{"1.2.840.10008.1.2.4.108", "HEVC video"},      Unread{"1.2.840.10008.1.2.4.11", "JPEG XL"},
    Unread{"1.2.840.10008.1.2.4.20", "HTJ2K by JPIP"},    Unread{"1.2.840.10008.1.2.4.92", "JPEG 2000 part 2"},
    Unread{"1.2.840.10008.1.2.4.93", "JPEG 2000 part 2"}, Unread{"1.2.840.10008.1.2.8.1", "deflated frames"},
};

struct ClassWithoutPixels {
    std::string_view start, name;  // of the UID of the class, which also can be the complete UID
};

constexpr std::array without_pixels{
    ClassWithoutPixels{"1.2.840.10008.1.3.10", "directory of files, DICOMDIR"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.11.", "presentation state"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.88.59", "key object selection"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.88.", "structured report"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.104.", "document or surface mesh"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.9.", "waveform"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.66.1", "spatial registration"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.66.2", "spatial fiducials"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.66.3", "spatial registration"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.66.5", "surface segmentation"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.66.6", "tractography result"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.66", "raw data"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.67", "real-world value mapping"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.68.", "surface scan"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.4.2", "spectroscopy"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.481.3", "RT structure set"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.481.4", "RT treatment record"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.481.5", "RT plan"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.481.6", "RT treatment record"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.481.7", "RT treatment record"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.481.8", "RT plan"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.481.9", "RT treatment record"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.481.10", "radiotherapy object"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.481.11", "radiotherapy object"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.481.12", "radiotherapy object"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.481.13", "radiotherapy object"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.481.14", "radiotherapy object"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.481.15", "radiotherapy object"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.481.16", "radiotherapy object"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.481.17", "radiotherapy object"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.481.18", "radiotherapy object"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.481.19", "radiotherapy object"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.481.20", "radiotherapy object"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.481.21", "radiotherapy object"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.481.22", "radiotherapy object"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.481.23", "radiotherapy object"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.481.24", "radiotherapy object"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.481.25", "radiotherapy object"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.34.", "radiotherapy object"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.78.", "measurements of an eye"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.79.", "measurements of an eye"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.80.", "measurements of an eye"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.1.1.200.", "protocol"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.38.", "hanging protocol"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.39.", "colour palette"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.43.", "implant template"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.44.", "implant template"},
    ClassWithoutPixels{"1.2.840.10008.5.1.4.45.", "implant template"},
};

}  // namespace

const DicomSyntax& syntax_named(std::string_view uid, const std::string& path) {
    const auto found = std::ranges::find(syntaxes, uid, &DicomSyntax::uid);
    if (found != syntaxes.end()) return *found;
    const auto other = std::ranges::find_if(unread, [&](const Unread& u) { return uid.starts_with(u.start); });
    const std::string name = other == unread.end() ? "" : " (" + std::string(other->name) + ")";
    throw Error(ErrorKind::unsupported_file, path,
                "its transfer syntax " + std::string(uid) + name + " is not read; convert it, for example with 'gdcmconv --raw'");
}

std::string_view kind_without_pixels(std::string_view sop_class) {
    for (const ClassWithoutPixels& kind : without_pixels)
        if (kind.start.ends_with('.') ? sop_class.starts_with(kind.start) : sop_class == kind.start) return kind.name;
    return {};
}

}  // namespace voxcc::io
