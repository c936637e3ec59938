#include "io/files/zarr_tree.h"

#include <voxcc/error.h>
#include "io/files/checked_file.h"

#include <unistd.h>
#include <algorithm>
#include <filesystem>

namespace voxcc::io {
namespace {

namespace fs = std::filesystem;

/// Whether a file can be a chunk: "c", "0", "1.2.3", "c.1.2".
bool is_chunk_name(std::string_view name) {
    if (name == "c") return true;
    if (name.starts_with("c.")) name.remove_prefix(2);
    bool digit_before = false;
    for (const char c : name) {
        const bool is_digit = c >= '0' && c <= '9';
        if (!is_digit && (c != '.' || !digit_before)) return false;
        digit_before = is_digit;
    }
    return digit_before;
}

bool is_zarr_file(const std::string& name) { return is_metadata_name(name) || name == ".zmetadata" || is_chunk_name(name); }

/// Calls `use` with each entry of a folder, until it returns false. @return whether it has always returned true
template <class Use>
bool each_entry(const fs::path& folder, const Use& use) {
    std::error_code error;
    fs::directory_iterator entry(folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error))
        if (!use(*entry)) return false;
    if (error) throw system_error(folder.string(), "list the folder", error.value(), Access::write);
    return true;
}

fs::file_type type_of(const fs::directory_entry& entry) {
    std::error_code unknown;
    return entry.symlink_status(unknown).type();
}

std::string find_foreign(const fs::path& folder) {
    std::string found;
    each_entry(folder, [&](const fs::directory_entry& entry) {
        const fs::file_type type = type_of(entry);
        if (type == fs::file_type::directory) found = find_foreign(entry.path());
        else if (type != fs::file_type::regular || !is_zarr_file(entry.path().filename().string())) found = entry.path().string();
        return found.empty();
    });
    return found;
}

void remove_tree(const fs::path& folder) {
    each_entry(folder, [](const fs::directory_entry& entry) {
        const fs::file_type type = type_of(entry);
        if (type == fs::file_type::directory) remove_tree(entry.path());
        else if (type == fs::file_type::regular && is_zarr_file(entry.path().filename().string())) ::unlink(entry.path().c_str());
        return true;
    });
    ::rmdir(folder.c_str());
}

}  // namespace

bool is_metadata_name(std::string_view name) { return std::ranges::find(metadata_names, name) != metadata_names.end(); }

std::string first_foreign_entry(const std::string& folder) {
    const std::string found = find_foreign(folder);
    if (!found.empty()) return found;
    bool is_empty = true, has_metadata = false;
    each_entry(folder, [&](const fs::directory_entry& entry) {
        is_empty = false;
        has_metadata = has_metadata || is_metadata_name(entry.path().filename().string());
        return true;
    });
    return is_empty || has_metadata ? "" : folder;
}

void for_each_file(const std::string& folder, const std::function<void(const std::string& path)>& use) {
    each_entry(folder, [&](const fs::directory_entry& entry) {
        const fs::file_type type = type_of(entry);
        if (type == fs::file_type::directory) for_each_file(entry.path().string(), use);
        else if (type == fs::file_type::regular) use(entry.path().string());
        return true;
    });
}

void remove_zarr_tree(const std::string& folder) noexcept {
    try {
        remove_tree(folder);
    } catch (...) {  // the rest stays
    }
}

}  // namespace voxcc::io
