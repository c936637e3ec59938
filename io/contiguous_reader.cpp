#include "io/contiguous_reader.h"

#include "io/samples.h"
#include "io/shared_by_formats.h"

namespace voxcc::io {
namespace {

class ContiguousReader final : public VolumeReader {
public:
    ContiguousReader(VolumeInfo info, std::unique_ptr<ContiguousDecoder> decoder, ContiguousVolume volume)
        : decoder_(std::move(decoder)), voxels_(decoder_->voxels()), is_last_(volume.number + 1 == info.volumes) {
        start_ = voxels_.offset + volume.number * (voxels_.bytes / info.volumes);
        info_ = std::move(info);
        if (volume.kept && info_.volumes > 1 && !reads_anywhere()) kept_ = std::move(volume.kept);
        if (!kept_) return;
        const ContiguousDecoder* const fresh = decoder_.get();
        decoder_ = kept_->decoders.take(std::move(decoder_), start_);
        continues_ = decoder_.get() != fresh;
    }
    ~ContiguousReader() override {
        if (kept_) kept_->decoders.keep(std::move(decoder_));
    }
    ContiguousReader(const ContiguousReader&) = delete;
    ContiguousReader& operator=(const ContiguousReader&) = delete;

    void read_rows(RowRange rows, std::byte* to) override {
        if ((rows.first != next_row_ && !reads_anywhere()) || rows.end() > info_.extent.rows())
            throw Error(ErrorKind::internal, info_.path, "rows were asked for out of order");
        const std::int64_t count = rows.count * info_.extent.nx;
        read_voxels(start_ + rows.first * info_.extent.nx * voxels_.bytes_per_voxel, count, to);
        if (reads_anywhere()) return;  // check_length() has compared the length of the file
        next_row_ = rows.end();
        // With compression, this also decodes the later volumes: truncation cannot be detected otherwise.
        if (next_row_ == info_.extent.rows() && (!kept_ || is_last_)) verify_end();
    }

    bool reads_anywhere() const override { return decoder_->file().reads_anywhere(); }
    void rewind() override {
        next_row_ = 0;
        if (kept_) decoder_ = kept_->decoders.exchange(std::move(decoder_), start_);
    }
    void read_once() override { decoder_->file().pass_once(); }
    void use_threads(int threads) override {
        if (!continues_) decoder_->file().inflate_on({.count = threads});  // would return to the first byte of the file
    }
    std::int64_t bytes_for_threads(int threads) const override {
        const std::int64_t decoders = kept_ ? 2 : 1;  // another one may be kept
        return decoders * decoder_->file().inflate_bytes({.count = threads});
    }

private:
    void verify_end() {
        const auto warning = check_end(voxels_, decoder_->file(), start_ + info_.extent.voxels() * voxels_.bytes_per_voxel);
        if (!end_checked_ && warning) info_.warnings.push_back(*warning);
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
        decoder_->file().read(offset, bytes);
        const std::int64_t word = std::min<std::int64_t>(voxels_.bytes_per_voxel, 8);
        if (voxels_.byte_order != std::endian::native) swap_samples(bytes, word);
    }

    std::unique_ptr<ContiguousDecoder> decoder_;
    const ContiguousVoxels voxels_;    // of this reader: the decoder can come from the reader of another header of the same file
    std::shared_ptr<KeptFiles> kept_;  // null if there is nothing to keep
    bool is_last_;                     // volume of the file
    bool continues_ = false;           // with the decoder of an earlier volume
    std::int64_t start_ = 0;           // byte offset of the volume
    bool end_checked_ = false;
    std::int64_t next_row_ = 0;
};

}  // namespace

std::unique_ptr<KeptDecoder> ContiguousDecoder::open_again() const {
    std::unique_ptr<DecodedFile> again = file_->open_again();
    return again ? std::make_unique<ContiguousDecoder>(std::move(again), voxels_) : nullptr;
}

std::int64_t bytes_of_volumes(const VolumeInfo& info, std::int64_t bytes_per_voxel) {
    return checked_bytes({info.volumes, 1, 1}, checked_bytes(info.extent, bytes_per_voxel, info.path), info.path);
}

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

std::optional<std::string> check_end(const ContiguousVoxels& voxels, DecodedFile& file, std::int64_t last) {
    const std::int64_t end = voxels.offset + voxels.bytes, bytes = file.verify_rest(last, end);
    if (bytes < end)
        throw Error(ErrorKind::truncated_file, file.path(), "expected " + std::to_string(end) + " bytes, got " + std::to_string(bytes));
    std::vector<std::string> ignored;
    if (bytes > end && voxels.end == ContiguousVoxels::End::last_voxel) ignored.push_back(ignored_bytes(bytes - end, "the voxels"));
    if (file.padding() > 0) ignored.push_back(ignored_bytes(file.padding(), "the gzip data") + " (all are 0)");
    if (ignored.empty()) return std::nullopt;
    return ignored.size() == 1 ? ignored[0] : ignored[0] + ", and " + ignored[1];
}

VolumeInfo checked_info(const ContiguousFile& file) {
    VolumeInfo info = file.info;
    check_length(file.voxels, *file.file, info.warnings);
    return info;
}

std::unique_ptr<VolumeReader> open_contiguous(ContiguousFile file, const OpenOptions& options) {
    VolumeInfo info = checked_info(file);
    const std::int64_t volume = chosen_volume(info, options);
    return open_contiguous(std::move(info), std::move(file.file), std::move(file.voxels), {volume, options.kept});
}

std::unique_ptr<VolumeReader> open_contiguous(VolumeInfo info, std::unique_ptr<DecodedFile> file, ContiguousVoxels voxels,
                                              ContiguousVolume volume) {
    return std::make_unique<ContiguousReader>(std::move(info), std::make_unique<ContiguousDecoder>(std::move(file), std::move(voxels)),
                                              std::move(volume));
}

}  // namespace voxcc::io
