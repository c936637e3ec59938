// TIFF volumes: one page per slice.
#include "io/formats/tiff/tiff.h"
#include "io/formats/tiff/tiff_info.h"
#include "io/formats/tiff/tiff_rows.h"
#include "io/kept_files.h"
#include "io/shared_by_formats.h"

#include <algorithm>

namespace voxcc::io {
namespace {

// The pages of a set with a companion are not kept: the same TIFF has another description without it.
std::shared_ptr<const TiffPages> pages_of(TiffSource& source, const OpenOptions& options) {
    if (options.kept && !source.companion) return options.kept->pages.of(source.tiff, options.external);
    const OmeCompanion* const companion = source.companion ? &*source.companion : nullptr;
    return std::make_shared<const TiffPages>(read_tiff_pages(source.tiff, options.external, companion));
}

VolumeInfo info_of(const TiffSource& source, const TiffPages& pages, MissingChunks missing) {
    VolumeInfo info = info_of_tiff(source.tiff, pages, missing);
    info.path = source.path();
    return info;
}

class TiffReader final : public VolumeReader {
public:
    TiffReader(const std::string& path, const OpenOptions& options)
        : source_(open_tiff_source(path, options.external)), pages_(pages_of(source_, options)) {
        info_ = info_of(source_, *pages_, options.missing_chunks);
        const std::int64_t volume = chosen_volume(info_, options, volumes_text(info_)), samples = pages_->first.samples.per_pixel;
        volume_of_pages_ = volume / samples;
        sample_ = volume % samples;
    }

    void read_rows(RowRange rows, std::byte* to) override {
        const std::int64_t ny = info_.extent.ny, row_bytes = info_.extent.nx * size_of(info_.type);
        while (rows.count > 0) {
            const std::int64_t y = rows.first % ny, count = std::min(rows.count, ny - y);
            const PlanePlace place = pages_->stack.place(volume_of_pages_, rows.first / ny);
            rows_of(place.file).read(place.page, {y, count}, to);
            to += count * row_bytes;
            rows = {rows.first + count, rows.count - count};
        }
    }

    void rewind() override {}  // rows can be read in any order
    std::int64_t rows_per_read() const override { return pages_->first.chunk_ny; }

private:
    // Of the further files of a set, one is open at a time.
    TiffRows& rows_of(std::int64_t file) {
        if (file == file_) return *rows_;
        file_ = -1;
        rows_.reset();
        further_.reset();
        if (file > 0) further_.emplace(pages_->files[std::size_t(file)].path);
        rows_.emplace(further_ ? *further_ : source_.tiff, *pages_, file, sample_);
        file_ = file;
        return *rows_;
    }

    TiffSource source_;
    std::shared_ptr<const TiffPages> pages_;
    std::int64_t volume_of_pages_ = 0;  // the volumes of one sample are counted along the axes of the pages
    std::int64_t sample_ = 0;
    std::int64_t file_ = -1;  // of rows_; -1: none
    std::optional<TiffHandle> further_;
    std::optional<TiffRows> rows_;
};

}  // namespace

std::unique_ptr<VolumeReader> open_tiff(const std::string& path, const OpenOptions& options) {
    return std::make_unique<TiffReader>(path, options);
}

VolumeInfo describe_tiff(const std::string& path, const OpenOptions& options) {
    TiffSource source = open_tiff_source(path, options.external);
    return info_of(source, *pages_of(source, options), options.missing_chunks);
}

std::vector<std::string> files_of_tiff(const std::string& path, const OpenOptions& options) {
    if (options.external == ExternalFiles::refuse) return {path};
    TiffSource source = open_tiff_source(path, options.external);
    const std::shared_ptr<const TiffPages> pages = pages_of(source, options);
    std::vector<std::string> files{path};
    for (const PagesOfFile& file : pages->files) files.push_back(file.path);
    return files;
}

}  // namespace voxcc::io
