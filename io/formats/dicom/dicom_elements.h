// The elements of a DICOM file (DICOM PS3.5, chapter 7), without their values. Only elements that voxcc uses are kept.
#pragma once
#include "io/formats/dicom/dicom_bytes.h"

#include <array>
#include <bit>
#include <string_view>

namespace voxcc::io {

/// How elements are stored: whether their type (value representation) is written, and the byte order.
struct DicomEncoding {
    enum class Types : std::uint8_t { written, implied } types = Types::written;
    std::endian order = std::endian::little;
};

/// A value representation: two letters, as "US".
using DicomType = std::array<char, 2>;

struct DicomElement;

/// A data set, or an item of a sequence.
struct DicomDataSet {
    std::vector<DicomElement> elements;
    /// @return the element, or null. Valid until the data set changes
    const DicomElement* find(std::uint32_t tag) const;
    /// @return the first item of a sequence, or null
    const DicomDataSet* item(std::uint32_t sequence) const;
};

struct DicomElement {
    std::uint32_t tag = 0, length = 0;  // length of the value in bytes; 0 for sequences
    std::int64_t value = 0;             // byte offset
    DicomType type{};                   // as written, else the type that the standard gives to the tag
    std::endian order = std::endian::little;
    std::vector<DicomDataSet> items;  // of a sequence
};

/// A part of encapsulated pixel data.
struct DicomFragment {
    std::int64_t offset = 0;
    std::uint32_t length = 0;
};

/// The pixel data, which are the last element that is read.
struct DicomStoredPixels {
    std::uint32_t tag = 0;  // tag::pixels, tag::float_pixels or tag::double_pixels
    DicomType type{};
    std::int64_t offset = 0, length = 0;  // native pixel data
    /// Encapsulated pixel data: the offset table, and the fragments. Empty for native pixel data.
    std::vector<DicomFragment> fragments;
};

struct DicomFile {
    DicomDataSet meta, data;
    std::string syntax;          // UID of the transfer syntax
    std::int64_t data_from = 0;  // byte offset of the data set
    DicomEncoding encoding;
    std::optional<DicomStoredPixels> pixels;  // empty: an object without pixels
};

/// @return whether a file with these first bytes is DICOM: "DICM" is at byte 128
bool is_dicom(std::span<const std::byte> start);

/// Parses a file up to the end of its pixel data. Every length is compared with the length of the file and of the sequence around it.
/// Inflates a deflated data set.
/// @throw Error about the content: an element exceeds the file, a value representation does not exist, the transfer syntax is not read
DicomFile parse_dicom(DicomBytes& bytes);

/// @return the text of a tag
// 0x00280010  ->  "(0028,0010)"
std::string tag_text(std::uint32_t tag);

}  // namespace voxcc::io
