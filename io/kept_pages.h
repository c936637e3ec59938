// The pages of TIFF files of several volumes, which are kept from one volume to the next.
#pragma once
#include "io/files/file_version.h"
#include "io/io.h"

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace voxcc::io {

class TiffHandle;
struct TiffPages;

/// Reads the directories of a file once, and not once per volume, for OpenOptions::kept. Thread-safe.
// 160 volumes of 20 pages: 3,200 directories are read, and not 512,000
class KeptPages {
public:
    /// The result of read_tiff_pages(). The directories are read by the first call for a version of a file; the pages of a set of several
    /// files are read by each call. The handle is then at the first page. @throw Error as read_tiff_pages()
    std::shared_ptr<const TiffPages> of(TiffHandle& tiff, ExternalFiles external);

private:
    std::mutex mutex_;
    std::vector<std::pair<FileVersion, std::shared_ptr<const TiffPages>>> kept_;
};

}  // namespace voxcc::io
