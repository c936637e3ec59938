// Reader of numbered 2D images as one volume; one image is open at a time.
#include "io/formats/slices/slice_names.h"
#include "io/formats/slices/slices.h"
#include "io/formats/tiff/tiff_native.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace voxcc::io {
namespace {

std::string describe(const VolumeInfo& info) {
    return std::to_string(info.extent.nx) + " x " + std::to_string(info.extent.ny) + " " + info.stored_type;
}

struct Slices {
    std::vector<NumberedFile> files;
    VolumeInfo info;  // describes the volume
};

// Slices state the spacing along x and y; only some state the distance along z.
Geometry geometry_of(const VolumeInfo& slice) {
    const auto* native = dynamic_cast<const TiffNative*>(slice.native.get());
    if (!slice.geometry.spacing) return {};
    Geometry geometry{.spacing = slice.geometry.spacing, .unit = slice.geometry.unit, .source = slice.geometry.source};
    if (native && native->states_slice_distance) return geometry;
    (*geometry.spacing)[2] = std::numeric_limits<double>::quiet_NaN();
    geometry.notes = {"slices state the size of pixels but not their distance"};
    return geometry;
}

void check_slice(const VolumeInfo& slice, const VolumeInfo& first) {
    if (slice.extent.nz != 1 || slice.volumes != 1)
        throw Error(ErrorKind::invalid_file, slice.path,
                    "a slice of " + std::to_string(slice.extent.nz * slice.volumes) + " images; one is needed");
    if (slice.extent.nx != first.extent.nx || slice.extent.ny != first.extent.ny || slice.type != first.type ||
        slice.stored_type != first.stored_type || slice.scaling.slope != first.scaling.slope ||
        slice.scaling.intercept != first.scaling.intercept)
        throw Error(
            ErrorKind::invalid_file, slice.path,
            "this slice is " + describe(slice) + ", the first is " + describe(first) + "; all slices of a volume have one size and type");
}

bool is_in(const std::string& text, const std::vector<std::string>& texts) { return std::ranges::find(texts, text) != texts.end(); }

std::unique_ptr<VolumeReader> open_slice(const NumberedFile& file, const OpenOptions& options) {
    OpenOptions of_slice = options;
    of_slice.volume = {};
    try {
        return open_volume(file.path, of_slice);
    } catch (const Error& error) {
        // A slice with several volumes cannot be chosen from. That is an error in the data, not in the command line.
        if (error.kind() != ErrorKind::several_volumes) throw;
        throw Error(ErrorKind::invalid_file, error.subject(), error.cause() + "; a slice is one 2D image");
    }
}

Slices read_slices(const std::string& path, const OpenOptions& options) {
    Slices slices{find_slices(path), {}};
    const VolumeInfo first = open_slice(slices.files.front(), options)->info();
    std::string warning;  // of the first slice with another warning than the first slice of the volume
    std::int64_t warned = 0;
    for (const NumberedFile& file : slices.files) {
        const VolumeInfo slice = open_slice(file, options)->info();
        check_slice(slice, first);
        const auto other = std::ranges::find_if(slice.warnings, [&](const std::string& text) { return !is_in(text, first.warnings); });
        if (other == slice.warnings.end()) continue;
        if (++warned == 1) warning = file.path + ": " + *other;
    }

    const auto nz = std::int64_t(slices.files.size());
    VolumeInfo& info = slices.info;
    info.path = path;
    info.format = first.format + " slices";
    info.compression = first.compression;
    info.extent = {first.extent.nx, first.extent.ny, nz};
    info.type = first.type;
    info.stored_type = first.stored_type;
    info.channels = first.channels;
    info.dimensions = nz == 1 ? 2 : 3;
    info.scaling = first.scaling;
    info.warnings = first.warnings;
    if (warned > 1) warning += " (" + std::to_string(warned) + " slices have such warnings)";
    if (warned > 0) info.warnings.push_back(warning);
    info.geometry = geometry_of(first);
    checked_bytes(info.extent, size_of(info.type), path);
    return slices;
}

class SlicesReader final : public VolumeReader {
public:
    SlicesReader(Slices slices, OpenOptions options) : files_(std::move(slices.files)), options_(std::move(options)) {
        info_ = std::move(slices.info);
    }

    void read_rows(RowRange rows, std::byte* to) override {
        const std::int64_t ny = info_.extent.ny, row_bytes = info_.extent.nx * size_of(info_.type);
        while (rows.count > 0) {
            const std::int64_t z = rows.first / ny, y = rows.first % ny, count = std::min(rows.count, ny - y);
            open(z);
            slice_->read_rows({y, count}, to);
            to += count * row_bytes;
            rows = {rows.first + count, rows.count - count};
        }
    }

    void rewind() override {
        slice_.reset();
        z_ = -1;
    }
    std::int64_t rows_per_read() const override { return info_.extent.ny; }

private:
    void open(std::int64_t z) {
        if (z == z_) return;
        rewind();
        slice_ = open_slice(files_[std::size_t(z)], options_);
        check_slice(slice_->info(), info_);  // the file can have been replaced
        z_ = z;
    }

    std::vector<NumberedFile> files_;
    OpenOptions options_;
    std::unique_ptr<VolumeReader> slice_;
    std::int64_t z_ = -1;
};

}  // namespace

std::unique_ptr<VolumeReader> open_slices(const std::string& path, const OpenOptions& options) {
    Slices slices = read_slices(path, options);
    if (options.volume.value_or(0) != 0) throw Error(ErrorKind::no_such_volume, path, "slices hold one volume");
    return std::make_unique<SlicesReader>(std::move(slices), options);
}

VolumeInfo describe_slices(const std::string& path, const OpenOptions& options) { return read_slices(path, options).info; }

std::vector<std::string> files_of_slices(const std::string& path, const OpenOptions&) {
    std::vector<std::string> files{path};
    if (!is_slice_template(path)) std::ranges::move(images_in_folder(path), std::back_inserter(files));
    else
        for (const NumberedFile& slice : files_of_template(path)) files.push_back(slice.path);
    return files;
}

}  // namespace voxcc::io
