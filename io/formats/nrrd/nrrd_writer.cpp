#include "io/formats/nrrd/nrrd.h"
#include "io/formats/stored/stored_writer.h"
#include "io/orientation.h"

#include <bit>

namespace voxcc::io {
namespace {

// The type as NRRD names it: as numpy, except for floating point.
std::string type_name(ScalarType type) {
    if (type == ScalarType::f32) return "float";
    if (type == ScalarType::f64) return "double";
    return std::string(name_of(type));
}

// A text per axis. "???" is the word of NRRD for an unknown value.
std::string units_of(const Geometry& geometry, int axes) {
    const std::string unit = " \"" + std::string(geometry.unit ? name_of(*geometry.unit) : "???") + "\"";
    std::string text;
    for (int axis = 0; axis < axes; ++axis) text += unit;
    return text;
}

std::string header_of(const LabelVolume& volume, Wrapping wrapping) {
    const VolumeInfo& like = *volume.like;
    const Geometry geometry = usable(like.geometry);
    const bool is_series = volume.volumes > 1, flat = !is_series && dimensions_to_write(like) == 2;
    std::string text = "NRRD0004\n# Complete NRRD file format specification at:\n# http://teem.sourceforge.net/nrrd/format.html\n";
    text.append("type: ").append(type_name(volume.type));
    text += "\ndimension: " + std::to_string(is_series ? 4 : flat ? 2 : 3);
    if (geometry.affine) text += "\nspace: right-anterior-superior";
    text += "\nsizes: " + std::to_string(like.extent.nx) + " " + std::to_string(like.extent.ny);
    if (!flat) text += " " + std::to_string(like.extent.nz);
    if (is_series) text += " " + std::to_string(volume.volumes);
    if (geometry.affine) {
        text += "\nspace directions:";
        const Steps steps = steps_of(*geometry.affine, Anatomical::ras);
        for (const Vector3& step : steps.columns) text += " (" + joined(step, ",") + ")";
        if (is_series) text += " none";
        text += "\nspace origin: (" + joined(steps.origin, ",") + ")";
        if (geometry.unit != LengthUnit::mm) text += "\nspace units:" + units_of(geometry, 3);
    } else if (geometry.spacing) {
        text += "\nspacings: " + joined(std::span(*geometry.spacing).first(flat ? 2 : 3), " ") + (is_series ? " nan" : "");
        if (geometry.unit != LengthUnit::mm) text += "\nunits:" + units_of(geometry, flat ? 2 : 3) + (is_series ? " \"\"" : "");
    }
    text += "\nkinds: domain domain";
    if (!flat) text += " domain";
    if (is_series) text += " list";  // not "time": ITK refuses a fourth domain beside a space of three dimensions
    text += std::endian::native == std::endian::little ? "\nendian: little" : "\nendian: big";
    text += wrapping == Wrapping::gzip ? "\nencoding: gzip" : "\nencoding: raw";
    return text + "\n\n";
}

class NrrdWriter final : public StoredWriter {
public:
    NrrdWriter(const LabelVolume& volume, OutputFile& output, Wrapping wrapping) : StoredWriter(volume, output, wrapping) {
        output.write(header_of(volume, wrapping));
        begin_labels();
    }
};

}  // namespace

std::unique_ptr<LabelWriter> create_nrrd(const LabelVolume& volume, OutputFiles& outputs) {
    const Wrapping wrapping = volume.compress > 0 ? Wrapping::gzip : Wrapping::raw;
    return std::make_unique<NrrdWriter>(volume, outputs.create(volume.path), wrapping);
}

}  // namespace voxcc::io
