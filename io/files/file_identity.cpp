#include "io/files/file_identity.h"

#include <sys/stat.h>
#include <filesystem>

namespace voxcc::io {

std::optional<FileIdentity> identity_of(const std::string& path) {
    struct stat st {};
    if (::stat(path.c_str(), &st) != 0) return std::nullopt;
    return FileIdentity{std::uint64_t(st.st_dev), std::uint64_t(st.st_ino)};
}

std::optional<FilePlace> file_place(const std::string& path) {
    std::filesystem::path file(path);
    if (!file.has_filename()) file = file.parent_path();
    const std::filesystem::path folder = file.parent_path();
    const auto identity = identity_of(folder.empty() ? "." : folder.string());
    if (!identity) return std::nullopt;
    return FilePlace{*identity, file.filename().string()};
}

void FileSet::add(const std::string& path) {
    if (const auto identity = identity_of(path)) files_.insert(*identity);
    if (auto place = file_place(path)) places_.insert(std::move(*place));
}

bool FileSet::contains(const std::string& path) const {
    const auto identity = identity_of(path);
    if (identity && files_.contains(*identity)) return true;
    const auto place = file_place(path);
    return place && places_.contains(*place);
}

}  // namespace voxcc::io
