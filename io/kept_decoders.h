// Decoders of compressed files of several volumes, which are kept from one volume to the next.
#pragma once
#include "io/contiguous_reader.h"

#include <mutex>
#include <string>
#include <vector>

namespace voxcc::io {

/// The decoders of the files whose volumes are read one after the other, for OpenOptions::decoders. The reader of a volume continues with a
/// decoder that the reader of an earlier volume has returned, so that each file is decoded once, and not once per volume. A reader then
/// does not verify the rest of the file after its volume: verify_rest() does. Volumes may also be read side by side. Thread-safe.
// 60 volumes in a.nii.gz: the reader of volume 7 continues where the reader of volume 6 has stopped
class KeptDecoders {
public:
    /// The decoder of a new reader, which must call keep() later. @param fresh a decoder of the file @param voxels of all volumes of the
    /// file
    /// @param offset decoded bytes before the volume
    /// @return `fresh`, or the kept decoder of the same content that has fewer bytes to skip
    std::unique_ptr<DecodedFile> take(std::unique_ptr<DecodedFile> fresh, std::int64_t offset);
    /// The decoder of a reader that returns to the start of its volume. @param passed its decoder, which is kept
    /// @return a kept decoder that has not passed the offset, or a new one; `passed` if the file cannot be opened again
    std::unique_ptr<DecodedFile> exchange(std::unique_ptr<DecodedFile> passed, const ContiguousVoxels& voxels, std::int64_t offset);
    /// Keeps the decoder of a reader that ends.
    void keep(std::unique_ptr<DecodedFile> file, ContiguousVoxels voxels) noexcept;
    struct Warning {
        std::string path, text;
    };
    /// Verifies the files that were not decoded to their ends, and drops all decoders. Must be called after the last reader has ended.
    /// @throw Error as check_end()
    std::vector<Warning> verify_rest();

private:
    struct Kept {
        std::unique_ptr<DecodedFile> file;
        ContiguousVoxels voxels;
    };
    using Place = std::vector<Kept>::iterator;
    Place nearest(const FileVersion& version, std::int64_t offset);
    void limit_kept() noexcept;
    std::mutex mutex_;
    std::vector<Kept> kept_;
    std::size_t readers_ = 0, most_readers_ = 0;  // that have not called keep()
};

}  // namespace voxcc::io
