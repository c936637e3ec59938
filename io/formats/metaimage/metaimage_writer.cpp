#include "io/formats/metaimage/metaimage.h"
#include "io/formats/stored/stored_writer.h"
#include "io/header_text.h"
#include "io/orientation.h"
#include "io/shared_by_formats.h"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <vector>

namespace voxcc::io {
namespace {

constexpr std::size_t size_digits = 20;  // digits of the largest length in bytes

std::string element_type(ScalarType type, const std::string& path) {
    switch (type) {
        case ScalarType::u8: return "MET_UCHAR";
        case ScalarType::i8: return "MET_CHAR";
        case ScalarType::u16: return "MET_USHORT";
        case ScalarType::i16: return "MET_SHORT";
        case ScalarType::u32: return "MET_UINT";
        case ScalarType::i32: return "MET_INT";
        case ScalarType::u64: return "MET_ULONG_LONG";
        case ScalarType::i64: return "MET_LONG_LONG";
        case ScalarType::f32: return "MET_FLOAT";
        case ScalarType::f64: return "MET_DOUBLE";
    }
    throw Error(ErrorKind::internal, path, "an unknown type of label");
}

// With 4 dimensions, the step from volume to volume is 1 along the fourth axis.
std::string placement(const Geometry& geometry, std::size_t dimensions) {
    std::string text;
    std::vector<double> spacing(dimensions, 1);
    if (geometry.affine) {
        const Steps steps = steps_of(*geometry.affine, Anatomical::lps);
        const Vector3 of_affine = spacing_of(*geometry.affine);
        std::vector<double> directions(dimensions * dimensions), origin(dimensions), centre(dimensions);
        for (std::size_t axis = 0; axis < dimensions; ++axis) directions[axis * dimensions + axis] = 1;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            for (std::size_t row = 0; row < 3; ++row) directions[axis * dimensions + row] = steps.columns[axis][row] / of_affine[axis];
            origin[axis] = steps.origin[axis];
            spacing[axis] = of_affine[axis];
        }
        text += "TransformMatrix = " + joined(directions, " ") + "\nOffset = " + joined(origin, " ") +
                "\nCenterOfRotation = " + joined(centre, " ") + "\n";
    } else if (geometry.spacing) {
        std::copy_n(geometry.spacing->begin(), std::min<std::size_t>(dimensions, 3), spacing.begin());
    } else {
        return text;
    }
    if (geometry.unit != LengthUnit::mm)
        text += "DistanceUnits = " + std::string(geometry.unit ? name_of(*geometry.unit) : "unknown") + "\n";
    return text + "ElementSpacing = " + joined(spacing, " ") + "\n";
}

struct LabelHeader {
    std::string text;
    std::size_t size_at = 0;  // offset of the field for the compressed length in `text`
};

// The compressed length precedes the data but is known only after compression, so the header reserves a field of blanks.
LabelHeader header_of(const LabelVolume& volume, Wrapping wrapping, const std::string& data_name) {
    const VolumeInfo& like = *volume.like;
    const int dimensions = volume.volumes > 1 ? 4 : dimensions_to_write(like);
    LabelHeader header;
    std::string& text = header.text;
    text = "ObjectType = Image\nNDims = " + std::to_string(dimensions) + "\nBinaryData = True\nBinaryDataByteOrderMSB = ";
    text += std::endian::native == std::endian::big ? "True\n" : "False\n";
    text += wrapping == Wrapping::zlib ? "CompressedData = True\nCompressedDataSize = " : "CompressedData = False\n";
    header.size_at = text.size();
    if (wrapping == Wrapping::zlib) text += std::string(size_digits, ' ') + "\n";
    text += placement(usable(like.geometry), std::size_t(dimensions));
    text += "DimSize = " + std::to_string(like.extent.nx) + " " + std::to_string(like.extent.ny);
    if (dimensions > 2) text += " " + std::to_string(like.extent.nz);
    if (dimensions > 3) text += " " + std::to_string(volume.volumes);
    if (!volume.scaling.is_identity())
        text += "\nElementToIntensityFunctionSlope = " + shortest(volume.scaling.slope) +
                "\nElementToIntensityFunctionOffset = " + shortest(volume.scaling.intercept);
    text += "\nElementType = " + element_type(volume.type, volume.path) + "\nElementDataFile = " + data_name + "\n";
    return header;
}

class MetaImageWriter final : public StoredWriter {
public:
    /// @param header_file the same file as `data_file` (.mha) or another (.mhd)
    MetaImageWriter(const LabelVolume& volume, OutputFile& data_file, OutputFile& header_file, Wrapping wrapping)
        : StoredWriter(volume, data_file, wrapping), header_file_(header_file), wrapping_(wrapping) {
        const bool local = &data_file == &header_file;
        const LabelHeader header =
            header_of(volume, wrapping, local ? "LOCAL" : std::filesystem::path(data_file.target()).filename().string());
        header_file_.write(header.text);
        size_at_ = std::int64_t(header.size_at);
        begin_labels();
    }
    void finish() override {
        const std::string size = std::to_string(end_labels());
        const std::string padded = std::string(size_digits - size.size(), ' ') + size;
        if (wrapping_ == Wrapping::zlib) header_file_.write_at(size_at_, std::as_bytes(std::span(padded)));
        file().close();
        if (&header_file_ != &file()) header_file_.close();
    }

private:
    OutputFile& header_file_;
    Wrapping wrapping_;
    std::int64_t size_at_ = 0;
};

Wrapping wrapping_for(int compress) { return compress > 0 ? Wrapping::zlib : Wrapping::raw; }

/// The .raw or .zraw file of a .mhd; `path` itself for a .mha.
std::string data_path_of(const std::string& path, int compress) {
    if (!has_extension(path, {".mhd"})) return path;
    return without_extension(path, ".mhd") + (wrapping_for(compress) == Wrapping::zlib ? ".zraw" : ".raw");
}

}  // namespace

std::vector<std::string> files_of_metaimage_output(const std::string& path, int compress, Content) {
    return {path, data_path_of(path, compress)};
}

std::unique_ptr<LabelWriter> create_metaimage(const LabelVolume& volume, OutputFiles& outputs) {
    const Wrapping wrapping = wrapping_for(volume.compress);
    const std::string data_path = data_path_of(volume.path, volume.compress);
    if (data_path == volume.path) {
        OutputFile& file = outputs.create(volume.path);
        return std::make_unique<MetaImageWriter>(volume, file, file, wrapping);
    }
    // Publishes the data file first, so that a published header always has its data.
    OutputFile& data = outputs.create(data_path);
    return std::make_unique<MetaImageWriter>(volume, data, outputs.create(volume.path), wrapping);
}

}  // namespace voxcc::io
