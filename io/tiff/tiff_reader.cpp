// TIFF volumes: one page per slice.
#include "io/formats.h"
#include "io/tiff/tiff_info.h"
#include "io/tiff/tiff_rows.h"

#include <algorithm>

namespace voxcc::io {
namespace {

class TiffReader final : public VolumeReader {
public:
    TiffReader(const std::string& path, const OpenOptions& options) : tiff_(path), pages_(read_tiff_pages(tiff_)) {
        info_ = info_of_tiff(tiff_, pages_, options);
        const std::int64_t volume = chosen_volume(info_, options, volumes_text(info_)), samples = pages_.first.samples.per_pixel;
        volume_of_pages_ = volume / samples;
        rows_.emplace(tiff_, pages_, volume % samples);
    }

    void read_rows(RowRange rows, std::byte* to) override {
        const std::int64_t ny = info_.extent.ny, row_bytes = info_.extent.nx * size_of(info_.type);
        while (rows.count > 0) {
            const std::int64_t y = rows.first % ny, count = std::min(rows.count, ny - y);
            rows_->read(pages_.stack.page(volume_of_pages_, rows.first / ny), {y, count}, to);
            to += count * row_bytes;
            rows = {rows.first + count, rows.count - count};
        }
    }

    void rewind() override {}  // rows can be read in any order
    std::int64_t rows_per_read() const override { return pages_.first.chunk_ny; }

private:
    TiffHandle tiff_;
    TiffPages pages_;
    std::int64_t volume_of_pages_ = 0;  // the volumes of one sample are counted along the axes of the pages
    std::optional<TiffRows> rows_;
};

}  // namespace

std::unique_ptr<VolumeReader> open_tiff(const std::string& path, const OpenOptions& options) {
    return std::make_unique<TiffReader>(path, options);
}

VolumeInfo describe_tiff(const std::string& path, const OpenOptions& options) {
    TiffHandle tiff(path);
    const TiffPages pages = read_tiff_pages(tiff);
    return info_of_tiff(tiff, pages, options);
}

}  // namespace voxcc::io
