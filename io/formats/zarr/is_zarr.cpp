#include "io/formats/zarr/is_zarr.h"

#include "io/codecs/zip/zip_directory.h"
#include "io/files/zarr_tree.h"
#include "io/shared_by_formats.h"

#include <algorithm>
#include <filesystem>

namespace voxcc::io {
namespace {

namespace fs = std::filesystem;

bool has_metadata(const std::string& archive) {
    constexpr ZipLimits limits{.members = std::int64_t{1} << 22, .directory_bytes = std::int64_t{1} << 30};
    try {
        const auto members = read_zip_directory(InputFile(archive), limits);
        return std::ranges::any_of(members, [](const ZipMember& m) {
            return std::ranges::count(m.name, '/') <= 1 && is_metadata_name(fs::path(m.name).filename().string());
        });
    } catch (const Error&) {
        return false;
    }
}

}  // namespace

bool is_zarr(const std::string& path) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
        const std::string name = path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
        return has_extension(name, {".zarr"}) ||
               std::ranges::any_of(metadata_names, [&](const char* metadata) { return fs::exists(fs::path(path) / metadata, ignored); });
    }
    if (!fs::is_regular_file(path, ignored)) return false;
    if (is_metadata_name(fs::path(path).filename().string())) return true;
    return has_extension(path, {".zarr.zip", ".ozx"}) || (has_extension(path, {".zip"}) && has_metadata(path));
}

}  // namespace voxcc::io
