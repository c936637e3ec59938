#include "io/formats/tiff/tiff_labels.h"

#include "io/formats/tiff/tiff.h"
#include "io/orientation.h"
#include "io/shared_by_formats.h"

#include <libdeflate.h>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

namespace voxcc::io {
namespace {

constexpr std::int64_t strip_bytes = 512 << 10;     // does not reduce the compression, and lets readers read a part of a page
constexpr std::int64_t block_bytes = 1 << 20;       // lower bound: several small pages form one block
constexpr std::int64_t big_page_bytes = 8 << 20;    // larger pages are cut into blocks
constexpr std::int64_t huge_page_bytes = 64 << 20;  // larger pages are cut even if the strips become small

std::int64_t largest_divisor(std::int64_t of, std::int64_t at_most) {
    for (std::int64_t d = std::min(of, at_most); d > 1; --d)
        if (of % d == 0) return d;
    return 1;
}

void deflate(libdeflate_compressor* compressor, std::span<const std::byte> raw, std::vector<std::byte>& to) {
    const std::size_t begin = to.size();
    to.resize(begin + libdeflate_zlib_compress_bound(compressor, raw.size()));
    const std::size_t bytes = libdeflate_zlib_compress(compressor, raw.data(), raw.size(), to.data() + begin, to.size() - begin);
    if (bytes == 0) throw Error(ErrorKind::internal, "deflate", "a strip did not fit its bound");
    to.resize(begin + bytes);
}

/// The range of the values and 0. NaN and infinities are left out.
DisplayRange range_of(std::span<const std::byte> raw, ScalarType type) {
    return visit_scalar(type, [&]<class T>(std::type_identity<T>) {
        T least = 0, largest = 0;
        for (std::size_t at = 0; at < raw.size(); at += sizeof(T)) {
            T value;
            std::memcpy(&value, raw.data() + at, sizeof value);
            if constexpr (std::is_floating_point_v<T>)
                if (!std::isfinite(value)) continue;
            least = std::min(least, value);
            largest = std::max(largest, value);
        }
        return DisplayRange{double(least), double(largest)};
    });
}

/// Whether the axes are those of OME-TIFF: C and T, each at most once.
bool are_ome_axes(const std::vector<VolumeAxis>& axes) {
    const auto count_of = [&](const char* name) { return std::ranges::count(axes, name, &VolumeAxis::name); };
    return count_of("C") <= 1 && count_of("T") <= 1 && count_of("C") + count_of("T") == std::ssize(axes);
}

/// What the volumes of a file are: the channels and time points of the input if all of its volumes are written to an OME-TIFF; otherwise
/// time points.
std::vector<VolumeAxis> axes_of(const LabelVolume& volume) {
    if (volume.volumes == 1) return {};
    const std::vector<VolumeAxis>& axes = volume.like->volume_axes;
    std::int64_t product = 1;
    for (const VolumeAxis& axis : axes) product *= axis.size;
    if (is_ome_name(volume.path) && product == volume.volumes && are_ome_axes(axes)) return axes;
    return {{"T", volume.volumes}};
}

}  // namespace

// All strips of a TIFF page except the last must have the same number of rows, so the blocks of a cut page have a divisor of its height.
TiffLabelWriter::Plan TiffLabelWriter::plan(const Extent& extent, ScalarType type) {
    const std::int64_t row = extent.nx * size_of(type), page = row * extent.ny;
    const std::int64_t rows_per_strip = std::clamp<std::int64_t>(strip_bytes / row, 1, extent.ny);
    if (page > big_page_bytes) {
        const std::int64_t divisor = largest_divisor(extent.ny, std::max<std::int64_t>(1, block_bytes / row));
        const std::int64_t least_strip_bytes = (page > huge_page_bytes ? 4 : 64) << 10;  // smaller strips compress badly
        if (divisor * row >= least_strip_bytes) return {divisor, divisor};
    }
    return {extent.ny * std::max<std::int64_t>(1, block_bytes / page), rows_per_strip};
}

std::int64_t tiff_rows_per_block(const LabelVolume& volume) {
    return TiffLabelWriter::plan(volume.like->extent, volume.type).rows_per_block;
}

TiffLabelWriter::TiffLabelWriter(const LabelVolume& volume) : TiffLabelWriter(volume, plan(volume.like->extent, volume.type)) {}

TiffLabelWriter::TiffLabelWriter(const LabelVolume& volume, Plan plan)
    : LabelWriter(volume, plan.rows_per_block), path_(volume.path), level_(volume.compress) {
    format_.extent = volume.like->extent;
    format_.volume_axes = axes_of(volume);
    format_.type = volume.type;
    format_.rows_per_strip = plan.rows_per_strip;
    format_.compression = level_ == 0 ? TiffFormat::Compression::none : TiffFormat::Compression::deflate;
    format_.spacing = spacing_of(volume.like->geometry);
    format_.unit = volume.like->geometry.unit;
    format_.metadata = is_ome_name(path_) ? TiffFormat::Metadata::ome : TiffFormat::Metadata::imagej;
    format_.content = name_of(volume.content);
    if (volume.largest) format_.display = DisplayRange{0, double(*volume.largest)};
    format_.colours = volume.colours;
}

// Uses no predictor: horizontal differences make label files larger (at level 1: connectomics512 by 14 %, cells3d by 4 %).
EncodedBlock TiffLabelWriter::encode(std::int64_t block, std::span<const std::byte> raw) const {
    const RowRange rows = rows_of(block);
    const std::int64_t row_bytes = format_.extent.nx * size_of(format_.type);
    if (std::int64_t(raw.size()) != rows.count * row_bytes) throw Error(ErrorKind::internal, path_, "a block of a wrong size");
    EncodedBlock encoded;
    encoded.raw_bytes = std::int64_t(raw.size());
    if (!format_.display) encoded.display = range_of(raw, format_.type);
    const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor(
        level_ == 0 ? nullptr : libdeflate_alloc_compressor(level_), libdeflate_free_compressor);
    if (level_ != 0 && !compressor) throw Error(ErrorKind::out_of_memory, path_, "cannot make a compressor");
    for (std::int64_t row = rows.first; row < rows.end();) {
        const std::int64_t y = row % format_.extent.ny, count = std::min({format_.rows_per_strip, format_.extent.ny - y, rows.end() - row});
        const auto strip = raw.subspan(std::size_t((row - rows.first) * row_bytes), std::size_t(count * row_bytes));
        if (compressor) deflate(compressor.get(), strip, encoded.bytes);
        else encoded.bytes.insert(encoded.bytes.end(), strip.begin(), strip.end());
        encoded.piece_ends.push_back(encoded.bytes.size());
        row += count;
    }
    return encoded;
}

void TiffLabelWriter::append(std::int64_t block, const EncodedBlock& encoded) {
    if (block != next_block_++) throw Error(ErrorKind::internal, path_, "blocks out of order");
    range_ = {std::min(range_.min, encoded.display.min), std::max(range_.max, encoded.display.max)};
    std::size_t begin = 0;
    for (const std::size_t end : encoded.piece_ends) {
        append_strip(std::span(encoded.bytes).subspan(begin, end - begin));
        begin = end;
    }
}

std::vector<ScalarType> tiff_label_types(const std::string& path) {
    if (is_ome_name(path)) return {ScalarType::u8, ScalarType::u16, ScalarType::u32};
    return {ScalarType::u8, ScalarType::u16, ScalarType::u32, ScalarType::u64};
}

bool stores_tiff_values(const std::string& path, ScalarType type) {
    return !is_ome_name(path) || (type != ScalarType::i64 && type != ScalarType::u64);
}

}  // namespace voxcc::io
