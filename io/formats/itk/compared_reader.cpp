#include "io/formats/itk/compared_reader.h"

#include "io/formats/itk/itk.h"
#include "io/header_text.h"
#include "io/orientation.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

namespace voxcc::io {
namespace {

const std::string itk_dataset = "/ITKImage/0/VoxelData";

Error not_by_itk(const std::string& path, const std::string& cause) { return {ErrorKind::unsupported_by_reader, path, cause, "voxcc"}; }

// Runs a call of the reader in the child process. The own reader has accepted the file, so errors about its content are limits of ITK.
template <class Call>
auto by_itk(const std::string& path, const Call& call) {
    try {
        return call();
    } catch (const Error& error) {
        const bool is_about_writing = error.kind() == ErrorKind::changed_file || error.kind() == ErrorKind::interrupted_output;
        if (!is_about_content(error.kind()) || is_about_writing) throw;
        throw not_by_itk(path, "ITK does not read this file: " + error.cause());
    }
}

// The files that ITK reads.
std::vector<std::string> files_of(const std::string& path, ItkFormat format, const OpenOptions& options) {
    switch (format) {
        case ItkFormat::nifti:
        case ItkFormat::nrrd:
        case ItkFormat::metaimage:
        case ItkFormat::dicom: return files_of_volume(path, options);
        default: return {path};
    }
}

std::unique_ptr<VolumeReader> open_itk_reader(const std::string& path, ItkFormat format, const OpenOptions& options) {
    const ItkModule& itk = itk_module(path);
    const std::vector<std::string> files = files_of(path, format, options);
    return by_itk(path, [&] {
        return open_itk_isolated(path, limits_of_itk(files), {.readable = files}, copies_in_itk, [&itk, path, format, options] {
            return std::filesystem::is_directory(path) ? itk.open_dicom_series(path, options) : itk.open_image(path, format, options);
        });
    });
}

// The options for the own reader. ITK reads one dataset of an HDF5 file only.
OpenOptions options_of_own(const std::string& path, ItkFormat format, OpenOptions options) {
    if (format != ItkFormat::hdf5) return options;
    if (!options.dataset.empty() && options.dataset != itk_dataset && "/" + options.dataset != itk_dataset)
        throw not_by_itk(path, "ITK reads no dataset but " + itk_dataset);
    options.dataset = itk_dataset;
    return options;
}

// Calls `own` with the options for the own reader.
template <class Own>
auto by_own_reader(const std::string& path, ItkFormat format, const OpenOptions& options, const Own& own) {
    const OpenOptions of_own = options_of_own(path, format, options);
    try {
        return own(of_own);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::no_such_dataset || !options.dataset.empty()) throw;
        throw not_by_itk(path, "does not hold " + itk_dataset + ", the only dataset that ITK reads");
    }
}

std::string text_of(const VolumeInfo& info) {
    return std::to_string(info.extent.nx) + " x " + std::to_string(info.extent.ny) + " x " + std::to_string(info.extent.nz) + " (" +
           std::to_string(info.volumes) + (info.volumes == 1 ? " volume)" : " volumes)");
}

// @return an affine with this spacing at position 0
Affine diagonal(const Vector3& spacing) { return {{{spacing[0], 0, 0, 0}, {0, spacing[1], 0, 0}, {0, 0, spacing[2], 0}}}; }

const std::string other_affine = "the affine that ITK reads is not the affine that voxcc reads";

// Both readers take the geometry of HDF5 from the same datasets. The values differ only if a link or an external file misleads ITK, which
// the own reader does not follow.
void require_same_place(const VolumeInfo& own, const Geometry& of_itk) {
    if (!own.geometry.affine || !of_itk.affine || !is_same_place(*own.geometry.affine, *of_itk.affine))
        throw not_by_itk(own.path, other_affine);
}

// @return a warning if both readers state a position, or both state a spacing, and the two differ
std::optional<std::string> difference(const Geometry& own, const Geometry& of_itk) {
    if (own.affine && of_itk.affine) {
        if (is_same_place(*own.affine, *of_itk.affine)) return std::nullopt;
        return other_affine;
    }
    if (!own.spacing || !of_itk.spacing || is_same_place(diagonal(*own.spacing), diagonal(*of_itk.spacing))) return std::nullopt;
    return "the spacing that ITK reads is not the spacing that voxcc reads";
}

// ITK does not convert the units of NRRD, MetaImage and MRC, and has a size for each file. All other lengths are converted to the unit of
// the own reader.
Geometry geometry_of_itk(const Geometry& own, Geometry of_itk, ItkFormat format) {
    if (!own.has_size()) return {};
    const bool has_unit = format == ItkFormat::nrrd || format == ItkFormat::metaimage || format == ItkFormat::mrc;
    if (has_unit || !own.unit) of_itk.unit = own.unit;
    else of_itk = in_unit(of_itk, *own.unit);
    of_itk.source = own.source;
    return of_itk;
}

// Describes the volume of both readers: format and storage from the own reader, type and position from ITK. The values of ITK are scaled.
VolumeInfo merged(VolumeInfo own, const VolumeInfo& of_itk, ItkFormat format) {
    if (own.extent != of_itk.extent || own.volumes != of_itk.volumes)
        throw not_by_itk(own.path, "ITK reads the extent " + text_of(of_itk) + ", voxcc reads " + text_of(own));
    // The own reader reads no position of several volumes, so that of ITK cannot be checked and is left out.
    if (format == ItkFormat::hdf5 && own.volumes == 1) require_same_place(own, of_itk.geometry);
    Geometry geometry = geometry_of_itk(own.geometry, of_itk.geometry, format);
    if (const auto warning = difference(own.geometry, geometry)) own.warnings.push_back(*warning);
    // ITK does not report that the bytes of an MRC file are signed.
    if (format != ItkFormat::mrc || own.type != ScalarType::i8) own.type = of_itk.type;
    // ITK does not read the metadata of ImageJ and OME, and has the step 1 where a size is not complete.
    const bool is_complete = usable(own.geometry).has_size();
    if (format != ItkFormat::hdf5 && format != ItkFormat::tiff && is_complete) own.geometry = std::move(geometry);
    own.scaling = {};
    own.native = nullptr;  // a label volume gets the geometry of ITK, not the header of the file
    return own;
}

std::vector<double> to_doubles(ScalarType type, std::span<const std::byte> bytes) {
    return visit_scalar(type, [&]<class T>(std::type_identity<T>) {
        std::vector<double> values(bytes.size() / sizeof(T));
        for (std::size_t i = 0; i < values.size(); ++i) {
            T value;
            std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
            values[i] = double(value);
        }
        return values;
    });
}

class ComparedReader final : public VolumeReader {
public:
    ComparedReader(std::unique_ptr<VolumeReader> own, std::unique_ptr<VolumeReader> of_itk, ItkFormat format)
        : own_(std::move(own)), itk_(std::move(of_itk)) {
        info_ = merged(own_->info(), itk_->info(), format);
    }
    void read_rows(RowRange rows, std::byte* to) override {
        const std::int64_t voxels = rows.count * info_.extent.nx;
        own_rows_.resize(std::size_t(voxels * size_of(own_->info().type)));
        own_->read_rows(rows, own_rows_.data());
        try {
            by_itk(info_.path, [&] { itk_->read_rows(rows, to); });
            compare(rows.first * info_.extent.nx, {to, std::size_t(voxels * size_of(info_.type))});
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::unsupported_by_reader) check_rest(rows);
            throw;
        }
    }
    void rewind() override {
        own_->rewind();
        itk_->rewind();
    }
    std::int64_t rows_per_read() const override { return own_->rows_per_read(); }

private:
    // Reads the rows after `rows` with the own reader. If the file is damaged, this is the error to report.
    void check_rest(RowRange rows) {
        for (rows.first = rows.end(); rows.first < info_.extent.rows(); rows.first = rows.end()) {
            rows.count = std::min(rows.count, info_.extent.rows() - rows.first);
            own_->read_rows(rows, own_rows_.data());
        }
    }
    // Compares the values of ITK with own_rows_. @param first_voxel index of the first value in the volume
    void compare(std::int64_t first_voxel, std::span<const std::byte> of_itk) const {
        const VolumeInfo& own = own_->info();
        const bool same_type = own.type == info_.type && own.scaling.is_identity();
        if (same_type && std::memcmp(own_rows_.data(), of_itk.data(), of_itk.size()) == 0) return;
        const std::vector<double> stored = to_doubles(own.type, own_rows_), values = to_doubles(info_.type, of_itk);
        const auto bytes = std::size_t(size_of(info_.type));
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (same_type && std::memcmp(own_rows_.data() + i * bytes, of_itk.data() + i * bytes, bytes) == 0) continue;
            const double scaled = stored[i] * own.scaling.slope, wanted = scaled + own.scaling.intercept;
            if (std::isnan(wanted) && std::isnan(values[i])) continue;
            if (!same_type && is_close(values[i], wanted, std::abs(scaled) + std::abs(own.scaling.intercept))) continue;
            throw differs(first_voxel + std::int64_t(i), values[i], wanted);
        }
    }
    // ITK scales in float32, whose numbers have 24 bits.
    static bool is_close(double value, double wanted, double magnitude) {
        constexpr double rounding = 1e-6;
        return value == wanted || std::abs(value - wanted) <= rounding * magnitude;
    }
    Error differs(std::int64_t voxel, double value, double wanted) const {
        const auto& [nx, ny, nz] = info_.extent;
        return not_by_itk(info_.path, "ITK reads " + shortest(value) + " at voxel (" + std::to_string(voxel % nx) + ", " +
                                          std::to_string(voxel / nx % ny) + ", " + std::to_string(voxel / nx / ny) + "), voxcc reads " +
                                          shortest(wanted));
    }

    std::unique_ptr<VolumeReader> own_, itk_;
    std::vector<std::byte> own_rows_;
};

}  // namespace

std::unique_ptr<VolumeReader> open_compared(const std::string& path, ItkFormat format, const OpenOptions& options,
                                            const std::function<std::unique_ptr<VolumeReader>(const OpenOptions&)>& open_own) {
    auto own = by_own_reader(path, format, options, open_own);
    return std::make_unique<ComparedReader>(std::move(own), open_itk_reader(path, format, options), format);
}

VolumeInfo describe_compared(const std::string& path, ItkFormat format, const OpenOptions& options,
                             const std::function<VolumeInfo(const OpenOptions&)>& describe_own) {
    VolumeInfo own = by_own_reader(path, format, options, describe_own);
    return merged(std::move(own), open_itk_reader(path, format, options)->info(), format);
}

}  // namespace voxcc::io
