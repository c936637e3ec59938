// Decoding of single DICOM frames with GDCM.
#include "io/formats/itk/itk.h"
#include "io/formats/itk/itk_call.h"

#include <gdcmImage.h>
#include <gdcmSequenceOfFragments.h>
#include <limits>

namespace voxcc::io {
namespace {

gdcm::Image image_of(const EncodedDicomFrame& frame) {
    gdcm::Image image;
    image.SetNumberOfDimensions(2);
    image.SetDimension(0, unsigned(frame.columns));
    image.SetDimension(1, unsigned(frame.rows));
    // GDCM does not have the names of HTJ2K, which its codec for JPEG 2000 decodes (OpenJPEG 2.5).
    const bool is_htj2k = frame.syntax.starts_with("1.2.840.10008.1.2.4.20");
    image.SetTransferSyntax(is_htj2k ? gdcm::TransferSyntax::JPEG2000 : gdcm::TransferSyntax::GetTSType(frame.syntax.c_str()));
    // Codecs return single bits as bytes.
    const auto allocated = static_cast<unsigned short>(std::max(8, frame.bits_allocated));
    const auto stored = static_cast<unsigned short>(frame.bits_allocated == 1 ? 8 : frame.bits_stored);
    image.SetPixelFormat(gdcm::PixelFormat(1, allocated, stored, static_cast<unsigned short>(stored - 1), frame.is_signed ? 1 : 0));
    image.SetPhotometricInterpretation(gdcm::PhotometricInterpretation::MONOCHROME2);
    return image;
}

// The codecs of GDCM read the pixel data of a file, so the frame becomes one.
gdcm::DataElement pixel_data_of(const EncodedDicomFrame& frame) {
    if (frame.bytes.size() > std::numeric_limits<std::uint32_t>::max())
        throw Error(ErrorKind::unsupported_file, frame.path, "a compressed frame of more than 4 GiB is not read");
    const gdcm::SmartPointer<gdcm::SequenceOfFragments> fragments = gdcm::SequenceOfFragments::New();
    gdcm::Fragment fragment;
    fragment.SetByteValue(reinterpret_cast<const char*>(frame.bytes.data()), std::uint32_t(frame.bytes.size()));
    fragments->AddFragment(fragment);
    gdcm::DataElement element(gdcm::Tag(0x7fe0, 0x0010));
    element.SetVR(gdcm::VR::OB);
    element.SetValue(*fragments);
    return element;
}

}  // namespace

void decode_dicom_frame(const EncodedDicomFrame& frame, std::span<std::byte> to) {
    with_itk(frame.path, [&] {
        gdcm::Image image = image_of(frame);
        image.SetDataElement(pixel_data_of(frame));
        const auto refuse = [&] { throw Error(ErrorKind::corrupt_file, frame.path, "a compressed frame cannot be decoded"); };
        if (image.GetBufferLength() != to.size()) refuse();
        if (!image.GetBuffer(reinterpret_cast<char*>(to.data()))) refuse();
        if (image.GetBufferLength() != to.size()) refuse();
    });
}

}  // namespace voxcc::io
