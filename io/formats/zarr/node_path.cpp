#include "io/formats/zarr/node_path.h"

#include "io/files/temporary_names.h"
#include "io/files/zarr_tree.h"

#include <algorithm>

namespace voxcc::io::zarr {

bool is_node_name(std::string_view name) {
    constexpr std::size_t longest = 255;  // of a file name
    return !name.empty() && name.size() <= longest && name != "." && name != ".." &&
           std::ranges::none_of(name, [](unsigned char c) { return c == '/' || c == '\\' || c < 0x20 || c == 0x7f; });
}

bool is_label_name(std::string_view name) {
    const bool has_only_periods = std::ranges::all_of(name, [](char c) { return c == '.'; });
    return is_node_name(name) && !has_only_periods && !name.starts_with("__") && !is_metadata_name(name) && name != ".zmetadata" &&
           !is_hidden_name(name);
}

std::optional<std::string> node_path(std::string_view path) {
    if (path.starts_with('/')) path.remove_prefix(1);
    if (path.ends_with('/')) path.remove_suffix(1);
    for (std::size_t at = 0; at < path.size();) {
        const std::size_t end = std::min(path.find('/', at), path.size());
        if (!is_node_name(path.substr(at, end - at)) || end + 1 == path.size()) return {};
        at = end + 1;
    }
    return std::string(path);
}

}  // namespace voxcc::io::zarr
