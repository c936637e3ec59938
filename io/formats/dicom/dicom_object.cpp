#include "io/formats/dicom/dicom_object.h"

#include "io/formats/dicom/dicom_fragments.h"
#include "io/formats/dicom/dicom_frames.h"
#include "io/formats/dicom/dicom_tags.h"
#include "io/formats/dicom/dicom_values.h"
#include "io/shared_by_formats.h"

#include <algorithm>
#include <utility>

namespace voxcc::io {
namespace {

using Kind = DicomSamples::Kind;

constexpr std::string_view segmentation = "1.2.840.10008.5.1.4.1.1.66.4", label_map = "1.2.840.10008.5.1.4.1.1.66.7";

// Reads what an object states about itself.
class ObjectReader {
public:
    ObjectReader(const DicomBytes& bytes, const DicomFile& file) : bytes_(bytes), file_(file), values_(bytes, file.data) {}

    DicomObject read() {
        object_.path = bytes_.path();
        object_.version = bytes_.version();
        object_.series = values_.text(tag::series);
        object_.modality = values_.text(tag::modality);
        object_.syntax = &syntax_named(file_.syntax, object_.path);
        object_.data_from = file_.data_from;
        object_.encoding = file_.encoding;
        object_.pixels = *file_.pixels;
        const std::string sop_class = values_.text(tag::sop_class);
        object_.is_segmentation = sop_class == segmentation || sop_class == label_map;
        refuse_tiles();
        read_extent();
        read_photometric();
        read_samples();
        read_lossy();
        if (!values_.text(tag::concatenation).empty())
            object_.warnings.push_back("is a part of a divided object (concatenation); the other parts are not read");
        check_pixels();
        read_frames(bytes_, file_.data, object_);
        return std::move(object_);
    }

private:
    [[noreturn]] void refuse(ErrorKind kind, const std::string& cause) const { throw Error(kind, bytes_.path(), cause); }

    std::int64_t required(std::uint32_t tag, const char* name) const {
        const auto value = values_.integer(tag);
        if (!value) refuse(ErrorKind::invalid_file, std::string("states no ") + name);
        return *value;
    }

    void refuse_tiles() const {
        if (("\\" + values_.text(tag::image_type) + "\\").find("\\MOSAIC\\") != std::string::npos)
            refuse(ErrorKind::unsupported_file, "is a mosaic of several slices; convert it with dcm2niix");
        if (values_.text(tag::organization).starts_with("TILED"))
            refuse(ErrorKind::unsupported_file, "its frames are tiles of a slide; convert it to a TIFF");
    }

    void read_extent() {
        object_.rows = required(tag::rows, "number of rows");
        object_.columns = required(tag::columns, "number of columns");
        const std::int64_t frames = values_.integer(tag::frames).value_or(1);
        checked_bytes({object_.columns, object_.rows, frames}, 8, object_.path);
        // A frame needs about 200 bytes of memory.
        constexpr std::int64_t many_frames = 100'000, few_pixels = 64;
        if (frames > many_frames && object_.columns * object_.rows < few_pixels)
            refuse(ErrorKind::unsupported_file, "has " + std::to_string(frames) + " frames of less than 64 pixels");
        frames_ = frames;
    }

    void read_photometric() {
        const std::int64_t channels = values_.integer(tag::samples_per_pixel).value_or(1);
        if (channels != 1)
            refuse(ErrorKind::several_values, "its voxels are vectors or colours (" + std::to_string(channels) + " components)");
        object_.photometric = values_.text(tag::photometric);
        const std::string& name = object_.photometric;
        if (name.starts_with("PALETTE"))
            refuse(ErrorKind::several_values, "its voxels are colours of a palette; convert it to an image of grey values");
        if (name != "MONOCHROME1" && name != "MONOCHROME2")
            refuse(ErrorKind::invalid_file, "its photometric interpretation '" + name + "' is not known");
        if (name == "MONOCHROME1") object_.warnings.push_back("0 is white in this file (MONOCHROME1); values are taken as they are stored");
    }

    void read_samples() {
        DicomSamples& samples = object_.samples;
        const std::int64_t allocated = required(tag::bits_allocated, "number of bits");
        if (object_.pixels.tag != tag::pixels) {
            samples = {Kind::real, object_.pixels.tag == tag::float_pixels ? 32 : 64, 0, 0, true};
            if (allocated != samples.allocated)
                refuse(ErrorKind::invalid_file, "states " + std::to_string(allocated) + " bits for floating-point pixels");
            return;
        }
        if (allocated != 1 && allocated != 8 && allocated != 16 && allocated != 32 && allocated != 64)
            refuse(ErrorKind::unsupported_file, "pixels of " + std::to_string(allocated) + " bits are not read");
        const std::int64_t stored = values_.integer(tag::bits_stored).value_or(allocated);
        const std::int64_t high = values_.integer(tag::high_bit).value_or(stored - 1);
        if (stored < 1 || stored > allocated || high < stored - 1 || high >= allocated)
            refuse(ErrorKind::invalid_file, "states " + std::to_string(stored) + " bits up to bit " + std::to_string(high) + " of " +
                                                std::to_string(allocated) + " bits");
        const std::int64_t is_signed = required(tag::is_signed, "sign of its pixels");
        if (is_signed > 1) refuse(ErrorKind::invalid_file, "states a pixel representation that is neither 0 nor 1");
        samples = {Kind::integer, int(allocated), int(stored), int(high), is_signed == 1};
    }

