// The bytes of a DICOM file.
#pragma once
#include "io/files/file_version.h"

#include <vector>

namespace voxcc::io {

/// An open DICOM file. A deflated data set is inflated into memory; offsets behind its start then count inflated bytes. The const functions
/// are thread-safe.
class DicomBytes {
public:
    /// @throw Error as InputFile
    explicit DicomBytes(const std::string& path);
    const std::string& path() const { return file_.path(); }
    std::int64_t size() const { return size_; }
    FileVersion version() const { return version_of(file_); }
    /// Reads exactly to.size() bytes from byte `offset`. @throw Error truncated_file, io_error
    void read(std::int64_t offset, std::span<std::byte> to) const;
    /// Replaces all bytes from `offset` by what they inflate to, at most 256 MiB. @throw Error about the content
    void inflate_from(std::int64_t offset);

private:
    InputFile file_;
    std::int64_t size_ = 0, inflated_from_ = 0;
    std::vector<std::byte> inflated_;
};

}  // namespace voxcc::io
