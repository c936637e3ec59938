// Reader of one file with the ImageIO class of ITK for its format.
#include "io/files/checked_file.h"
#include "io/formats/itk/itk.h"
#include "io/formats/itk/itk_call.h"

#include <itkBMPImageIO.h>
#include <itkBioRadImageIO.h>
#include <itkGDCMImageIO.h>
#include <itkGiplImageIO.h>
#include <itkHDF5ImageIO.h>
#include <itkJPEGImageIO.h>
#include <itkMRCImageIO.h>
#include <itkMetaImageIO.h>
#include <itkNiftiImageIO.h>
#include <itkNrrdImageIO.h>
#include <itkPNGImageIO.h>
#include <itkTIFFImageIO.h>
#include <itkVTKImageIO.h>
#include <cstring>

namespace voxcc::io {
namespace {

struct Choice {
    itk::ImageIOBase::Pointer image;
    const char* name;
    const char* compression;
};

Choice choose(ItkFormat format) {
    switch (format) {
        case ItkFormat::biorad: return {itk::BioRadImageIO::New().GetPointer(), "BioRad", "none"};
        case ItkFormat::png: return {itk::PNGImageIO::New().GetPointer(), "PNG", "deflate"};
        case ItkFormat::jpeg: return {itk::JPEGImageIO::New().GetPointer(), "JPEG", "jpeg"};
        case ItkFormat::bmp: return {itk::BMPImageIO::New().GetPointer(), "BMP", "none"};
        case ItkFormat::nrrd: return {itk::NrrdImageIO::New().GetPointer(), "NRRD", "none"};
        // Compression and NIfTI version of the following formats come from the own reader.
        case ItkFormat::dicom: return {itk::GDCMImageIO::New().GetPointer(), "DICOM", ""};
        case ItkFormat::nifti: return {itk::NiftiImageIO::New().GetPointer(), "NIfTI", ""};
        case ItkFormat::tiff: return {itk::TIFFImageIO::New().GetPointer(), "TIFF", ""};
        case ItkFormat::hdf5: return {itk::HDF5ImageIO::New().GetPointer(), "HDF5", ""};
        case ItkFormat::metaimage: return {itk::MetaImageIO::New().GetPointer(), "MetaImage", ""};
        case ItkFormat::mrc: return {itk::MRCImageIO::New().GetPointer(), "MRC", ""};
        case ItkFormat::vtk: return {itk::VTKImageIO::New().GetPointer(), "VTK", ""};
        case ItkFormat::gipl: return {itk::GiplImageIO::New().GetPointer(), "GIPL", ""};
    }
    throw Error(ErrorKind::internal, "ITK", "an unknown format");
}

constexpr bool is_picture(ItkFormat format) { return format == ItkFormat::png || format == ItkFormat::jpeg || format == ItkFormat::bmp; }
constexpr bool has_own_reader(ItkFormat format) { return !is_picture(format) && format != ItkFormat::biorad; }

constexpr std::int64_t best_ratio = 1032;  // of deflate

class ItkReader : public VolumeReader {
public:
    ItkReader(const std::string& path, ItkFormat format, const OpenOptions& options)
        : format_(format), colours_(is_picture(format) ? options.colours : Colours::refuse), volume_(options.volume.value_or(0)) {
        info_.path = path;
        with_itk(path, [&] { open(); });
    }
    void read_rows(RowRange rows, std::byte* to) override {
        const std::int64_t ny = info_.extent.ny, row_bytes = info_.extent.nx * size_of(info_.type);
        for (std::int64_t row = rows.first; row < rows.end();) {
            const std::int64_t slice = row / ny;
            if (slice < first_slice_ || slice >= first_slice_ + slices_) load(slice);
            const std::int64_t count = std::min(rows.end(), (first_slice_ + slices_) * ny) - row;
            std::memcpy(to, slices_buffer_.data() + offset_ + (row - first_slice_ * ny) * row_bytes, std::size_t(count * row_bytes));
            to += count * row_bytes;
            row += count;
        }
        if (rows.end() == info_.extent.rows()) rewind();
    }
    void rewind() override {
        slices_buffer_ = {};
        slices_ = 0;
    }

private:
    // Creates a new ImageIO for each pass, because some ImageIO classes keep their position in the file.
    Choice open_image() {
        const Choice choice = choose(format_);
        image_ = choice.image;
        image_->SetFileName(info_.path);
        image_->SetExpandRGBPalette(colours_ == Colours::pack);  // without: the value is the index of a colour, not the colour
        image_->ReadImageInformation();
        return choice;
    }
    void open() {
        const Choice choice = open_image();
        info_.format = choice.name;
        info_.compression = choice.compression;
        if (colours_ == Colours::pack && image_->GetNumberOfComponents() > 1) {
            info_.type = colour_type_of(*image_, info_.path);
            info_.channels = int(image_->GetNumberOfComponents());
        } else {
            info_.type = scalar_type_of(*image_, info_.path);
        }
        info_.stored_type = name_of(info_.type);
        if (info_.channels > 1) {
            const ScalarType channel = scalar_type_of(image_->GetComponentType(), info_.path);
            info_.stored_type = std::string(name_of(channel)) + " x " + std::to_string(info_.channels);
        }
        stored_bytes_ = voxel_bytes();
        info_.extent = extent_of(*image_, info_.path);
        info_.dimensions = info_.extent.nz == 1 ? 2 : 3;
        info_.volumes = image_->GetNumberOfDimensions() > 3 ? std::int64_t(image_->GetDimensions(3)) : 1;
        const std::int64_t bytes = checked_bytes({info_.volumes, 1, 1}, checked_bytes(info_.extent, stored_bytes_, info_.path), info_.path);
        if (!has_own_reader(format_) && bytes / best_ratio > InputFile(info_.path).size())
            throw Error(
                ErrorKind::invalid_file, info_.path,
                "the header claims " + std::to_string(bytes) + " bytes of voxels, and the file is shorter; copy or download it again");
        // ITK computes the distance of BioRad slices from the magnification of their pixels.
        if (has_own_reader(format_)) {
            const Affine affine = affine_from(lps_steps_of(*image_), Anatomical::lps);
            if (format_ != ItkFormat::tiff) info_.geometry.affine = affine;  // a TIFF has no orientation
            info_.geometry.spacing = spacing_of(affine);
            info_.geometry.unit = LengthUnit::mm;
            info_.geometry.source = "the header";
        }
    }
    std::int64_t voxel_bytes() const { return std::int64_t(image_->GetComponentSize()) * image_->GetNumberOfComponents(); }
    void load(std::int64_t slice) {
        constexpr std::int64_t enough = std::int64_t{1} << 24;
        const std::int64_t slice_bytes = info_.extent.nx * info_.extent.ny * size_of(info_.type), nz = info_.extent.nz;
        const bool parts = image_->CanStreamRead();
        first_slice_ = parts ? slice : 0;
        slices_ = parts ? std::min(std::max<std::int64_t>(1, enough / slice_bytes), nz - slice) : nz;
        offset_ = parts ? 0 : volume_ * nz * slice_bytes;
        const std::int64_t loaded = parts ? slices_ * slice_bytes : info_.volumes * nz * slice_bytes;
        with_itk(info_.path, [&] {
            if (!parts || slice == 0) open_image();
            if (extent_of(*image_, info_.path) != info_.extent || voxel_bytes() != stored_bytes_)
                throw Error(ErrorKind::changed_file, info_.path, "has changed while it was read");
            slices_buffer_.resize(std::size_t(loaded));
            if (info_.channels == 1) return read_slices(*image_, first_slice_, slices_, volume_, slices_buffer_.data());
            std::vector<std::byte> channels(std::size_t(loaded / size_of(info_.type) * stored_bytes_));
            read_slices(*image_, first_slice_, slices_, volume_, channels.data());
            pack_colours(channels, info_.channels, info_.type, slices_buffer_.data());
        });
    }

    ItkFormat format_;
    Colours colours_;
    std::int64_t stored_bytes_ = 0;  // per voxel, of all channels
    itk::ImageIOBase::Pointer image_;
    std::int64_t volume_ = 0, first_slice_ = 0, slices_ = 0, offset_ = 0;
    std::vector<std::byte> slices_buffer_;
};

}  // namespace

std::unique_ptr<VolumeReader> open_itk_image(const std::string& path, ItkFormat format, const OpenOptions& options) {
    return std::make_unique<ItkReader>(path, format, options);
}

}  // namespace voxcc::io
