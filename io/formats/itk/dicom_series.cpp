// Reader of a folder of DICOM files with ITK: one slice per file, in the order of GDCM. voxcc's own reader has checked the folder.
#include "io/formats/itk/itk.h"
#include "io/formats/itk/itk_call.h"

#include <itkGDCMImageIO.h>
#include <itkGDCMSeriesFileNames.h>
#include <cstring>

namespace voxcc::io {
namespace {

itk::GDCMImageIO::Pointer open_slice(const std::string& path) {
    auto image = itk::GDCMImageIO::New();
    image->SetFileName(path);
    image->ReadImageInformation();
    return image;
}

std::vector<std::string> files_of_series(const std::string& folder) {
    auto names = itk::GDCMSeriesFileNames::New();
    names->SetInputDirectory(folder);
    const std::vector<std::string>& series = names->GetSeriesUIDs();
    if (series.size() != 1)
        throw Error(ErrorKind::invalid_file, folder, "ITK finds " + std::to_string(series.size()) + " series in this folder");
    return names->GetFileNames(series.front());
}

class DicomSeriesReader : public VolumeReader {
public:
    explicit DicomSeriesReader(const std::string& folder) {
        info_.path = folder;
        info_.format = "DICOM series";
        with_itk(folder, [&] {
            files_ = files_of_series(folder);
            const auto first = open_slice(files_.front()), last = open_slice(files_.back());
            const auto slices = std::int64_t(files_.size());
            info_.extent = extent_of(*first, folder);
            info_.extent.nz = slices;
            info_.type = scalar_type_of(*first, folder);
            info_.stored_type = name_of(info_.type);
            info_.dimensions = slices == 1 ? 2 : 3;
            Steps steps = lps_steps_of(*first);
            const Vector3 end = lps_steps_of(*last).origin;
            for (std::size_t row = 0; row < 3 && slices > 1; ++row)
                steps.columns[2][row] = (end[row] - steps.origin[row]) / double(slices - 1);
            info_.geometry.affine = affine_from(steps, Anatomical::lps);
        });
        info_.geometry.spacing = spacing_of(*info_.geometry.affine);
        info_.geometry.unit = LengthUnit::mm;
        info_.geometry.source = "the positions of the slices";
    }
    void read_rows(RowRange rows, std::byte* to) override {
        const std::int64_t ny = info_.extent.ny, row_bytes = info_.extent.nx * size_of(info_.type);
        for (std::int64_t row = rows.first; row < rows.end();) {
            load(row / ny);
            const std::int64_t count = std::min(rows.end(), (row / ny + 1) * ny) - row;
            std::memcpy(to, pixels_.data() + row % ny * row_bytes, std::size_t(count * row_bytes));
            to += count * row_bytes;
            row += count;
        }
    }
    void rewind() override {}
    std::int64_t rows_per_read() const override { return info_.extent.ny; }

private:
    void load(std::int64_t index) {
        if (index == loaded_) return;
        const std::string& path = files_[std::size_t(index)];
        with_itk(path, [&] {
            const auto image = open_slice(path);
            if (extent_of(*image, path) != Extent{info_.extent.nx, info_.extent.ny, 1} || scalar_type_of(*image, path) != info_.type)
                throw Error(ErrorKind::invalid_file, path, "has another size or type than the first slice");
            pixels_.resize(std::size_t(info_.extent.nx * info_.extent.ny * size_of(info_.type)));
            read_slices(*image, 0, 1, 0, pixels_.data());
        });
        loaded_ = index;
    }

    std::vector<std::string> files_;
    std::vector<std::byte> pixels_;
    std::int64_t loaded_ = -1;
};

}  // namespace

std::unique_ptr<VolumeReader> open_dicom_series(const std::string& folder, const OpenOptions&) {
    return std::make_unique<DicomSeriesReader>(folder);
}

}  // namespace voxcc::io
