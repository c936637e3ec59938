// The pixels of DICOM frames: from stored samples to voxels.
#pragma once
#include "io/formats/dicom/dicom_volumes.h"

namespace voxcc::io {

/// The voxel type of scaled values. The stored type if nothing is scaled. If all slopes and intercepts are whole numbers, the smallest
/// integer type for all values that are possible. Otherwise float64.
// u16 with 12 bits, slope 1, intercept -1024  ->  i16
ScalarType voxel_type(const std::vector<DicomFrameOf>& frames);

/// How samples become voxels.
struct DicomConversion {
    DicomSamples samples;
    Scaling scaling;
    ScalarType type = ScalarType::u8;  // of the voxels
};

/// Converts samples in host byte order. Bits outside of the stored bits are ignored.
/// @param samples complete samples of conversion.samples.type(); they are changed
/// @param to must have room for as many voxels; may be the samples themselves if both have the same type
// u16 samples [0xf005], 12 bits, slope 2, intercept 1  ->  [11]
void convert_samples(const DicomConversion& conversion, std::span<std::byte> samples, std::byte* to);

/// Reads rows of a frame of native pixel data as samples in host byte order; single bits become bytes.
/// @param to must hold rows.count * object.columns samples. Thread-safe
/// @throw Error about the content, io_error
void read_native(const DicomBytes& bytes, const DicomObject& object, std::int64_t frame, RowRange rows, std::span<std::byte> to);

/// @return the stored bytes of a frame of encapsulated pixel data, whose fragments are joined
std::vector<std::byte> encoded_frame(const DicomBytes& bytes, const DicomObject& object, std::int64_t frame);

/// Decodes a frame of RLE (PS3.5, annex G) to samples in host byte order; single bits become bytes.
/// @param to must hold all samples of the frame @throw Error corrupt_file
void decode_rle(std::span<const std::byte> encoded, const DicomObject& object, std::span<std::byte> to);

/// Unpacks single bits, the lowest bit of a byte first.
/// @param first index of the first bit
// [0x05], first = 0, 3 bits  ->  [1 0 1]
void unpack_bits(std::span<const std::byte> bits, std::int64_t first, std::span<std::byte> to);

}  // namespace voxcc::io
