#include "io/formats/dicom/dicom_bytes.h"

#include <zlib.h>
#include <algorithm>
#include <memory>

namespace voxcc::io {
namespace {

constexpr std::size_t most_inflated = std::size_t{256} << 20;

[[noreturn]] void refuse_length(const InputFile& file) {
    throw Error(ErrorKind::unsupported_file, file.path(),
                "its deflated data set has more than 256 MiB; store it without compression, for example with dcmconv");
}

// @throw Error corrupt_file, truncated_file; unsupported_file if the result is too long
std::vector<std::byte> inflated(const InputFile& file, std::int64_t offset) {
    if (file.size() - offset > std::int64_t(most_inflated)) refuse_length(file);
    std::vector<std::byte> stored(std::size_t(file.size() - offset)), result;
    file.read(offset, stored);
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw Error(ErrorKind::out_of_memory, file.path(), "no memory to inflate it");
    const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
    stream.next_in = reinterpret_cast<Bytef*>(stored.data());
    stream.avail_in = uInt(stored.size());
    for (int status = Z_OK; status != Z_STREAM_END;) {
        const std::size_t done = result.size();
        if (done == most_inflated) refuse_length(file);
        result.resize(std::min(most_inflated, std::max<std::size_t>(1 << 16, 2 * done)));
        stream.next_out = reinterpret_cast<Bytef*>(result.data() + done);
        stream.avail_out = uInt(result.size() - done);
        status = ::inflate(&stream, Z_NO_FLUSH);
        const bool had_room = stream.avail_out > 0;
        result.resize(result.size() - stream.avail_out);
        if (status == Z_BUF_ERROR || (status == Z_OK && had_room))
            throw Error(ErrorKind::truncated_file, file.path(), "its deflated data set has no end");
        if (status != Z_OK && status != Z_STREAM_END)
            throw Error(ErrorKind::corrupt_file, file.path(), "its deflated data set cannot be inflated");
    }
    return result;
}

}  // namespace

DicomBytes::DicomBytes(const std::string& path) : file_(path), size_(file_.size()), inflated_from_(file_.size()) {}

void DicomBytes::read(std::int64_t offset, std::span<std::byte> to) const {
    if (offset + std::int64_t(to.size()) <= inflated_from_ || inflated_.empty()) return file_.read(offset, to);
    if (offset < inflated_from_ || offset + std::int64_t(to.size()) > size_)
        throw Error(ErrorKind::truncated_file, path(),
                    "expected " + std::to_string(offset + std::int64_t(to.size())) + " bytes, got " + std::to_string(size_));
    std::copy_n(inflated_.begin() + (offset - inflated_from_), to.size(), to.begin());
}

void DicomBytes::inflate_from(std::int64_t offset) {
    inflated_ = inflated(file_, offset);
    inflated_from_ = offset;
    size_ = offset + std::int64_t(inflated_.size());
}

}  // namespace voxcc::io
