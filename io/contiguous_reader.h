// Reader of volumes whose voxels follow each other in the content of one file, which can be compressed (NIfTI, FreeSurfer, npz).
#pragma once
#include "io/decoded/decoded_file.h"
#include "io/io.h"
#include "io/kept_files.h"

#include <bit>
#include <functional>

namespace voxcc::io {

/// Where the voxels of all volumes of a file are, and how they are stored.
struct ContiguousVoxels {
    std::int64_t offset = 0;           // of the first voxel, in decoded bytes
    std::int64_t bytes = 0;            // of all volumes together
    std::int64_t bytes_per_voxel = 1;  // stored
    std::endian byte_order = std::endian::native;
    enum class End : std::uint8_t { last_voxel, trailer } end = End::last_voxel;  // trailer: the format allows data after the voxels
    /// Converts `count` stored voxels in host byte order, which begin at `voxels`, in place. `voxels` has room for the stored voxels and
    /// for the results. Empty: the stored voxels are of the type of the volume.
    std::function<void(std::byte* voxels, std::int64_t count)> convert{};
};

/// @return stored bytes of all volumes. @throw Error about the content if an extent is not positive or the product exceeds 2^63 - 1
// 4 x 3 x 2 voxels, 5 volumes, 2 bytes per voxel  ->  240
std::int64_t bytes_of_volumes(const VolumeInfo& info, std::int64_t bytes_per_voxel);

/// Compares the length of the file with the voxels; reports extra bytes in `warnings`. The length of a pipe or of compressed data is known
/// only at their end. @throw Error invalid_file, wrong_size
void check_length(const ContiguousVoxels& voxels, const DecodedFile& file, std::vector<std::string>& warnings);

/// Decodes the rest of a compressed file or reads the rest of a pipe, and compares the length of the content with the voxels.
/// @param last the offset up to which a pipe was read
/// @return the warning of extra bytes, if there are any
/// @throw Error truncated_file; about the content if a checksum is wrong; io_error
std::optional<std::string> check_end(const ContiguousVoxels& voxels, DecodedFile& file, std::int64_t last = 0);

/// The decoder of such a file.
class ContiguousDecoder final : public KeptDecoder {
public:
    ContiguousDecoder(std::unique_ptr<DecodedFile> file, ContiguousVoxels voxels) : file_(std::move(file)), voxels_(std::move(voxels)) {}
    DecodedFile& file() { return *file_; }
    const DecodedFile& file() const { return *file_; }
    const ContiguousVoxels& voxels() const { return voxels_; }
    const std::string& path() const override { return file_->path(); }
    const FileVersion& version() const override { return file_->version(); }
    std::int64_t position() const override { return file_->position(); }
    bool is_verified() const override { return file_->is_verified(); }
    bool decodes_as(const KeptDecoder&) const override { return true; }  // the voxels are converted by the reader
    std::unique_ptr<KeptDecoder> open_again() const override;
    std::optional<std::string> verify_end() override { return check_end(voxels_, *file_); }

private:
    std::unique_ptr<DecodedFile> file_;
    ContiguousVoxels voxels_;
};

/// Which volume of a file is read, and what is kept: see OpenOptions.
struct ContiguousVolume {
    std::int64_t number = 0;  // in [0, info.volumes)
    std::shared_ptr<KeptFiles> kept{};
};

/// A file whose header has been read.
struct ContiguousFile {
    VolumeInfo info;  // of one volume
    ContiguousVoxels voxels;
    std::unique_ptr<DecodedFile> file;
};

/// Completes a description with the warnings of check_length(). @throw Error as check_length()
VolumeInfo checked_info(const ContiguousFile& file);

/// Opens the volume that the options choose. @throw Error as checked_info(), chosen_volume()
std::unique_ptr<VolumeReader> open_contiguous(ContiguousFile file, const OpenOptions& options);

/// Opens one volume. check_length() must have accepted the file.
std::unique_ptr<VolumeReader> open_contiguous(VolumeInfo info, std::unique_ptr<DecodedFile> file, ContiguousVoxels voxels,
                                              ContiguousVolume volume);

}  // namespace voxcc::io
