// Decoders of compressed files of several volumes, which are kept from one volume to the next.
#pragma once
#include "io/files/file_version.h"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace voxcc::io {

/// The decoder of a file, or of a part of a file, of several volumes. Not thread-safe.
class KeptDecoder {
public:
    KeptDecoder() = default;
    virtual ~KeptDecoder() = default;
    KeptDecoder(const KeptDecoder&) = delete;
    KeptDecoder& operator=(const KeptDecoder&) = delete;
    virtual const std::string& path() const = 0;
    virtual const FileVersion& version() const = 0;
    virtual std::int64_t position() const = 0;  // decoded bytes so far
    virtual bool is_verified() const = 0;       // whether the file was decoded to its end
    /// Whether both return the same bytes from the same position on. Readers of two headers can read one data file as other types.
    /// @param other must be of the same type and version
    virtual bool decodes_as(const KeptDecoder& other) const = 0;
    /// Opens the file once more. @return null if this is not possible, or if the file at this path is another one
    virtual std::unique_ptr<KeptDecoder> open_again() const = 0;
    /// Decodes and checks the rest of the file. @return the warning of extra bytes, if there are any
    /// @throw Error truncated_file, wrong_size; about the content if a checksum is wrong; io_error
    virtual std::optional<std::string> verify_end() = 0;
};

/// The decoders of the files whose volumes are read one after the other, for OpenOptions::kept. The reader of a volume continues with a
/// decoder that the reader of an earlier volume has returned, so that each file is decoded once, and not once per volume. A reader then
/// does not verify the rest of the file after its volume: verify_rest() does. Volumes may also be read side by side. Thread-safe.
// 60 volumes in a.nii.gz: the reader of volume 7 continues where the reader of volume 6 has stopped
class KeptDecoders {
public:
    /// The decoder of a new reader, which must call keep() later. @param fresh a decoder of the file
    /// @param offset decoded bytes before the volume
    /// @return `fresh`, or the kept decoder that decodes the same content as `fresh` and has fewer bytes to skip
    template <class Decoder>
    std::unique_ptr<Decoder> take(std::unique_ptr<Decoder> fresh, std::int64_t offset) {
        return as<Decoder>(take_any(std::move(fresh), offset));
    }
    /// The decoder of a reader that returns to the start of its volume. @param passed its decoder, which is kept
    /// @return a kept decoder that has not passed the offset, or a new one; `passed` if the file cannot be opened again
    template <class Decoder>
    std::unique_ptr<Decoder> exchange(std::unique_ptr<Decoder> passed, std::int64_t offset) {
        return as<Decoder>(exchange_any(std::move(passed), offset));
    }
    /// Keeps the decoder of a reader that ends.
    void keep(std::unique_ptr<KeptDecoder> decoder) noexcept;
    struct Warning {
        std::string path, text;
    };
    /// Verifies the files that were not decoded to their ends, and drops all decoders. Must be called after the last reader has ended.
    /// @throw Error as KeptDecoder::verify_end()
    std::vector<Warning> verify_rest();

private:
    using Place = std::vector<std::unique_ptr<KeptDecoder>>::iterator;
    template <class Decoder>
    static std::unique_ptr<Decoder> as(std::unique_ptr<KeptDecoder> decoder) {
        return std::unique_ptr<Decoder>(static_cast<Decoder*>(decoder.release()));
    }
    std::unique_ptr<KeptDecoder> take_any(std::unique_ptr<KeptDecoder> fresh, std::int64_t offset);
    std::unique_ptr<KeptDecoder> exchange_any(std::unique_ptr<KeptDecoder> passed, std::int64_t offset);
    Place nearest(const KeptDecoder& like, std::int64_t offset);
    void limit_kept() noexcept;
    std::mutex mutex_;
    std::vector<std::unique_ptr<KeptDecoder>> kept_;
    std::size_t readers_ = 0, most_readers_ = 0;  // that have not called keep()
};

}  // namespace voxcc::io
