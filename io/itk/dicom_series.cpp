// Reader of a folder of DICOM files with one slice per file, sorted by position.
#include "io/itk/dicom_guard.h"
#include "io/itk/itk.h"
#include "io/itk/itk_call.h"
#include "io/text/header_text.h"

#include <itkGDCMImageIO.h>
#include <itkGDCMSeriesFileNames.h>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <set>

namespace voxcc::io {
namespace {

struct Slice {
    std::string path;
    Steps steps;          // the third step is the normal
    double position = 0;  // mm along the normal
    Extent extent;
    ScalarType type = ScalarType::u8;
};

std::string name_of_file(const Slice& slice) { return std::filesystem::path(slice.path).filename().string(); }

double dot(const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

itk::GDCMImageIO::Pointer open_slice(const std::string& path) {
    auto image = itk::GDCMImageIO::New();
    image->SetFileName(path);
    image->ReadImageInformation();
    return image;
}

std::vector<std::string> files_of_series(const std::string& folder) {
    std::set<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (is_dicom_file(entry)) files.insert(entry.path().filename().string());
    for (const std::string& file : files) stored_pixel_bytes((std::filesystem::path(folder) / file).string());
    auto names = itk::GDCMSeriesFileNames::New();
    names->SetUseSeriesDetails(true);
    names->SetInputDirectory(folder);
    const std::vector<std::string>& series = names->GetSeriesUIDs();
    if (series.empty()) throw Error(ErrorKind::invalid_file, folder, "holds no DICOM series");
    if (series.size() > 1) {
        std::string list;
        for (const std::string& uid : series)
            list += (list.empty() ? "" : ", ") + uid + " (" + std::to_string(names->GetFileNames(uid).size()) + " files)";
        throw Error(ErrorKind::several_series, folder, "holds several DICOM series: " + list);
    }
    const std::vector<std::string>& ordered = names->GetFileNames(series.front());
    for (const std::string& path : ordered) files.erase(std::filesystem::path(path).filename().string());
    if (!files.empty())
        throw Error(ErrorKind::invalid_file, folder, "GDCM leaves out " + *files.begin() + "; copy it again, or move it to another folder");
    return ordered;
}

Slice read_header(const std::string& path) {
    const auto image = open_slice(path);
    Slice slice;
    slice.path = path;
    slice.extent = extent_of(*image, path);
    slice.type = scalar_type_of(*image, path);
    check_pixel_data(path, slice.extent.voxels() * size_of(scalar_type_of(image->GetInternalComponentType(), path)));
    slice.steps = lps_steps_of(*image);
    slice.steps.columns[2] = plane_normal(slice.steps.columns[0], slice.steps.columns[1]);
    slice.position = dot(slice.steps.origin, slice.steps.columns[2]);
    return slice;
}

// Checks that all slices have the same grid: size, type and orientation.
void check_alike(const std::vector<Slice>& slices) {
    const Slice& first = slices.front();
    for (const Slice& slice : slices) {
        const auto differs = [&](const std::string& what) {
            return Error(ErrorKind::invalid_file, slice.path,
                         what + " than " + name_of_file(first) + "; put slices of one kind in a folder");
        };
        if (slice.extent != first.extent) throw differs("has another number of rows or columns");
        if (slice.type != first.type) throw differs("has another type of voxels (" + std::string(name_of(slice.type)) + ")");
        if (slice.extent.nz != 1) throw Error(ErrorKind::invalid_file, slice.path, "has several frames; name the file itself");
        for (std::size_t axis = 0; axis < 2; ++axis)
            for (std::size_t row = 0; row < 3; ++row)
                if (!(std::abs(slice.steps.columns[axis][row] - first.steps.columns[axis][row]) < 1e-3))
                    throw differs("is oriented otherwise");
    }
}

// Refuses a missing slice, because it would split or join components unnoticed. Uneven steps are reported as a warning.
void check_steps(const std::string& folder, const std::vector<Slice>& slices, std::vector<std::string>& warnings) {
    std::vector<double> gaps;
    for (std::size_t i = 1; i < slices.size(); ++i) gaps.push_back(slices[i].position - slices[i - 1].position);
    if (gaps.empty()) return;
    std::vector<double> sorted = gaps;
    std::ranges::nth_element(sorted, sorted.begin() + std::ptrdiff_t(sorted.size() / 2));
    const double usual = sorted[sorted.size() / 2];
    double largest_deviation = 0;
    for (std::size_t i = 0; i < gaps.size(); ++i) {
        const std::string between = "between " + name_of_file(slices[i]) + " and " + name_of_file(slices[i + 1]);
        if (!(gaps[i] > 1e-3 * usual) || !(gaps[i] > 0))
            throw Error(ErrorKind::invalid_file, folder, "two slices lie at the same position: " + between);
        if (gaps[i] > 1.5 * usual)
            throw Error(ErrorKind::invalid_file, folder,
                        "a slice is missing " + between + ": " + shortest(gaps[i]) + " mm instead of " + shortest(usual) +
                            " mm; complete the series");
        largest_deviation = std::max(largest_deviation, std::abs(gaps[i] - usual));
    }
    if (largest_deviation > 0.01 * usual)
        warnings.push_back("slices are not evenly spaced: steps of " + shortest(usual) + " mm differ by up to " +
                           shortest(largest_deviation) + " mm");
}

class DicomSeriesReader : public VolumeReader {
public:
    explicit DicomSeriesReader(const std::string& folder) {
        with_itk(folder, [&] {
            for (const std::string& path : files_of_series(folder)) slices_.push_back(with_itk(path, [&] { return read_header(path); }));
        });
        check_alike(slices_);
        std::ranges::stable_sort(slices_, {}, &Slice::position);
        info_.path = folder;
        check_steps(folder, slices_, info_.warnings);
        const Slice &first = slices_.front(), &last = slices_.back();
        info_.format = "DICOM series";
        info_.compression = "as DICOM";
        info_.extent = {first.extent.nx, first.extent.ny, std::int64_t(slices_.size())};
        info_.type = first.type;
        info_.stored_type = name_of(first.type);
        info_.dimensions = slices_.size() == 1 ? 2 : 3;
        Steps steps = first.steps;
        for (std::size_t row = 0; row < 3 && slices_.size() > 1; ++row)
            steps.columns[2][row] = (last.steps.origin[row] - first.steps.origin[row]) / double(slices_.size() - 1);
        info_.geometry.affine = affine_from(steps, Anatomical::lps);
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
        const Slice& slice = slices_[std::size_t(index)];
        with_itk(slice.path, [&] {
            const auto image = open_slice(slice.path);
            if (extent_of(*image, slice.path) != slice.extent || scalar_type_of(*image, slice.path) != slice.type)
                throw Error(ErrorKind::changed_file, slice.path, "has changed while it was read");
            pixels_.resize(std::size_t(slice.extent.voxels() * size_of(slice.type)));
            read_slices(*image, 0, 1, 0, pixels_.data());
        });
        loaded_ = index;
    }

    std::vector<Slice> slices_;
    std::vector<std::byte> pixels_;
    std::int64_t loaded_ = -1;
};

}  // namespace

std::unique_ptr<VolumeReader> open_dicom_series(const std::string& folder, const OpenOptions&) {
    return std::make_unique<DicomSeriesReader>(folder);
}

}  // namespace voxcc::io
