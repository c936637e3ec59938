#include "io/formats.h"
#include "io/gzip.h"
#include "io/nifti/nifti_header.h"
#include "io/orientation.h"
#include "io/samples.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>

namespace voxcc::io {
namespace {

constexpr std::array header_extensions{".hdr.gz", ".hdr"};
constexpr std::array voxel_extensions{".img", ".img.gz"};

// @return the header file if `path` is the voxel file of a pair, else `path`
std::string header_path(const std::string& path) {
    for (const char* extension : voxel_extensions) {
        if (!has_extension(path, {extension})) continue;
        const std::string stem = without_extension(path, extension);
        for (const char* header : {".hdr", ".hdr.gz"})
            if (std::filesystem::exists(stem + header)) return stem + header;
        throw Error(ErrorKind::missing_part, path, "its header " + stem + ".hdr is missing");
    }
    return path;
}

std::string stem_of_header(const std::string& header) {
    for (const char* extension : header_extensions)
        if (has_extension(header, {extension})) return without_extension(header, extension);
    return header;
}

// @return the voxel file of a pair, if it exists
std::optional<std::string> find_voxels(const std::string& header) {
    const std::string stem = stem_of_header(header);
    for (const char* extension : voxel_extensions)
        if (std::filesystem::exists(stem + extension)) return stem + extension;
    return std::nullopt;
}

std::string voxel_path(const std::string& header) {
    if (const auto voxels = find_voxels(header)) return *voxels;
    throw Error(ErrorKind::missing_part, header, "is the header of a pair, and " + stem_of_header(header) + ".img is missing");
}

// The result of reading the headers, before any voxel is read.
struct OpenedNifti {
    NiftiContent content;
    std::endian byte_order;
    std::unique_ptr<PlainOrGzipFile> voxels;
};

void check_length(const NiftiContent& content, const PlainOrGzipFile& voxels, std::vector<std::string>& warnings) {
    std::int64_t end = 0;
    if (__builtin_add_overflow(content.offset, content.bytes, &end))
        throw Error(ErrorKind::invalid_file, voxels.path(), "the header claims more than 2^63 bytes of voxels");
    if (end > voxels.longest_content()) {
        const std::string claim = "expected " + std::to_string(end) + " bytes by its header, ";
        const std::string there = voxels.is_gzip() ? std::to_string(voxels.stored_bytes()) + " bytes of gzip cannot hold more than " +
                                                         std::to_string(voxels.longest_content())
                                                   : "got " + std::to_string(voxels.stored_bytes());
        throw Error(ErrorKind::wrong_size, voxels.path(), claim + there);
    }
    if (!voxels.is_gzip() && !voxels.is_pipe() && end < voxels.longest_content())
        warnings.push_back(ignored_bytes(voxels.longest_content() - end, "the voxels"));
}

OpenedNifti open_headers(const std::string& path, const OpenOptions& options) {
    auto file = std::make_unique<PlainOrGzipFile>(header_path(path), Pipes::read);
    auto header = std::make_shared<NiftiHeader>(read_nifti_header(*file));
    OpenedNifti opened{interpret(*header, file->path()), header->byte_order, nullptr};
    if (header->is_pair() && file->is_pipe())
        throw Error(ErrorKind::unsupported_file, path,
                    "is the header of a pair of files; write both to a folder, and give the name of one");
    if (header->is_pair()) file = std::make_unique<PlainOrGzipFile>(voxel_path(file->path()));
    VolumeInfo& info = opened.content.info;
    check_length(opened.content, *file, info.warnings);
    info.path = path;
    info.compression = file->is_gzip() ? "gzip" : "none";
    if (options.spacing) replace_spacing(info.geometry, *options.spacing);
    else info.native = header;  // with --spacing, the header of the file must not be copied to the output
    opened.voxels = std::move(file);
    return opened;
}

// Converts IEEE binary128 to double, rounded to nearest even.
double double_from_quad(std::uint64_t high, std::uint64_t low, const std::string& path) {
    const bool negative = high >> 63 != 0;
    const int exponent = int(high >> 48 & 0x7fff);
    const std::uint64_t fraction = high & 0xffffffffffff;
    double magnitude = 0;
    if (exponent == 0x7fff) {
        magnitude = fraction == 0 && low == 0 ? HUGE_VAL : std::nan("");
    } else if (exponent == 0 && (fraction != 0 || low != 0)) {
        // Measured values are never this small. These are 80-bit x87 numbers, which some programs store under the same datatype code.
        throw Error(ErrorKind::invalid_file, path, "float128 voxels that are not IEEE quadruple precision; convert the file to float64");
    } else if (exponent != 0) {
        std::uint64_t mantissa = std::uint64_t{1} << 52 | fraction << 4 | low >> 60;
        const std::uint64_t rest = low << 4, half = std::uint64_t{1} << 63;
        if (rest > half || (rest == half && mantissa % 2 == 1)) ++mantissa;
        magnitude = std::ldexp(double(mantissa), exponent - 16383 - 52);
    }
    return negative ? -magnitude : magnitude;
}

class NiftiReader final : public VolumeReader {
public:
    NiftiReader(OpenedNifti opened, std::int64_t volume)
        : voxels_(std::move(opened.voxels)), byte_order_(opened.byte_order), stored_bytes_(opened.content.type.bytes) {
        start_ = opened.content.offset + volume * (opened.content.bytes / opened.content.info.volumes);
        end_ = opened.content.offset + opened.content.bytes;
        info_ = std::move(opened.content.info);
    }