    void read_lossy() {
        const std::string stated = values_.text(tag::lossy);
        const DicomSyntax::Loss loss = object_.syntax->loss;
        if (stated == "01" || loss == DicomSyntax::Loss::always || (loss == DicomSyntax::Loss::stated && stated != "00"))
            object_.warnings.push_back("its compression changes values; thresholds and borders are not exact");
    }

    void check_pixels() {
        const DicomStoredPixels& pixels = object_.pixels;
        const bool in_fragments =
            object_.syntax->codec != DicomSyntax::Codec::native && object_.syntax->codec != DicomSyntax::Codec::deflated;
        if (in_fragments == pixels.fragments.empty())
            refuse(ErrorKind::invalid_file, "its pixel data are not stored as its transfer syntax states");
        object_.frames.resize(std::size_t(in_fragments ? frames_of_fragments() : frames_of_length()));
    }

    // Compares before anything is allocated per frame. @return the number of frames
    std::int64_t frames_of_length() {
        const std::int64_t pixels = object_.columns * object_.rows * frames_;
        constexpr std::int64_t least_frame = 64;  // fewer bytes are padding
        const std::int64_t bytes = object_.samples.allocated == 1 ? (pixels + 7) / 8 : pixels * object_.samples.bytes();
        if (object_.pixels.length < bytes || object_.pixels.length - bytes >= std::max(bytes / frames_, least_frame))
            refuse(ErrorKind::corrupt_file,
                   "the header claims " + std::to_string(bytes) + " bytes of pixels, there are " + std::to_string(object_.pixels.length));
        if (const std::int64_t extra = object_.pixels.length - bytes; extra > 1)
            object_.warnings.push_back(ignored_bytes(extra, "the last pixel"));
        return frames_;
    }

    std::int64_t frames_of_fragments() {
        if (frames_ > std::int64_t(object_.pixels.fragments.size()) - 1)
            refuse(ErrorKind::corrupt_file, "the header claims " + std::to_string(frames_) + " frames, there are " +
                                                std::to_string(object_.pixels.fragments.size() - 1));
        object_.first_fragments = assign_fragments(bytes_, file_, frames_);
        std::int64_t stored = 0;
        for (const DicomFragment& fragment : object_.pixels.fragments) stored += fragment.length;
        const std::int64_t bytes = frames_ * object_.columns * object_.rows * object_.samples.bytes();
        if (bytes / best_ratio(*object_.syntax) > stored)
            refuse(ErrorKind::corrupt_file, "the header claims " + std::to_string(bytes) + " bytes of pixels, and the file is shorter");
        return frames_;
    }

    const DicomBytes& bytes_;
    const DicomFile& file_;
    DicomValues values_;
    DicomObject object_;
    std::int64_t frames_ = 1;
};

DicomWithoutPixels without_pixels(const DicomBytes& bytes, const DicomFile& file) {
    std::string sop_class = DicomValues(bytes, file.data).text(tag::sop_class);
    if (sop_class.empty()) sop_class = DicomValues(bytes, file.meta).text(tag::sop_class_of_file);
    const std::string_view kind = kind_without_pixels(sop_class);
    if (kind.empty()) throw Error(ErrorKind::damaged_file, bytes.path(), "has no pixel data");
    return {std::string(kind)};
}

}  // namespace

ScalarType DicomSamples::type() const {
    if (kind == Kind::real) return allocated == 32 ? ScalarType::f32 : ScalarType::f64;
    switch (bytes()) {
        case 1: return is_signed && allocated > 1 ? ScalarType::i8 : ScalarType::u8;
        case 2: return is_signed ? ScalarType::i16 : ScalarType::u16;
        case 4: return is_signed ? ScalarType::i32 : ScalarType::u32;
        default: return is_signed ? ScalarType::i64 : ScalarType::u64;
    }
}

std::variant<DicomObject, DicomWithoutPixels> read_dicom(const std::string& path) {
    DicomBytes bytes(path);
    const DicomFile file = parse_dicom(bytes);
    if (!file.pixels) return without_pixels(bytes, file);
    return ObjectReader(bytes, file).read();
}

}  // namespace voxcc::io
