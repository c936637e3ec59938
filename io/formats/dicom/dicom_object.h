// One DICOM file with pixels: how its samples are stored, and what it states about each frame.
#pragma once
#include "io/formats/dicom/dicom_syntax.h"
#include "io/orientation.h"

#include <variant>

namespace voxcc::io {

/// The stored samples of an object; one sample per pixel.
struct DicomSamples {
    enum class Kind : std::uint8_t { integer, real } kind = Kind::integer;
    int allocated = 16, stored = 16, high_bit = 15;  // bits; allocated: 1, 8, 16, 32 or 64
    bool is_signed = false;
    bool operator==(const DicomSamples&) const = default;
    /// The type of one sample in memory; u8 for single bits.
    ScalarType type() const;
    std::int64_t bytes() const { return allocated == 1 ? 1 : allocated / 8; }
};

/// A position in the space of the patient, or of the volume that an ultrasound system describes. Lengths are in mm, axes are LPS.
struct DicomPlane {
    Vector3 position{};                   // of the first pixel
    std::array<Vector3, 2> directions{};  // unit vectors of i and j
};

struct DicomFrame {
    std::int64_t number = 0;                       // in its file, from 0
    std::optional<DicomPlane> plane;               // empty: the object states none
    std::optional<std::array<double, 2>> spacing;  // mm per step along i and j
    Scaling scaling;
    std::vector<double> dimensions;  // the value of each of DicomObject::dimensions
};

/// What can divide the frames of an object into several volumes.
struct DicomDimension {
    std::string name, unit;  // "echo time", "ms"
    char axis = 'C';         // the name of the axis of volumes: VolumeInfo::volume_axes
    /// always: frames with different values are never in one volume. on_repeats: only if positions repeat.
    enum class Divides : std::uint8_t { always, on_repeats } divides = Divides::on_repeats;
    std::vector<std::string> texts{};  // for values that are texts: frames hold the index
};

struct DicomObject {
    std::string path;
    FileVersion version;
    std::string series, modality;
    std::int64_t columns = 0, rows = 0;
    std::string photometric;
    DicomSamples samples;
    const DicomSyntax* syntax = nullptr;
    std::int64_t data_from = 0;  // byte offset of the data set
    DicomEncoding encoding;
    DicomStoredPixels pixels;
    std::vector<std::int64_t> first_fragments;  // of each frame, and the number of fragments; empty for native pixel data
    enum class Space : std::uint8_t { patient, volume } space = Space::patient;
    std::optional<double> slice_distance, slice_thickness;  // mm, not 0; a distance can be negative
    bool is_segmentation = false;                           // frames that are not stored are background
    std::vector<DicomFrame> frames;
    std::vector<DicomDimension> dimensions;
    std::vector<std::string> warnings;
};

/// A DICOM file without pixels.
struct DicomWithoutPixels {
    std::string kind;  // "structured report"
};

/// Reads a file up to the end of its pixel data, without the pixels. Compares their length with the size of the image.
/// @throw Error about the content; an object without pixels whose class is not known to have none is an error
std::variant<DicomObject, DicomWithoutPixels> read_dicom(const std::string& path);

}  // namespace voxcc::io