    void read_rows(RowRange rows, std::byte* to) override {
        if ((rows.first != next_row_ && !reads_anywhere()) || rows.end() > info_.extent.rows())
            throw Error(ErrorKind::internal, info_.path, "rows were asked for out of order");
        const std::int64_t count = rows.count * info_.extent.nx;
        const std::int64_t offset = start_ + rows.first * info_.extent.nx * stored_bytes_;
        if (stored_bytes_ == 16) read_quads(offset, count, to);
        else read_voxels(offset, count, to);
        if (reads_anywhere()) return;  // check_length() has compared the length of the file
        next_row_ = rows.end();
        // For gzip with several volumes, this also decompresses the later volumes: truncation cannot be detected otherwise.
        if (next_row_ == info_.extent.rows()) check_end();
    }

    bool reads_anywhere() const override { return !voxels_->is_gzip() && !voxels_->is_pipe(); }

    void rewind() override { next_row_ = 0; }
    void read_once() override { voxels_->pass_once(); }
    void use_threads(int threads) override { voxels_->inflate_on({.count = threads}); }
    std::int64_t bytes_for_threads(int threads) const override { return voxels_->inflate_bytes({.count = threads}); }

private:
    // The length of gzip or of a pipe is known only at its end.
    void check_end() {
        const std::int64_t bytes = voxels_->verify_rest(start_ + info_.extent.voxels() * stored_bytes_);
        if (!end_checked_ && bytes > end_) info_.warnings.push_back(ignored_bytes(bytes - end_, "the voxels"));
        end_checked_ = true;
    }

    void read_voxels(std::int64_t offset, std::int64_t count, std::byte* to) {
        const std::span bytes(to, std::size_t(count * stored_bytes_));
        voxels_->read(offset, bytes);
        if (byte_order_ != std::endian::native) swap_samples(bytes, stored_bytes_);
    }

    void read_quads(std::int64_t offset, std::int64_t count, std::byte* to) {
        constexpr std::int64_t most = 4096;
        std::array<std::uint64_t, 2 * most> quads;
        for (std::int64_t done = 0; done < count; done += most) {
            const std::int64_t n = std::min(most, count - done);
            const auto bytes = std::as_writable_bytes(std::span(quads).first(std::size_t(2 * n)));
            voxels_->read(offset + done * 16, bytes);
            if (byte_order_ != std::endian::native) swap_samples(bytes, 8);
            for (std::int64_t i = 0; i < n; ++i) {
                const std::uint64_t first = quads[std::size_t(2 * i)], second = quads[std::size_t(2 * i + 1)];
                // The half with the exponent is first in big-endian order and second in little-endian order.
                const double value = byte_order_ == std::endian::big ? double_from_quad(first, second, info_.path)
                                                                     : double_from_quad(second, first, info_.path);
                std::memcpy(to + (done + i) * 8, &value, 8);
            }
        }
    }

    std::unique_ptr<PlainOrGzipFile> voxels_;
    std::endian byte_order_;
    std::int64_t stored_bytes_;  // per voxel
    std::int64_t start_ = 0;     // byte offset of the volume
    std::int64_t end_ = 0;       // byte offset after the last volume
    bool end_checked_ = false;
    std::int64_t next_row_ = 0;
};

}  // namespace

VolumeInfo describe_nifti(const std::string& path, const OpenOptions& options) { return open_headers(path, options).content.info; }

std::vector<std::string> files_of_nifti(const std::string& path, const OpenOptions&) {
    std::vector<std::string> files{path};
    const std::string header = files.emplace_back(header_path(path));
    if (const auto voxels = find_voxels(header)) files.push_back(*voxels);
    return files;
}

std::unique_ptr<VolumeReader> open_nifti(const std::string& path, const OpenOptions& options) {
    OpenedNifti opened = open_headers(path, options);
    const std::int64_t volume = chosen_volume(opened.content.info, options);
    return std::make_unique<NiftiReader>(std::move(opened), volume);
}

}  // namespace voxcc::io
