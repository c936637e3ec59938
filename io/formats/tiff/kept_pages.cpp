#include "io/kept_pages.h"

#include "io/formats/tiff/tiff_pages.h"

#include <algorithm>

namespace voxcc::io {

std::shared_ptr<const TiffPages> KeptPages::of(TiffHandle& tiff, ExternalFiles external) {
    const std::lock_guard lock(mutex_);  // readers that start at the same time do not read the same directories
    const FileVersion version = version_of(tiff.file());
    const auto found = std::ranges::find(kept_, version, [](const auto& kept) { return kept.first; });
    if (found != kept_.end()) {
        tiff.select_directory(found->second->files.front().directories.front());
        return found->second;
    }
    auto pages = std::make_shared<const TiffPages>(read_tiff_pages(tiff, external));
    if (pages->files.size() == 1) kept_.emplace_back(version, pages);
    return pages;
}

}  // namespace voxcc::io
