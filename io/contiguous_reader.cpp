#include "io/contiguous_reader.h"

#include "io/formats.h"
#include "io/samples.h"

namespace voxcc::io {
namespace {

class ContiguousReader final : public VolumeReader {
public:
    ContiguousReader(VolumeInfo info, std::unique_ptr<DecodedFile> file, ContiguousVoxels voxels, std::int64_t volume)
        : file_(std::move(file)), voxels_(std::move(voxels)) {
        start_ = voxels_.offset + volume * (voxels_.bytes / info.volumes);
        info_ = std::move(info);
    }

    void read_rows(RowRange rows, std::byte* to) override {
        if ((rows.first != next_row_ && !reads_anywhere()) || rows.end() > info_.extent.rows())
            throw Error(ErrorKind::internal, info_.path, "rows were asked for out of order");
        const std::int64_t count = rows.count * info_.extent.nx;
        read_voxels(start_ + rows.first * info_.extent.nx * voxels_.bytes_per_voxel, count, to);
        if (reads_anywhere()) return;  // check_length() has compared the length of the file
        next_row_ = rows.end();
        // With compression, this also decodes the later volumes: truncation cannot be detected otherwise.
        if (next_row_ == info_.extent.rows()) check_end();
    }

    bool reads_anywhere() const override { return file_->reads_anywhere(); }
    void rewind() override { next_row_ = 0; }
    void read_once() override { file_->pass_once(); }
    void use_threads(int threads) override { file_->inflate_on({.count = threads}); }
    std::int64_t bytes_for_threads(int threads) const override { return file_->inflate_bytes({.count = threads}); }

private:
    void check_end() {
        const std::int64_t bytes = file_->verify_rest(start_ + info_.extent.voxels() * voxels_.bytes_per_voxel);
        const std::int64_t end = voxels_.offset + voxels_.bytes;
        if (bytes < end)
            throw Error(ErrorKind::truncated_file, info_.path, "expected " + std::to_string(end) + " bytes, got " + std::to_string(bytes));
        if (!end_checked_ && bytes > end && voxels_.end == ContiguousVoxels::End::last_voxel)
            info_.warnings.push_back(ignored_bytes(bytes - end, "the voxels"));
        end_checked_ = true;
    }

    void read_voxels(std::int64_t offset, std::int64_t count, std::byte* to) {
        if (!voxels_.convert) return read_stored(offset, count, to);
        constexpr std::int64_t most = 4096;
        const std::int64_t bytes_per_result = size_of(info_.type);
        std::vector<std::byte> stored(std::size_t(most * std::max(voxels_.bytes_per_voxel, bytes_per_result)));
        for (std::int64_t done = 0; done < count; done += most) {
            const std::int64_t n = std::min(most, count - done);
            read_stored(offset + done * voxels_.bytes_per_voxel, n, stored.data());
            voxels_.convert(stored.data(), n);
            std::copy_n(stored.data(), n * bytes_per_result, to + done * bytes_per_result);
        }
    }

    void read_stored(std::int64_t offset, std::int64_t count, std::byte* to) {
        const std::span bytes(to, std::size_t(count * voxels_.bytes_per_voxel));
        file_->read(offset, bytes);
        const std::int64_t word = std::min<std::int64_t>(voxels_.bytes_per_voxel, 8);
        if (voxels_.byte_order != std::endian::native) swap_samples(bytes, word);
    }

    std::unique_ptr<DecodedFile> file_;
    ContiguousVoxels voxels_;
    std::int64_t start_ = 0;  // byte offset of the volume
    bool end_checked_ = false;
    std::int64_t next_row_ = 0;
};

}  // namespace

void check_length(const ContiguousVoxels& voxels, const DecodedFile& file, std::vector<std::string>& warnings) {
    std::int64_t end = 0;
    if (__builtin_add_overflow(voxels.offset, voxels.bytes, &end))
        throw Error(ErrorKind::invalid_file, file.path(), "the header claims more than 2^63 bytes of voxels");
    if (end > file.longest_content()) {
        const std::string claim = "expected " + std::to_string(end) + " bytes by its header, ";
        const std::string stored = std::to_string(file.stored_bytes());
        const std::string there = file.is_compressed() ? stored + " bytes of " + std::string(name_of(file.compression())) +
                                                             " cannot hold more than " + std::to_string(file.longest_content())
                                                       : "got " + stored;
        throw Error(ErrorKind::wrong_size, file.path(), claim + there);
    }
    if (file.reads_anywhere() && end < file.longest_content() && voxels.end == ContiguousVoxels::End::last_voxel)
        warnings.push_back(ignored_bytes(file.longest_content() - end, "the voxels"));
}

std::unique_ptr<VolumeReader> open_contiguous(VolumeInfo info, std::unique_ptr<DecodedFile> file, ContiguousVoxels voxels,
                                              std::int64_t volume) {
    return std::make_unique<ContiguousReader>(std::move(info), std::move(file), std::move(voxels), volume);
}

}  // namespace voxcc::io
